package mem

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func exhausted(err error) bool { return tensor.CodeOf(err) == tensor.ResourceExhausted }

func TestTake(t *testing.T) {
	var r Budget
	r.Init(1000, nil, nil)
	r.Reset(100)
	if err := r.Take(900); err != nil {
		t.Fatal(err)
	}
	if err := r.Take(1); !exhausted(err) || !strings.Contains(err.Error(), "the limit of a run is 1000") {
		t.Errorf("one byte too many: %v", err)
	}
	r.Give(500)
	if err := r.Take(math.MaxInt); !exhausted(err) {
		t.Errorf("a size that overflows: %v", err)
	}
	if r.Left() != 500 || r.Used() != 500 {
		t.Errorf("%d bytes left, %d in use, want 500 and 500", r.Left(), r.Used())
	}
	var none *Budget
	if none.Take(1<<40) != nil || none.Make(1<<40) != nil || none.Err() != nil {
		t.Error("no budget has a limit")
	}
}

// TestCall: the memory of a call counts until the call ends. Products of dimensions that overflow
// are refused before anything is allocated.
func TestCall(t *testing.T) {
	var r Budget
	r.Init(1<<20, nil, nil)
	call := r.Call()
	if v := Make[float64](&call, 10, 20); len(v) != 200 || r.Used() != 1600 {
		t.Errorf("%d elements, %d bytes in use", len(v), r.Used())
	}
	mark := call.Mark()
	Make[byte](&call, 100)
	call.Release(mark)
	if r.Used() != 1600 {
		t.Errorf("%d bytes in use after a release, want 1600", r.Used())
	}
	for _, dims := range [][]int{{1 << 20}, {1 << 32, 1 << 32}, {1 << 62, 4}, {math.MaxInt, math.MaxInt}} {
		func() {
			defer func() {
				if err, _ := recover().(error); !exhausted(err) {
					t.Errorf("%v: %v", dims, err)
				}
			}()
			Make[float64](&call, dims...)
		}()
	}
	call.Free()
	if r.Used() != 0 {
		t.Errorf("%d bytes in use after the call", r.Used())
	}
}

// TestLook: a long call ends when its run is ended, and checks for this only as often as needed.
func TestLook(t *testing.T) {
	looks := 0
	var why error
	var r Budget
	r.Init(1, func() error { looks++; return why }, nil)
	call := r.Call()
	for range 10 * lookEvery / 16 {
		call.Work(16)
	}
	if looks < 8 || looks > 12 {
		t.Errorf("%d looks", looks)
	}
	why = context.Canceled
	defer func() {
		if e, ok := recover().(Ended); !ok || e.Reason != context.Canceled {
			t.Errorf("ends with %v", e)
		}
	}()
	call.Work(2 * lookEvery)
	t.Error("goes on")
}

// TestSpare: unreferenced values count until the limit is reached.
func TestSpare(t *testing.T) {
	live := 300
	var r Budget
	r.Init(1000, nil, func(made int) (int, int) { return made - live, 0 })
	r.Reset(100)
	for range 9 {
		if err := r.Make(100); err != nil {
			t.Fatal(err)
		}
	}
	if !r.Tight() {
		t.Error("all is in use, and nothing tight")
	}
	if err := r.Make(500); err != nil || r.Used() != 900 {
		t.Errorf("%v, %d bytes in use, want 100 of a buffer, 300 that are alive and 500", err, r.Used())
	}
	live = 800
	if err := r.Make(200); !exhausted(err) {
		t.Errorf("more than there is: %v", err)
	}
}

// TestAccount: the memory of an object that outlives its run does not count in the next run.
func TestAccount(t *testing.T) {
	var r Budget
	r.Init(1000, nil, nil)
	r.Reset(0)
	a := r.Account()
	if err := a.Make(600); err != nil || r.Used() != 600 {
		t.Fatalf("%v, %d bytes in use", err, r.Used())
	}
	if err := a.Make(600); !exhausted(err) {
		t.Errorf("more than there is: %v", err)
	}
	r.Reset(0)
	if a.Drop(600); r.Used() != 0 {
		t.Errorf("the next run has %d bytes", r.Used())
	}
	if err := a.Make(6000); err != nil || r.Used() != 0 {
		t.Errorf("an account of a run that has ended: %v, %d bytes in use", err, r.Used())
	}
}

func TestHeld(t *testing.T) {
	long := strings.Repeat("x", 1000)
	if n := Held([][]string{{long, long, "ab"}, {long, "ab"}}, nil); n != 1004 {
		t.Errorf("texts hold %d bytes, want 1004", n)
	}
}

// TestGrow: the memory of growing slices is counted before it is allocated.
func TestGrow(t *testing.T) {
	var r Budget
	r.Init(1<<20, nil, nil)
	r.Reset(0)
	call := r.Call()
	var s []int64
	for i := range int64(1000) {
		s = Append(&call, s, i)
	}
	if r.Used() != 8*cap(s) || len(s) != 1000 || s[999] != 999 {
		t.Errorf("%d bytes in use of a slice of %d", r.Used(), cap(s))
	}
	for _, n := range []int{1 << 20, math.MaxInt} {
		func() {
			defer func() {
				if err, _ := recover().(error); !exhausted(err) {
					t.Errorf("%d more: %v", n, err)
				}
			}()
			Grow(&call, s, n)
		}()
	}
}
