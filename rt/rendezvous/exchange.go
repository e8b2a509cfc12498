// Package rendezvous passes messages between the partitions of one run.
//
// For a send and a receive that are matched at compile time, an Exchange has a slot with a fixed
// number. Local matches sends and receives as TensorFlow does, by keys that are known only at run
// time. In both, a send never blocks, a receive waits, and messages of a slot or key arrive in the
// order they were sent. An abort ends all waiting receives, and all later calls, with the error of
// the first abort.
package rendezvous

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Exchange passes messages between the partitions of one run. It is created once and used for one
// run after another. Memory of messages is kept for the next run.
//
// A slot is a queue with one sending and one receiving partition. A partition is in one call at a
// time, because its sends and receives are a sequence.
//
// If a program uses an interface, Go's linker keeps all methods that have the name and type of one of
// the interface's methods, even methods that nothing calls. In programs with partitions, the state of
// a run refers to an Exchange. Methods called Err or Reset, which common interfaces have, would
// therefore always be kept. To avoid this, no method of Exchange has one of these names, and a separate
// type, runContext, implements context.Context.
type Exchange struct {
	slots []slot

	err atomic.Pointer[failure] // the first error of the run, or nil
	// whether receives spin for a while before they park
	spin bool
	ctx  context.Context // the context of the run; may be nil
	done <-chan struct{}
	// a channel that an abort closes; nil while no goroutine uses it
	over chan struct{}
	// the context that Begin returns
	run context.Context
	// a channel that ends the goroutine that watches ctx
	quit  chan struct{}
	watch func()
	spied bool // whether the goroutine that watches ctx is running

	// Counters of Group.Run.
	parts int
	// whether fewer parts may compute at the same time than there are parts
	limited bool
	// if limited is set, a semaphore: each part holds an element while it computes
	places chan struct{}
	// the number of parts that wait for the semaphore
	queued atomic.Int32
	// the number of computing parts, plus the number of messages that a device is filling
	busy atomic.Int64
	// the number of parts that could go on but are not scheduled yet
	ready    atomic.Int32
	finished atomic.Int32 // the number of parts that have ended
	left     sync.WaitGroup
}

// failure is the reason why a run ends early.
type failure struct{ err error }

// unwatched is the value of the field busy outside of Group.Run. If busy drops to zero, all parts
// wait for each other. Outside of Group.Run, the Exchange does not know which parts compute, so busy
// must not drop to zero. Therefore unwatched is very large.
const unwatched = 1 << 40

// NewExchange returns an Exchange with the given numbers of slots and partitions.
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

// Slots returns the number of slots.
func (x *Exchange) Slots() int { return len(x.slots) }

// Renew ends a run and prepares x for the next: it drops the error and messages that were not
// received. No partition may be running.
func (x *Exchange) Renew() {
	x.unwatch()
	for i := range x.slots {
		x.slots[i].reset()
	}
	x.clear()
	x.ctx, x.done = nil, nil
}

// unwatch stops watching the run's context.
func (x *Exchange) unwatch() {
	if x.spied {
		x.quit <- struct{}{}
		x.spied = false
		if err := x.ctx.Err(); err != nil { // the watcher may not have noticed the end of ctx
			x.Abort(err)
		}
	}
}

// clear resets the error of the previous run.
func (x *Exchange) clear() {
	if x.err.Load() != nil {
		x.err.Store(nil)
		x.over = nil
	}
}

// Begin begins a run that is aborted when ctx ends. It returns a context that is done as soon as
// the run is aborted or ctx is done, for steps that wait for something other than a message. Renew
// ends the run, and so does Group.Run if it is called with the returned context. The returned
// context must not be used after the end of the run.
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

// Aborted returns the error the run was aborted with, or nil.
func (x *Exchange) Aborted() error {
	if f := x.err.Load(); f != nil {
		return f.err
	}
	return nil
}

// Abort ends the run: all waiting receives, and all later calls, return err. Only the first error
// counts. Any goroutine may call it during a run.
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

// at returns the slot with the given number. It returns an error if there is no such slot, or if the
// run was aborted.
func (x *Exchange) at(slot int) (*slot, error) {
	if uint(slot) >= uint(len(x.slots)) {
		return nil, tensor.Errorf(tensor.Internal, "slot %d of %d", slot, len(x.slots))
	}
	if f := x.err.Load(); f != nil {
		return nil, f.err
	}
	return &x.slots[slot], nil
}

// runContext is the context of the current run.
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
