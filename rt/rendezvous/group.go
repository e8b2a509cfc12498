package rendezvous

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// Group runs the partitions of a program side by side. It is made once, with its Exchange, and
// runs one run at a time. A run allocates no memory.
type Group struct {
	x     *Exchange
	parts []part
}

// part is a partition of a group.
type part struct {
	x     *Exchange
	i     int
	f     func() error
	start func() // the method value run, which Group.Run starts on a separate goroutine
}

// PartError is the error of one partition of a run.
type PartError struct {
	Part int // the partition's number in the Group
	Err  error
}

// Error implements error with the text of the partition's error.
func (e *PartError) Error() string { return e.Err.Error() }

// Unwrap returns the partition's error.
func (e *PartError) Unwrap() error { return e.Err }

// NewGroup returns a group of partitions that communicate through x. The slice run holds a function
// for each partition. The functions may be called concurrently.
func NewGroup(x *Exchange, run []func() error) *Group {
	g := &Group{x: x, parts: make([]part, len(run))}
	for i, f := range run {
		p := &g.parts[i]
		p.x, p.i, p.f = x, i, f
		p.start = p.run
	}
	x.parts = len(run)
	x.places = make(chan struct{}, len(run))
	return g
}

// Exchange returns the Exchange of the partitions.
func (g *Group) Exchange() *Exchange { return g.x }

// Run runs all partitions, the first on the caller's goroutine, and returns when all have ended.
// The parameter threads bounds how many of them compute at the same time; 0 or less means no bound.
// While a partition waits in a receive, another one may compute instead.
//
// The first error aborts the run, and Run returns it: a *PartError with the number of the
// partition, or ctx's error unchanged. The other partitions end as soon as they send, receive or
// check ctx. A run in which all partitions wait ends with Internal. Afterwards the Exchange is
// ready for the next run.
//
// ctx is the caller's context, or, if steps wait for something other than messages, the context
// that Exchange.Begin returned for the caller's context.
func (g *Group) Run(ctx context.Context, threads int) error {
	x := g.x
	if err := ctx.Err(); err != nil {
		if e := x.Aborted(); e != nil && ctx == x.run {
			err = e
		}
		x.Renew()
		return err
	}
	if ctx != x.run && !x.spied {
		x.clear()
		x.ctx, x.done = ctx, ctx.Done()
	}
	n := len(g.parts)
	if n == 0 {
		x.Renew()
		return nil
	}
	x.start(n, threads)
	// Part 1 is started last: when this goroutine waits, Go's scheduler first runs the goroutine
	// that was started last.
	x.left.Add(n - 1)
	for i := 2; i < n; i++ {
		go g.parts[i].start()
	}
	if n > 1 {
		go g.parts[1].start()
	}
	g.parts[0].do()
	x.join(n)
	err := x.Aborted()
	x.end()
	return err
}

// join waits until n parts have ended.
func (x *Exchange) join(n int) {
	for i := 0; x.spin && i < longest && int(x.finished.Load()) < n; i++ {
		if i&15 == 0 && x.ready.Load() > 0 {
			x.yield()
		} else {
			par.Relax()
		}
	}
	x.left.Wait()
}

// start prepares x for n parts.
func (x *Exchange) start(n, threads int) {
	procs := runtime.GOMAXPROCS(0)
	if x.limited = threads > 0 && threads < n; x.limited {
		procs = min(procs, threads)
		for range n - threads {
			x.places <- struct{}{}
		}
	}
	x.spin = procs > 1
	x.finished.Store(0)
	x.busy.Store(int64(n))
	x.ready.Store(int32(n - 1))
}

// end ends a run of a group.
func (x *Exchange) end() {
	x.rest()
	x.Renew()
}

// rest is called when a call of Group.Run or Group.Step ends. It resets the field busy, which counts
// the computing parts, and empties the semaphore that limits their number.
func (x *Exchange) rest() {
	x.busy.Store(unwatched)
	if x.limited {
		x.limited = false
		for len(x.places) > 0 {
			<-x.places
		}
	}
}

// run runs a part on a separate goroutine.
func (p *part) run() {
	defer p.x.left.Done()
	p.x.ready.Add(-1)
	p.do()
}

// do calls the part's function, unless the run was aborted before.
func (p *part) do() {
	p.x.Return()
	defer p.x.depart()
	if p.x.err.Load() == nil {
		p.call()
	}
}

// depart is called when a part has ended. The part then no longer counts as computing.
func (x *Exchange) depart() {
	x.Leave()
	x.finished.Add(1)
	if x.busy.Add(-1) == 0 {
		x.stuck()
	}
}

// call calls the part's function. If the function returns an error or panics, call aborts the run
// with this error. A panic with a value other than a *tensor.Error becomes an error of code
// Internal.
func (p *part) call() {
	ended := false
	defer func() {
		if ended {
			return
		}
		switch r := recover().(type) {
		case nil: // runtime.Goexit
			p.fail(tensor.Errorf(tensor.Internal, "a partition ended its goroutine"))
		case *tensor.Error:
			p.fail(r)
		case runtime.Error:
			p.fail(tensor.Errorf(tensor.Internal, "panic: %v\n%s", r, debug.Stack()))
		default:
			p.fail(tensor.Errorf(tensor.Internal, "panic: %s", fmt.Sprint(r)))
		}
	}()
	err := p.f()
	ended = true
	if err != nil {
		p.fail(err)
	}
}

func (p *part) fail(err error) {
	if p.x.err.Load() != nil {
		return
	}
	if err != context.Canceled && err != context.DeadlineExceeded {
		err = &PartError{p.i, err}
	}
	p.x.Abort(err)
}
