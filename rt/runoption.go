package rt

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// RunOption changes the behaviour of single runs; see WithRun.
type RunOption func(*runOptions)

// runOptions are the run options of a context.
type runOptions struct {
	timeout time.Duration
	timed   bool // timeout is set
	threads int  // 0 means not set
	pool    *ThreadPool
	hooks   hooks
	watch   WatchFunc
	err     error
}

type runKey struct{}

// asked is set when WithRun is called for the first time in the process. Before that, runs need not
// search their contexts for options.
var asked atomic.Bool

// WithRun returns a context whose runs have the given options in addition to those of ctx. If an
// option is invalid, each run under the context returns InvalidArgument.
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

// optionsOf returns the run options of ctx, or nil.
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

// Timeout ends the run with DeadlineExceeded if it takes longer than d; 0 means no limit. The
// option overrides WithTimeout. A run that has exceeded the time returns when its current kernel has
// ended.
func Timeout(d time.Duration) RunOption {
	return func(o *runOptions) {
		if d < 0 {
			o.fail("Timeout(%v): the time must not be negative", d)
		}
		o.timeout, o.timed = d, true
	}
}

// Threads bounds how many threads the run uses for loops, and how many of its partitions and tasks
// compute at once. With n = 1, the caller's goroutine does all the work of a run without partitions.
// Partitions have separate goroutines, but only one of them computes at a time.
func Threads(n int) RunOption {
	return func(o *runOptions) {
		if n < 1 {
			o.fail("Threads(%d): at least one is needed", n)
			n = 1
		}
		o.threads = n
	}
}

// OnPool makes the run use the threads of p instead of those of its instance.
func OnPool(p *ThreadPool) RunOption {
	return func(o *runOptions) {
		if p == nil {
			o.fail("OnPool: the pool is nil")
		}
		o.pool = p
	}
}

// Observe makes h observe the run, in addition to the hooks of the context and the instance.
func Observe(h Hook) RunOption {
	return func(o *runOptions) {
		if h != nil {
			o.hooks = append(o.hooks, h)
		}
	}
}
