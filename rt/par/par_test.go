package par

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// marks counts how often each item is run.
type marks struct {
	n     []int32
	crew  []atomic.Int64
	size  int
	wrap  int
	after time.Duration
	fail  int
}

func (m *marks) Chunk(w, lo, n int) {
	m.crew[w].Add(1)
	if n > m.size || n < 1 || m.wrap > 0 && lo/m.wrap != (lo+n-1)/m.wrap {
		panic("a chunk of the wrong size")
	}
	for i := lo; i < lo+n; i++ {
		m.n[i]++
		if i == m.fail {
			panic("as told")
		}
	}
	for until := time.Now().Add(m.after); m.after > 0 && time.Now().Before(until); {
	}
}

// TestRun runs every item once, with teams smaller and larger than the machine.
func TestRun(t *testing.T) {
	for _, size := range []int{1, 2, 3, 8, 33} {
		team := New(size)
		r := rand.New(rand.NewPCG(1, uint64(size)))
		for range 300 {
			m := &marks{n: make([]int32, r.IntN(500)), size: 1 + r.IntN(20), crew: make([]atomic.Int64, size), fail: -1}
			if r.IntN(2) == 0 {
				m.wrap = 1 + r.IntN(60)
			}
			if !team.Take(true) && size > 1 {
				t.Fatal("the team is taken")
			}
			team.Run(m, len(m.n), m.size, m.wrap)
			if size > 1 {
				team.Give()
			}
			for i, n := range m.n {
				if n != 1 {
					t.Fatalf("team of %d, %d items in chunks of %d, wrap %d: item %d is done %d times", size, len(m.n), m.size, m.wrap, i, n)
				}
			}
		}
		team.Close()
	}
}

// TestShares: helpers take part, and the caller does not wait for helpers that do not take part.
func TestShares(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		runtime.GOMAXPROCS(2)
		defer runtime.GOMAXPROCS(1)
	}
	team := New(2)
	defer team.Close()
	helped := false
	for range 100 {
		m := &marks{n: make([]int32, 200), size: 1, crew: make([]atomic.Int64, 2), fail: -1, after: 20 * time.Microsecond}
		team.Take(true)
		team.Run(m, len(m.n), 1, 0)
		team.Give()
		helped = helped || m.crew[1].Load() > 0
	}
	if !helped {
		t.Error("the helper did nothing in all of a hundred tasks")
	}
	alone := New(4)
	alone.begun.Store(true) // makes Take believe that helpers run, although none do
	m := &marks{n: make([]int32, 50), size: 3, crew: make([]atomic.Int64, 4), fail: -1}
	alone.Run(m, len(m.n), 3, 0)
	if m.crew[0].Load() != int64(Chunks(50, 3, 0)) {
		t.Errorf("the caller did %d chunks of %d", m.crew[0].Load(), Chunks(50, 3, 0))
	}
}

func TestPanic(t *testing.T) {
	team := New(3)
	defer team.Close()
	for range 50 {
		m := &marks{n: make([]int32, 60), size: 2, crew: make([]atomic.Int64, 3), fail: 31}
		team.Take(true)
		func() {
			defer func() {
				if r := recover(); r != "as told" {
					t.Errorf("Run raises %v", r)
				}
			}()
			team.Run(m, len(m.n), 2, 0)
		}()
		team.Give()
		done := 0
		for _, n := range m.n {
			done += int(n)
		}
		if done < 59 {
			t.Fatalf("%d items are done", done)
		}
	}
}

func TestTake(t *testing.T) {
	team := New(2)
	defer team.Close()
	if !team.Take(false) || team.Take(true) {
		t.Error("two runs have the team")
	}
	team.Give()
	if !team.Take(true) {
		t.Error("the team was not given back")
	}
	team.Give()
	if New(1).Take(true) {
		t.Error("a team of one helps")
	}
}

func TestBounds(t *testing.T) {
	for _, c := range [][4]int{{math.MaxInt, math.MaxInt, 0, 1}, {math.MaxInt, math.MaxInt / 2, 0, 3}, {math.MaxInt, math.MaxInt - 1, math.MaxInt - 2, 2}, {math.MaxInt, 1 << 30, 1 << 30, math.MaxInt>>30 + 1}} {
		total, size, wrap, want := c[0], c[1], c[2], c[3]
		n := Chunks(total, size, wrap)
		if lo, k := Bounds(n-1, total, size, wrap); n != want || lo+k != total || k < 1 {
			t.Errorf("%d items by %d, wrap %d: %d chunks, %d are wanted; the last is %d+%d", total, size, wrap, n, want, lo, k)
		}
	}
	for total := 0; total < 40; total++ {
		for size := 1; size < 12; size++ {
			for wrap := 0; wrap < 30; wrap++ {
				at := 0
				for i := range Chunks(total, size, wrap) {
					lo, n := Bounds(i, total, size, wrap)
					if lo != at || n < 1 || n > size || wrap > 0 && lo/wrap != (lo+n-1)/wrap {
						t.Fatalf("chunk %d of %d items by %d, wrap %d: %d+%d", i, total, size, wrap, lo, n)
					}
					at += n
				}
				if at != total {
					t.Fatalf("%d of %d items by %d, wrap %d", at, total, size, wrap)
				}
			}
		}
	}
}

