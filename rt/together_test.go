package rt

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/par"
)

// atWork counts the threads that do something at the same time.
type atWork struct {
	now, most atomic.Int32
	limit     int32
	over      atomic.Int32 // how often there were more than limit
}

func (a *atWork) begin() {
	n := a.now.Add(1)
	if n > a.limit {
		a.over.Add(1)
	}
	for m := a.most.Load(); n > m && !a.most.CompareAndSwap(m, n); m = a.most.Load() {
	}
}

func (a *atWork) end() { a.now.Add(-1) }

// TestCallersTogether: 64 goroutines run one instance, or three, at the same time. In an instance, at
// most as many runs as there are processors are in progress. All runs of the process together have
// fewer helpers than there are processors, also if each instance has its own helpers. A run keeps its
// helpers when other runs begin beside it, so goroutines may be more than processors for a short
// time; the Go run time executes only GOMAXPROCS of them at once.
func TestCallersTogether(t *testing.T) {
	const processors, callers, runs = 4, 64, 6
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	defer par.Assume()()
	for name, instances := range map[string]int{"one instance": 1, "three instances": 3} {
		inRun := atWork{limit: int32(processors * instances)}
		helping := atWork{limit: processors - 1}
		all := atWork{limit: inRun.limit + helping.limit}
		var chunks atomic.Int32
		// A helper has its own scratch memory, as the caller has. The caller's is that of the state.
		chunk := func(s *state, _ []int, _, _ int, m []byte) {
			chunks.Add(1)
			all.begin()
			defer all.end()
			if &m[0] != &s.own[0][0] {
				helping.begin()
				defer helping.end()
			}
			time.Sleep(50 * time.Microsecond)
		}
		pools := make([]*Pool[dims, found, input, vars, struct{}], instances)
		for i := range pools {
			var opts []Option
			if instances > 1 {
				opts = append(opts, WithThreads(processors)) // with separate helpers
			}
			b, err := Open(nil, opts...)
			if err != nil {
				t.Fatal(err)
			}
			pools[i] = new(Pool[dims, found, input, vars, struct{}])
			pools[i].Init(b, &Code[dims]{Steps: []Step{{Node: "a", Op: "Relu"}, {Node: "b", Op: "Relu"}}, Own: 64}, nil)
		}
		work := func(p *Pool[dims, found, input, vars, struct{}]) error {
			return runIn(context.Background(), p, func(s *state) error {
				inRun.begin()
				defer inRun.end()
				for range 3 {
					s.Par(chunk, nil, 16, Split{Work: worthWaking})
				}
				return nil
			})
		}
		var group sync.WaitGroup
		errs := make(chan error, callers)
		for i := range callers {
			group.Go(func() {
				for range runs {
					if err := work(pools[i%instances]); err != nil {
						errs <- err
						return
					}
				}
			})
		}
		group.Wait()
		close(errs)
		for err := range errs {
			t.Fatal(err)
		}
		if n := inRun.over.Load(); n > 0 {
			t.Errorf("%s: %d runs are in progress at once, want %d at most", name, inRun.most.Load(), inRun.limit)
		}
		// A helper that is delayed when its run ends may still take a chunk of the next run, even if that
		// run has enough helpers.
		for what, a := range map[string]*atWork{"helpers": &helping, "threads": &all} {
			if n := a.over.Load(); n > chunks.Load()/50 {
				t.Errorf("%s: up to %d %s work at once, want %d at most; in %d of %d chunks there are more", name, a.most.Load(), what, a.limit, n, chunks.Load())
			}
		}
		// With a single caller, the threads at work are at most the processors, and helpers take part.
		all.most.Store(0)
		for range 10 {
			if err := work(pools[0]); err != nil {
				t.Fatal(err)
			}
		}
		if n := int(all.most.Load()); n > processors || n < 2 {
			t.Errorf("%s: %d threads work for a single caller, want from 2 to %d", name, n, processors)
		}
		for _, p := range pools {
			p.base.Close()
		}
	}
}
