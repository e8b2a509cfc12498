package rt

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// RunOption changes how one run goes; see WithRun.
type RunOption func(*runOptions)

// runOptions are what a context says of the runs under it.
type runOptions struct {
	timeout time.Duration
	timed   bool // timeout is given
	threads int  // 0: not given
	pool    *ThreadPool
	hooks   hooks
	watch   WatchFunc
	err     error
}

type runKey struct{}

// asked says that some context of the process has options for runs; without one, none
// is searched for them.
var asked atomic.Bool

// WithRun returns a context whose runs have the options, and otherwise those of ctx.
// An option that cannot be is the error of each run.
func WithRun(ctx context.Context, opts ...RunOption) context.Context {
	o := runOptions{}
	if p := optionsOf(ctx); p != nil {
		o = *p
		o.hooks = o.hooks[:len(o.hooks):len(o.hooks)]
	}
	for _, f := range opts {
		f(&o)
	}
	asked.Store(true)
	return context.WithValue(ctx, runKey{}, &o)
}

// optionsOf returns the options that ctx has for runs, nil for none.
func optionsOf(ctx context.Context) *runOptions {
	if !asked.Load() {
		return nil
	}
	o, _ := ctx.Value(runKey{}).(*runOptions)
	return o
}

func (o *runOptions) fail(format string, args ...any) {
	if o.err == nil {
		o.err = tensor.Errorf(tensor.InvalidArgument, format, args...)
	}
}

// Timeout ends the run with DeadlineExceeded when it takes longer, in place of
// WithTimeout; 0 lets it take any time. The run returns when its kernel has ended.
func Timeout(d time.Duration) RunOption {
	return func(o *runOptions) {
		if d < 0 {
			o.fail("Timeout(%v): the time must not be negative", d)
		}
		o.timeout, o.timed = d, true
	}
}

// Threads bounds how many threads the run uses for loops, and how many of its partitions and
// tasks compute at once. With 1 all of it is done by the caller's goroutine, or
// by one goroutine at a time where partitions must wait for each other.
func Threads(n int) RunOption {
	return func(o *runOptions) {
		if n < 1 {
			o.fail("Threads(%d): at least one is needed", n)
			n = 1
		}
		o.threads = n
	}
}

// OnPool has the run use the threads of p in place of its instance's.
func OnPool(p *ThreadPool) RunOption {
	return func(o *runOptions) {
		if p == nil {
			o.fail("OnPool: the pool is nil")
		}
		o.pool = p
	}
}

// Observe tells h of the run, beside the hooks that the context and the instance have.
func Observe(h Hook) RunOption {
	return func(o *runOptions) {
		if h != nil {
			o.hooks = append(o.hooks, h)
		}
	}
}
