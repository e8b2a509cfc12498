package rt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// counted represents the type in which emitted code keeps the sizes that steps compute. In the tests
// below, task k stores its result in At[k].
type counted struct{ At [200]int }

type (
	taskState = State[dims, counted, input, vars, struct{}]
	taskGraph = Graph[dims, counted, input, vars, struct{}]
	taskOf    = Task[dims, counted, input, vars, struct{}]
)

func taskPool(t testing.TB, opts ...Option) *Pool[dims, counted, input, vars, struct{}] {
	t.Helper()
	b, err := Open(nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	c := testCode()
	for len(c.Steps) < 200 {
		c.Steps = append(c.Steps, Step{Node: fmt.Sprintf("n%d", len(c.Steps)), Op: "Op"})
	}
	p := new(Pool[dims, counted, input, vars, struct{}])
	p.Init(b, c, nil)
	return p
}

// runGraph runs g once. If the function see is not nil, runGraph then calls it with the state of the
// run.
func runGraph(p *Pool[dims, counted, input, vars, struct{}], ctx context.Context, g *taskGraph, see func(s *taskState)) (err error) {
	s, err := p.Get(ctx, dims{1})
	if err != nil {
		return err
	}
	defer p.Put(s, &err)
	err = RunTasks(s, g)
	if see != nil {
		see(s)
	}
	return err
}

// busy computes for about a tenth of a millisecond.
func busy(x int) int {
	for range 50_000 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// randomGraph returns a graph of n tasks, and their expected results. Each task waits for some random
// earlier tasks. The result of task k is k + 1 plus the sum of the results of these earlier tasks.
func randomGraph(r *rand.Rand, n int) (*taskGraph, [200]int) {
	g := &taskGraph{Work: 1 << 40}
	var want [200]int
	for k := range n {
		var before []int
		for j := range k {
			if r.IntN(k) < 2 {
				before = append(before, j)
				g.Tasks[j].Next = append(g.Tasks[j].Next, k)
			}
		}
		g.Tasks = append(g.Tasks, taskOf{After: len(before), Run: func(s *taskState) error {
			s.At(k)
			sum := k + 1
			for _, j := range before {
				sum += s.Of.V.At[j]
			}
			if busy(k) == 0 {
				sum++
			}
			s.Of.V.At[k] = sum
			return nil
		}})
		want[k] = k + 1
		for _, j := range before {
			want[k] += want[j]
		}
	}
	if r.IntN(2) == 0 {
		g.Order = r.Perm(n)
	}
	return g, want
}

// TestTasks runs random graphs with various numbers of threads. Each task must see the results of the
// tasks for which it waits. At the end no goroutine of the runs may be left.
func TestTasks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.Assume()()
	before := runtime.NumGoroutine()
	for _, threads := range []int{1, 2, 4} {
		p := taskPool(t, WithThreads(threads))
		r := rand.New(rand.NewPCG(uint64(threads), 7))
		for range 30 {
			g, want := randomGraph(r, 1+r.IntN(100))
			for range 3 {
				var got [200]int
				if err := runGraph(p, context.Background(), g, func(s *taskState) { got = s.V.At }); err != nil {
					t.Fatal(err)
				}
				if got != want {
					t.Fatalf("%d threads: got %v, want %v", threads, got, want)
				}
			}
		}
		p.base.Close()
	}
	for i := 0; runtime.NumGoroutine() > before && i < 100; i++ {
		time.Sleep(10 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, were %d", n, before)
	}
}

// TestTasksAtOnce runs two tasks that can end only if they run at the same time.
func TestTasksAtOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer par.Assume()()
	p := taskPool(t, WithThreads(2))
	var here atomic.Int32
	meet := func(*taskState) error {
		here.Add(1)
		for end := time.Now().Add(10 * time.Second); here.Load() != 2; runtime.Gosched() {
			if time.Now().After(end) {
				return errors.New("alone")
			}
		}
		return nil
	}
	g := &taskGraph{Work: 1 << 40, Tasks: []taskOf{{Run: meet}, {Run: meet}}}
	for range 20 {
		here.Store(0)
		if err := runGraph(p, context.Background(), g, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond) // helpers sleep
	}
}

// TestTasksFail: a run returns the error of the failed task with the least index. A panic of a task is
// such an error, too. A task that waits for a failed one does not begin.
func TestTasksFail(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.Assume()()
	p := taskPool(t, WithThreads(4))
	for _, c := range []struct {
		run  func(k int) error
		want string
	}{
		{func(k int) error {
			if k == 7 || k == 9 || k == 30 {
				return tensor.Errorf(tensor.OutOfRange, "task %d", k)
			}
			return nil
		}, `node "n7" (Op): OutOfRange: task 7`},
		{func(k int) error {
			if k == 5 {
				panic("so bad")
			}
			return nil
		}, `node "n5" (Op): Internal: panic: so bad`},
		{func(k int) error {
			if k == 11 {
				_ = make([]int, k)[k]
			}
			return nil
		}, `node "n11" (Op): Internal: panic: runtime error: index out of range`},
	} {
		var late atomic.Int32
		g := &taskGraph{Work: 1 << 40}
		for k := range 40 {
			g.Tasks = append(g.Tasks, taskOf{Run: func(s *taskState) error {
				s.At(k)
				_ = busy(k)
				return c.run(k)
			}})
		}
		for k := range g.Tasks {
			g.Tasks[k].Next = []int{40}
		}
		g.Tasks = append(g.Tasks, taskOf{After: 40, Run: func(*taskState) error { late.Add(1); return nil }})
		for range 20 {
			err := runGraph(p, context.Background(), g, nil)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		}
		if late.Load() > 0 {
			t.Errorf("%s: what waits for it runs", c.want)
		}
	}
}

// TestTasksCancel cancels a run in one of its tasks. After that, no further task of the run may begin.
func TestTasksCancel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.Assume()()
	for _, threads := range []int{1, 4} {
		p := taskPool(t, WithThreads(threads))
		for at := range 8 {
			ctx, cancel := context.WithCancel(context.Background())
			var begun atomic.Int32
			g := &taskGraph{Work: 1 << 40}
			for k := range 50 {
				g.Tasks = append(g.Tasks, taskOf{Run: func(*taskState) error {
					begun.Add(1)
					if k == at {
						cancel()
					}
					for k > at && ctx.Err() == nil {
						runtime.Gosched()
					}
					return nil
				}})
			}
			if err := runGraph(p, ctx, g, nil); err != context.Canceled {
				t.Errorf("%v", err)
			}
			if n := int(begun.Load()); n > at+threads {
				t.Errorf("%d of 50 tasks are begun, task %d cancels", n, at)
			}
			cancel()
		}
	}
}

