package exec_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// The kernels of the plans below.

// Set fills dst with n.
func Set(dst []int64, n int) {
	for i := range dst {
		dst[i] = int64(n)
	}
}

// Add computes dst = x + n.
func Add(dst, x []int64, n int) {
	for i := range dst {
		dst[i] = x[i] + int64(n)
	}
}

// Sum computes dst = x + y.
func Sum(dst, x, y []int64) {
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

// Less computes dst[0] = x[0] < n.
func Less(dst []bool, x []int64, n int) { dst[0] = x[0] < int64(n) }

// Odd sets dst[0] to whether x[0] is odd.
func Odd(dst []bool, x []int64) { dst[0] = x[0]&1 == 1 }

// Value returns x[0].
func Value(x []int64) int { return int(x[0]) }

// Wait waits until ctx has ended, and returns the error of ctx.
func Wait(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// counter is a resource that programs keep between runs; Next increments it.
type counter struct {
	n    int64
	from []int64
}

// NewCounter makes a counter that begins at from[0]·by.
func NewCounter(from []int64, by int) tensor.Handle {
	return tensor.Handle{V: &counter{from[0] * int64(by), from}}
}

// NewNothing fails.
func NewNothing() (tensor.Handle, error) {
	return tensor.Handle{}, tensor.Errorf(tensor.ResourceExhausted, "no room for objects")
}

// Next increments a counter.
func Next(dst []int64, h []tensor.Handle) error {
	c, ok := h[0].V.(*counter)
	if !ok {
		return errors.New("no counter")
	}
	c.n++
	dst[0] = c.n
	return nil
}

// Box stores a handle in dst[0]. The value of the handle is a string: the value of below[0], a
// space, and x[0].
func Box(dst, below []tensor.Handle, x []int64) {
	dst[0] = tensor.Handle{V: fmt.Sprint(below[0].V, " ", x[0])}
}

// Len stores the length of the string that is the value of h[0].
func Len(dst []int64, h []tensor.Handle) { dst[0] = int64(len(h[0].V.(string))) }

var kernels = map[string]any{"Set": Set, "Add": Add, "Sum": Sum, "Less": Less, "Odd": Odd, "Value": Value, "Wait": Wait, "NewCounter": NewCounter, "NewNothing": NewNothing, "Next": Next, "Box": Box, "Len": Len}

// planOf parses the text of a plan. The text has the prefix k. before the names of the kernels in
// this file, as in k.Add. All constants get the value {40}.
func planOf(t *testing.T, text string) *plan.Plan {
	t.Helper()
	p, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(fn any) any {
		u, ok := fn.(plan.Unresolved)
		if !ok {
			return fn
		}
		k := kernels[strings.TrimPrefix(string(u), "k.")]
		if k == nil {
			t.Fatalf("no kernel %v", fn)
		}
		return k
	}
	for _, s := range plan.Flat(p.Steps) {
		if c, ok := s.(*plan.Call); ok {
			c.Fn = resolve(c.Fn)
		}
	}
	for _, b := range p.Bufs {
		if b.Object != nil {
			b.Object.New = resolve(b.Object.New)
		}
	}
	for _, c := range p.Consts {
		c.Data = []int64{40}
	}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return p
}

func feedsOf(xs ...int64) map[string]*tensor.Tensor {
	m := map[string]*tensor.Tensor{}
	for i, x := range xs {
		m[string(rune('x'+i))+":0"] = tensor.Must(tensor.From(nil, []int64{x}))
	}
	return m
}

const flowHead = `feed "x:0" key "x" i64[] %0
const 0 "c" i64[1] note "" sha256:00
buf %0 "x" fed i64 len 1
buf %1 "a" arena i64 len 1
buf %2 "b" arena i64 len 1
buf %3 "i" arena i64 len 1
buf %4 "p" arena bool len 1
buf %5 "t" arena i64 len 1
buf %6 "u" arena i64 len 1
buf %7 "g" grow i64 len n
buf %8 "g2" grow i64 len n + 1
buf %9 "c" const i64 len 1 const 0
buf %10 "h" handles variant len 1
buf %11 "h2" handles variant len 1
buf %12 "s" grow i64 len m
`

// fibonacci computes a Fibonacci number. Each iteration of its loop assigns a, b = b, a+b and
// increments a counter.
const fibonacci = flowHead + `call "a" Zero k.Set(w %1[0:1], 0)
call "b" One k.Set(w %2[0:1], 1)
call "i" Zero k.Set(w %3[0:1], 0)
call "n" Value k.Value(r %0[0:1]) ret n
loop "w" While
call "p" Less k.Less(w %4[0:1], r %3[0:1], n)
break "w" LoopCond unless r %4[0:1]
call "t" Sum k.Sum(w %5[0:1], r %1[0:1], r %2[0:1])
call "u" Add k.Add(w %6[0:1], r %3[0:1], 1) inplace %6=%3
copy "a" Next w %1[0:1], r %2[0:1]
copy "b" Next w %2[0:1], r %5[0:1]
copy "i" Next w %3[0:1], r %6[0:1]
end
fetch "y:0" key "y" i64[] %1
`

// growing appends elements to a list until the list has x elements. Each element is larger than the
// previous one.
const growing = flowHead + `let "w" Enter n = 1
room "g" Enter %7
call "g" Set k.Set(w %7[0:1], 7)
call "k" Value k.Value(r %0[0:1]) ret k
call "i" Zero k.Set(w %3[0:1], 1)
loop "w" While
call "p" Less k.Less(w %4[0:1], r %3[0:1], k)
break "w" LoopCond unless r %4[0:1]
copy "c" Concat w %8[0:n], r %7[0:n]
call "c" Concat k.Add(w %8[n:1], r %7[n - 1:1], n)
call "i" Add k.Add(w %6[0:1], r %3[0:1], 1)
copy "i" Next w %3[0:1], r %6[0:1]
room "g" Next %7
let "w" Next n = n + 1, m = n
room "g" Next %7
copy "g" Next w %7[0:n], r %8[0:n]
end
fetch "y:0" key "y" i64[n] %7
`

func TestFlow(t *testing.T) {
	for _, c := range []struct {
		name, text string
		x          int64
		want       []int64
	}{
		{"fibonacci", fibonacci, 10, []int64{55}},
		{"no iteration", fibonacci, 0, []int64{0}},
		{"a tensor that grows", growing, 5, []int64{7, 8, 10, 13, 17}},
		{"branches", flowHead + `call "p" Odd k.Odd(w %4[0:1], r %0[0:1])
if "c" If r %4[0:1]
call "a" A k.Add(w %1[0:1], r %0[0:1], 100)
copy "m" Merge w %2[0:1], r %1[0:1]
else
copy "m" Merge w %2[0:1], r %0[0:1]
end
unless "c" If r %4[0:1]
call "a" A k.Add(w %5[0:1], r %2[0:1], 1000)
else
call "a" A k.Add(w %5[0:1], r %2[0:1], 2000)
end
fetch "y:0" key "y" i64[] %5
`, 3, []int64{2103}},
		{"sizes bound together", flowHead + `let "l" Let n = 1, m = 2
let "l" Let n = m, m = n + 10
call "a" A k.Set(w %1[0:1], 100*n + m)
fetch "y:0" key "y" i64[] %1
`, 0, []int64{211}},
		{"a size found in each iteration", flowHead + `call "i" Zero k.Set(w %3[0:1], 1)
call "b" Zero k.Set(w %2[0:1], 0)
loop "w" While
call "n" Value k.Value(r %3[0:1]) ret m
call "s" Set k.Set(w %12[0:m], m)
call "b" Sum k.Sum(w %1[0:1], r %2[0:1], r %12[m - 1:1])
copy "b" Next w %2[0:1], r %1[0:1]
call "p" Less k.Less(w %4[0:1], r %3[0:1], 4)
break "w" LoopCond unless r %4[0:1]
call "i" Add k.Add(w %6[0:1], r %3[0:1], 1)
copy "i" Next w %3[0:1], r %6[0:1]
end
call "b" Add k.Add(w %5[0:1], r %2[0:1], 100*m)
fetch "y:0" key "y" i64[] %5
`, 0, []int64{410}},
		{"handles", flowHead + `call "i" Zero k.Set(w %3[0:1], 0)
copy "h" Enter w %10[0:1], r %13[0:1]
loop "w" While
call "p" Less k.Less(w %4[0:1], r %3[0:1], 3)
break "w" LoopCond unless r %4[0:1]
call "b" Box k.Box(w %11[0:1], r %10[0:1], r %3[0:1])
call "i" Add k.Add(w %6[0:1], r %3[0:1], 10)
copy "i" Next w %3[0:1], r %6[0:1]
copy "h" Next w %10[0:1], r %11[0:1]
end
call "l" Len k.Len(w %1[0:1], r %10[0:1])
fetch "y:0" key "y" i64[] %1
buf %13 "v" kept variant len 1
object %13 k.NewCounter(r %9[0:1], 2)
`, 0, nil},
		{"loops in loops and in branches", flowHead + `call "a" Zero k.Set(w %1[0:1], 0)
call "i" Zero k.Set(w %3[0:1], 0)
loop "w" While
call "p" Less k.Less(w %4[0:1], r %3[0:1], 4)
break "w" LoopCond unless r %4[0:1]
call "p" Odd k.Odd(w %4[0:1], r %3[0:1])
if "c" If r %4[0:1]
copy "b" Enter w %2[0:1], r %3[0:1]
loop "v" While
call "t" Add k.Add(w %5[0:1], r %2[0:1], 1)
copy "b" Next w %2[0:1], r %5[0:1]
call "q" Less k.Less(w %4[0:1], r %2[0:1], 8)
break "v" LoopCond unless r %4[0:1]
end
copy "m" Merge w %6[0:1], r %2[0:1]
else
copy "m" Merge w %6[0:1], r %0[0:1]
end
call "a" Sum k.Sum(w %5[0:1], r %1[0:1], r %6[0:1]) inplace %5=%1
copy "a" Next w %1[0:1], r %5[0:1]
call "i" Add k.Add(w %3[0:1], r %3[0:1], 1)
end
fetch "y:0" key "y" i64[] %1
`, 100, []int64{216}},
	} {
		if c.want == nil { // the expected result is that of a run with the default settings
			p := planOf(t, c.text)
			x, err := exec.New(p)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Run(t.Context(), feedsOf(c.x))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			c.want = slices.Clone(tensor.Data[int64](got["y:0"]))
			if c.want[0] < int64(len(" 0 10 20")) {
				t.Errorf("%s: a box of %d bytes", c.name, c.want[0])
			}
		}
		for _, laid := range []bool{false, true} {
			p := planOf(t, c.text)
			if laid {
				p.Join()
				if _, err := p.Layout(0); err != nil {
					t.Fatal(err)
				}
			}
			x, err := exec.New(p)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got, err := x.Run(t.Context(), feedsOf(c.x))
				if err != nil {
					t.Errorf("%s, laid out %t: %v\n%s", c.name, laid, err, p)
					break
				}
				if d := tensor.Data[int64](got["y:0"]); !slices.Equal(d, c.want) {
					t.Errorf("%s, laid out %t: %v, want %v\n%s", c.name, laid, d, c.want, p)
				}
			}
		}
	}
}

// TestStale: if a buffer lives within one iteration, the next iteration does not read the value
// that this iteration left in it.
func TestStale(t *testing.T) {
	p := planOf(t, flowHead+`call "i" Zero k.Set(w %3[0:1], 0)
call "p" Less k.Less(w %4[0:1], r %3[0:1], 1)
loop "w" While
if "c" If r %4[0:1]
call "a" A k.Set(w %1[0:1], 5)
call "a" A k.Add(w %2[0:1], r %1[0:1], 0)
else
call "a" A k.Add(w %2[0:1], rw %1[0:1], 0)
end
copy "i" Next w %3[0:1], r %2[0:1]
call "p" Less k.Less(w %4[0:1], r %3[0:1], 5)
call "q" Less k.Less(w %13[0:1], r %3[0:1], 0)
break "w" LoopCond if r %13[0:1]
end
fetch "y:0" key "y" i64[] %3
buf %13 "q" arena bool len 1
`)
	x, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Run(t.Context(), feedsOf(0))
	if err != nil {
		t.Fatal(err)
	}
	if d := tensor.Data[int64](got["y:0"]); d[0] != -0x0404040404040405 {
		t.Errorf("the second iteration reads %#x", d)
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for name, steps := range map[string]string{
		"between iterations": "call \"p\" Less k.Less(w %4[0:1], r %0[0:1], 0)\nloop \"w\" While\nbreak \"w\" LoopCond if r %4[0:1]\nend\n",
		"in a kernel":        "call \"p\" Wait k.Wait(context)\n",
	} {
		x, err := exec.New(planOf(t, flowHead+steps))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Run(ctx, feedsOf(1)); tensor.CodeOf(err) != tensor.DeadlineExceeded {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestObjects: programs with the same state share objects; programs with different states do not.
func TestObjects(t *testing.T) {
	const text = flowHead + `buf %13 "counter" kept resource len 1
object %13 k.NewCounter(r %9[0:1], 2)
call "n" Next k.Next(w %1[0:1], r %13[0:1])
fetch "y:0" key "y" i64[] %1
`
	state := exec.State{}
	want := []int64{81, 82, 81, 83}
	var xs []*exec.Program
	for _, s := range []exec.State{state, state, {}} {
		x, err := exec.NewWith(s, planOf(t, text))
		if err != nil {
			t.Fatal(err)
		}
		xs = append(xs, x)
	}
	for i, x := range []*exec.Program{xs[0], xs[1], xs[2], xs[0]} {
		got, err := x.Run(t.Context(), feedsOf(0))
		if err != nil {
			t.Fatal(err)
		}
		if d := tensor.Data[int64](got["y:0"]); d[0] != want[i] {
			t.Errorf("run %d counts %d, want %d", i, d[0], want[i])
		}
	}
	_, err := exec.NewWith(state, planOf(t, strings.ReplaceAll(text, "[0:1], 2)\ncall", "[0:1], 3)\ncall")))
	if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "counter") {
		t.Errorf("an object that is made otherwise: %v", err)
	}
	_, err = exec.New(planOf(t, strings.ReplaceAll(text, "k.NewCounter(r %9[0:1], 2)", "k.NewNothing()")))
	if tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "counter") {
		t.Errorf("an object that cannot be made: %v", err)
	}
}