type nothing struct{}

func (nothing) Chunk(w, lo, n int) {}

// TestRests: helpers that have lost their processor while spinning are not woken for a while, and
// are woken after that. Each such pause is longer than the one before.
func TestRests(t *testing.T) {
	team := New(2)
	team.asleep.Store(1) // a helper sleeps
	woken := func() bool {
		team.rouse()
		select {
		case <-team.wake:
			return true
		default:
			return false
		}
	}
	if !woken() {
		t.Fatal("no helper is woken")
	}
	for range 3 {
		team.crowded()
	}
	if woken() {
		t.Error("a helper is woken at once although the machine is crowded")
	}
	if rest := time.Duration(team.rest.Load()); rest != 4*leastRest {
		t.Errorf("helpers rest for %v the third time, want %v", rest, 4*leastRest)
	}
	for range 20 {
		team.crowded()
	}
	if rest := time.Duration(team.rest.Load()); rest != mostRest {
		t.Errorf("helpers rest for up to %v, want %v", rest, mostRest)
	}
	team.resting.Store(1)
	if !woken() {
		t.Error("no helper is woken when the time is over")
	}
}

// meeting is a task whose n chunks wait for each other.
type meeting struct {
	n    int32
	here atomic.Int32
	late atomic.Bool
}

func (m *meeting) Chunk(w, lo, n int) {
	m.here.Add(1)
	for end := time.Now().Add(20 * time.Second); m.here.Load() < m.n; runtime.Gosched() {
		if time.Now().After(end) {
			m.late.Store(true)
			return
		}
	}
}

// TestRestEnds: if a task begins while helpers rest, all helpers take part after the rest, although
// the task's caller wakes none of the helpers.
func TestRestEnds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	team := New(3)
	defer team.Close()
	team.Take(true)
	team.Run(nothing{}, 10, 1, 0)
	team.Give()
	for team.asleep.Load() != 2 {
		time.Sleep(time.Millisecond)
	}
	team.rest.Store(int64(mostRest))
	team.crowded()
	go team.rested() // a helper that has lost its processor calls rested
	team.Take(true)
	m := &meeting{n: 3}
	team.Run(m, 3, 1, 0)
	team.Give()
	if m.late.Load() {
		t.Error("a chunk waited for the others in vain")
	}
}

// TestProcessors: a team uses at most as many threads as the machine has processors, and as the
// process's quota allows.
func TestProcessors(t *testing.T) {
	all := runtime.GOMAXPROCS(runtime.NumCPU() + 3)
	defer runtime.GOMAXPROCS(all)
	most := min(runtime.NumCPU(), allowed())
	if n := Processors(); n != most {
		t.Errorf("%d threads are used on %d processors with a quota of %d", n, runtime.NumCPU(), allowed())
	}
	n := Claim(runtime.NumCPU() + 3)
	defer Release(n)
	if n > most {
		t.Errorf("a run claims %d threads on %d processors with a quota of %d", n, runtime.NumCPU(), allowed())
	}
}

func BenchmarkForkJoin(b *testing.B) {
	team := New(2)
	defer team.Close()
	team.Take(true)
	var task Task = nothing{}
	for b.Loop() {
		team.Run(task, 2, 1, 0)
	}
}

// TestLimit: no more participants of a large team take part than the run allows, and all items are
// run. In the next run, the whole team may take part again.
func TestLimit(t *testing.T) {
	const size = 5
	team := New(size)
	defer team.Close()
	over := 0 // runs with more participants than allowed; a few occur if helpers are delayed before a claim
	for i := range 200 {
		limit := 1 + i%size
		team.Take(true)
		team.Limit(limit)
		if team.Active() != limit {
			t.Fatalf("%d may take part, want %d", team.Active(), limit)
		}
		m := &marks{n: make([]int32, 100), size: 1, crew: make([]atomic.Int64, size), fail: -1, after: time.Microsecond}
		for range 3 {
			team.Run(m, len(m.n), 1, 0)
		}
		team.Give()
		in := 0
		for w := range m.crew {
			if m.crew[w].Load() > 0 {
				in++
			}
		}
		if in > limit {
			over++
		}
		for k, n := range m.n {
			if n != 3 {
				t.Fatalf("item %d is done %d times", k, n)
			}
		}
	}
	if over > 4 {
		t.Errorf("in %d of 200 runs more take part than may", over)
	}
}

// TestClaim: all runs together claim at most as many threads as there are processors. Beyond that,
// a run gets only its own thread.
func TestClaim(t *testing.T) {
	all := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(all)
	defer Assume()()
	a := Claim(3)
	b := Claim(8)
	c := Claim(8)
	if a != 3 || b != 1 || c != 1 {
		t.Errorf("got %d, %d and %d of 4, want 3, 1 and 1", a, b, c)
	}
	Release(a)
	if d := Claim(8); d != 2 {
		t.Errorf("got %d while two are busy of 4, want 2", d)
	} else {
		Release(d)
	}
	Release(b)
	Release(c)
	if busy.Load() != 0 {
		t.Errorf("%d are still claimed", busy.Load())
	}
}
