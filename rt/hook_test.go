package rt

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// notes is a hook that records its calls.
type notes struct {
	mu    sync.Mutex
	begun []Info
	ends  []error
	steps map[int]int
	forks int
	grown int
	size  map[string]int
}

func (n *notes) Begin(_ context.Context, run *Info) Observer {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.begun = append(n.begun, *run)
	return &noter{n: n, run: run}
}

type noter struct {
	n    *notes
	run  *Info
	fork bool
}

func (o *noter) Step(i int) {
	o.n.mu.Lock()
	defer o.n.mu.Unlock()
	if o.n.steps == nil {
		o.n.steps = map[int]int{}
	}
	o.n.steps[i]++
}

func (o *noter) Grown(bytes, held int) {
	o.n.mu.Lock()
	defer o.n.mu.Unlock()
	o.n.grown += bytes
	if held < bytes {
		panic("a run has less than it has just got")
	}
}

func (o *noter) Fork() Observer {
	o.n.mu.Lock()
	defer o.n.mu.Unlock()
	o.n.forks++
	return &noter{n: o.n, run: o.run, fork: true}
}

func (o *noter) End(err error) {
	o.n.mu.Lock()
	defer o.n.mu.Unlock()
	if !o.fork {
		o.n.ends = append(o.n.ends, err)
		if v, ok := o.run.Size("B"); ok {
			o.n.size = map[string]int{"B": v}
		}
	}
}

// TestHooks: hooks of an instance and of a run get the same calls; runs without hooks make none.
func TestHooks(t *testing.T) {
	all, one, other := &notes{}, &notes{}, &notes{}
	p := newPool(t, WithHook(all), WithHook(nil))
	q := newPool(t)
	bad := errors.New("bad")
	ctx := WithRun(WithRun(context.Background(), Observe(one)), Observe(nil), Observe(other))
	for i, c := range []struct {
		ctx  context.Context
		p    *Pool[dims, found, input, vars, struct{}]
		fail error
	}{{ctx, p, nil}, {ctx, q, bad}, {context.Background(), p, nil}, {context.Background(), q, nil}, {WithRun(context.Background(), Observe(one)), p, nil}} {
		err := runIn(c.ctx, c.p, func(s *state) error {
			s.At(0)
			if i < 2 {
				s.GrowTo(0, 10, 8)
			}
			return c.fail
		})
		if (err != nil) != (c.fail != nil) {
			t.Errorf("run %d: %v", i, err)
		}
	}
	for name, c := range map[string]struct {
		n    *notes
		runs int
	}{"the instance's": {all, 3}, "the context's": {one, 3}, "the inner context's": {other, 2}} {
		if len(c.n.begun) != c.runs || len(c.n.ends) != c.runs || c.n.steps[0] != c.runs || c.n.steps[1] != c.runs || c.n.grown == 0 {
			t.Errorf("%s hook: %d runs, %d ends, steps %v, %d bytes", name, len(c.n.begun), len(c.n.ends), c.n.steps, c.n.grown)
		}
	}
	run := one.begun[0]
	if run.Device != cpu0 || len(run.Steps) != 3 || run.Arena == 0 || run.Held < run.Arena || one.size["B"] != 1 {
		t.Errorf("a run is %+v, B = %d", run, one.size["B"])
	}
	if !slices.ContainsFunc(one.ends, func(err error) bool {
		return tensor.CodeOf(err) == tensor.Unknown && err.Error() == `node "a" (Relu): Unknown: bad`
	}) {
		t.Errorf("the ends are %v", one.ends)
	}
}

// TestHookOfTasks: each task has its own observer, which ends with the task.
func TestHookOfTasks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	defer par.Assume()()
	n := &notes{}
	p := taskPool(t, WithThreads(4), WithHook(n))
	defer p.base.Close()
	const tasks = 60
	g, _ := randomGraph(rand.New(rand.NewPCG(1, 2)), tasks)
	for range 5 {
		if err := runGraph(p, context.Background(), g, nil); err != nil {
			t.Fatal(err)
		}
	}
	for k := range tasks {
		if n.steps[k] != 5 {
			t.Errorf("task %d is reported %d times", k, n.steps[k])
		}
	}
	if n.forks%tasks != 0 || len(n.ends) != 5 {
		t.Errorf("%d tasks have begun beside the run, %d runs have ended", n.forks, len(n.ends))
	}
}