// TestTasksDivide: the loop over items of a task is divided among idle participants. A panic in one of
// the chunks becomes the error of the task.
func TestTasksDivide(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.Assume()()
	p := taskPool(t, WithThreads(4))
	var sum, others atomic.Int64
	body := func(s *taskState, row []int, lo, n int, m []byte) {
		for i := lo; i < lo+n; i++ {
			if row[0] > 0 && i == row[0] {
				panic("item")
			}
			_ = busy(i)
			sum.Add(int64(i))
		}
		others.Add(1)
	}
	for _, bad := range []int{0, 77} {
		row := []int{bad}
		g := &taskGraph{Work: 1 << 40, Tasks: []taskOf{
			{Run: func(s *taskState) error { s.At(3); s.Par(body, row, 200, Split{Work: 50_000_000}); return nil }, Next: []int{2}},
			{Run: func(s *taskState) error { _ = busy(1); return nil }, Next: []int{2}},
			{Run: func(s *taskState) error { s.Par(body, []int{0}, 100, Split{Work: 50_000_000, Most: 7}); return nil }, After: 2},
		}}
		for range 5 {
			sum.Store(0)
			others.Store(0)
			err := runGraph(p, context.Background(), g, nil)
			if bad > 0 {
				if want := `node "n3" (Op): Internal: panic: item`; err == nil || err.Error() != want {
					t.Errorf("%v, want %s", err, want)
				}
				continue
			}
			if err != nil || sum.Load() != 199*100+99*50 {
				t.Errorf("%v, the sum of all items is %d", err, sum.Load())
			}
			if others.Load() < 16 {
				t.Errorf("%d chunks", others.Load())
			}
		}
	}
}

// TestTasksAllocate: a run allocates no memory if the graph has been run before.
func TestTasksAllocate(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	defer par.Assume()()
	for _, threads := range []int{1, 2} {
		p := taskPool(t, WithThreads(threads))
		g, _ := randomGraph(rand.New(rand.NewPCG(1, 1)), 20)
		run := func() {
			if err := runGraph(p, context.Background(), g, nil); err != nil {
				t.Fatal(err)
			}
		}
		run()
		run()
		if n := testing.AllocsPerRun(20, run); n > 0 {
			t.Errorf("%d threads: %v allocations a run", threads, n)
		}
	}
}

// BenchmarkTasks measures a graph of 64 independent tasks that do nothing.
func BenchmarkTasks(b *testing.B) {
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			p := taskPool(b, WithThreads(threads))
			g := &taskGraph{Work: 1 << 40}
			for range 64 {
				g.Tasks = append(g.Tasks, taskOf{Run: func(*taskState) error { return nil }})
			}
			for b.Loop() {
				if err := runGraph(p, context.Background(), g, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/task")
		})
	}
}
