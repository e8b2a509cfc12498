// Package rendezvous joins the partitions of one run.
//
// An Exchange is the compiled form: what one partition sends and another
// receives has a slot, numbered at compile time. Local is TensorFlow's: values
// have keys that only a run knows. In both, a send never blocks, a receive waits,
// messages of one slot or key come in the order they were sent, and an abort ends
// everything that waits, and all later calls, with the first error.
package rendezvous

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Exchange joins the partitions of one run. It is made once and serves run after
// run, one at a time; memory of messages stays for the next run.
//
// A slot is a queue of which one partition sends and one receives. A partition
// is in one call at a time: its steps that send and receive are a sequence.
//
// The state of every run has a field of this type, so the linker keeps each method that
// has the name and type of a method of some interface in use. Hence no method is
// called Err or Reset, and the context is behind an interface.
type Exchange struct {
	slots []slot

	err   atomic.Pointer[failure] // the first error of the run, nil while there is none
	spin  bool                    // waiting is worth a while of looking
	ctx   context.Context         // of the run, nil for none
	done  <-chan struct{}
	over  chan struct{}   // closed by an abort; nil while nobody can see it
	run   context.Context // what Begin returns
	quit  chan struct{}   // ends the watcher of ctx
	watch func()
	spied bool // the watcher is under way

	// What Group.Run counts.
	parts    int
	limited  bool          // fewer places than parts
	places   chan struct{} // what computes, has one element in it
	queued   atomic.Int32  // parts that wait for a place
	busy     atomic.Int64  // parts that compute, and messages under way in a device
	ready    atomic.Int32  // parts that could go on and are not scheduled yet
	finished atomic.Int32  // parts that are over
	left     sync.WaitGroup
}

// failure is why a run ends early.
type failure struct{ err error }

// unwatched is a number of busy parts that never comes to nothing: where no
// Group runs the parts nobody can say that all of them wait.
const unwatched = 1 << 40

// NewExchange makes an Exchange of so many slots for so many partitions.
func NewExchange(slots, parts int) *Exchange {
	x := &Exchange{slots: make([]slot, slots), parts: parts}
	rings := make([]ring, slots)
	first := make([]message, slots)
	for i := range x.slots {
		rings[i].msgs = first[i : i+1 : i+1]
		x.slots[i].init(&rings[i])
	}
	x.run = &runContext{x}
	x.watch = x.spy
	x.spin = runtime.GOMAXPROCS(0) > 1
	x.busy.Store(unwatched)
	return x
}

// Slots is the number of slots.
func (x *Exchange) Slots() int { return len(x.slots) }

// Renew ends a run and readies x for the next: messages that nobody received and
// the error are dropped. No partition may be under way.
func (x *Exchange) Renew() {
	x.unwatch()
	for i := range x.slots {
		x.slots[i].reset()
	}
	x.clear()
	x.ctx, x.done = nil, nil
}

// unwatch ends the watching of the run's context.
func (x *Exchange) unwatch() {
	if x.spied {
		x.quit <- struct{}{}
		x.spied = false
		if err := x.ctx.Err(); err != nil { // which the watcher may not have seen
			x.Abort(err)
		}
	}
}

// clear forgets the error of the run before.
func (x *Exchange) clear() {
	if x.err.Load() != nil {
		x.err.Store(nil)
		x.over = nil
	}
}

// Begin begins a run that ends when ctx does, and returns a context that is done
// as soon as the run is aborted or ctx is: what steps wait with that wait for
// something else than a message. Renew, or the Run of a Group that is given the
// returned context, ends the run; the context is of no use afterwards.
func (x *Exchange) Begin(ctx context.Context) context.Context {
	x.clear()
	x.ctx, x.done = ctx, ctx.Done()
	if x.over == nil {
		x.over = make(chan struct{})
	}
	if x.done != nil {
		if x.quit == nil {
			x.quit = make(chan struct{})
		}
		x.spied = true
		go x.watch()
	}
	return x.run
}

// spy aborts the run when its context ends.
func (x *Exchange) spy() {
	select {
	case <-x.done:
		x.Abort(x.ctx.Err())
		<-x.quit
	case <-x.quit:
	}
}

// Aborted is the error the run was aborted with, nil for none.
func (x *Exchange) Aborted() error {
	if f := x.err.Load(); f != nil {
		return f.err
	}
	return nil
}

// Abort ends the run: all receives that wait, and all calls after it, return err.
// Only the first error counts. Any goroutine may call it, while a run is under way.
func (x *Exchange) Abort(err error) {
	if err == nil {
		err = tensor.Errorf(tensor.Internal, "a run is aborted without an error")
	}
	if !x.err.CompareAndSwap(nil, &failure{err}) {
		return
	}
	if x.over != nil {
		close(x.over)
	}
	for i := range x.slots {
		x.slots[i].rouse(x)
	}
}

// at returns a slot, or why nothing can be sent or received there.
func (x *Exchange) at(slot int) (*slot, error) {
	if uint(slot) >= uint(len(x.slots)) {
		return nil, tensor.Errorf(tensor.Internal, "slot %d of %d", slot, len(x.slots))
	}
	if f := x.err.Load(); f != nil {
		return nil, f.err
	}
	return &x.slots[slot], nil
}

// runContext is the context of the run under way.
type runContext struct{ x *Exchange }

// Deadline implements context.Context.
func (c *runContext) Deadline() (time.Time, bool) { return c.x.ctx.Deadline() }

// Done implements context.Context.
func (c *runContext) Done() <-chan struct{} { return c.x.over }

// Err implements context.Context.
func (c *runContext) Err() error {
	if err := c.x.ctx.Err(); err != nil {
		return err
	}
	if c.x.err.Load() != nil {
		return context.Canceled
	}
	return nil
}

// Value implements context.Context.
func (c *runContext) Value(key any) any { return c.x.ctx.Value(key) }
