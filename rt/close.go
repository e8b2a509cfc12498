package rt

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Closer is a model that can be closed. Every emitted Model is one.
type Closer interface {
	// Close ends the use of the model. Current, waiting and later runs end with Cancelled. Close
	// returns when all current runs have ended. Therefore a function that is called during a run,
	// such as a hook or watch function, must not call Close. A second call has no further effect.
	Close() error
	// Reset closes the model and releases the resources of the named containers; "" means
	// the resources without a container. Without arguments it releases all resources.
	Reset(containers ...string) error
}

// errClosed is the error of runs of a closed instance.
var errClosed error = &tensor.Error{Code: tensor.Cancelled, Msg: "session has been closed"}

// notMade returns the error of a model that was not made by New.
func notMade() error {
	return tensor.Errorf(tensor.FailedPrecondition, "New was not called: the model is its zero value")
}

// door is the state of an instance that Close needs: the pools that Close stops, and the number of
// calls for which it waits.
type door struct {
	closed  atomic.Bool
	closing chan struct{} // closed when Close begins
	ended   chan struct{} // closed when Close has finished

	mu    sync.Mutex
	pools []pool
	// inside counts current calls that are not runs. Close waits until the channel empty is closed,
	// which happens when inside reaches 0.
	inside int
	empty  chan struct{}
}

// pool is a Pool with any type arguments, or a value of type slots.
type pool interface {
	// abandon ends current and later runs with err.
	abandon(err error)
	// Slots returns the channel that bounds concurrent runs.
	Slots() chan struct{}
	// empty releases the memory of the states. It must not be called while a run is in progress.
	empty()
}

// slots is a pool without states. It only bounds the number of concurrent runs. Its method empty
// calls drop.
type slots struct {
	c    chan struct{}
	drop func()
}

func (s *slots) abandon(error)        {} // nothing to do: the Pools that these runs use are stopped separately
func (s *slots) Slots() chan struct{} { return s.c }
func (s *slots) empty()               { s.drop() }

// Slots returns a channel that bounds the number of concurrent compound runs. A compound run
// consists of runs of several Pools. The capacity of the channel is the limit of WithConcurrency.
// Each compound run keeps one element in the channel while it is in progress; see Claim. Close
// waits for these runs and then calls drop, which releases memory.
func (b *Base) Slots(drop func()) chan struct{} {
	s := &slots{make(chan struct{}, b.opts.concurrency), drop}
	b.door.add(s)
	return s.c
}

// Claim puts an element into the channel slots and waits while the channel is full. If the wait
// ends early, it returns the reason: Cancelled for a closed instance, the context's error, or
// context.DeadlineExceeded.
func (b *Base) Claim(ctx context.Context, slots chan struct{}) error {
	until, err := b.Until(ctx)
	if err != nil {
		return err
	}
	select {
	case slots <- struct{}{}:
		return nil
	default:
		return b.wait(ctx, slots, until)
	}
}

// Err returns the error with which a run of the instance would fail at once: FailedPrecondition if
// New did not make the instance, Cancelled if the instance is closed, otherwise nil.
func (b *Base) Err() error {
	if b == nil {
		return notMade()
	}
	if b.door.closed.Load() {
		return errClosed
	}
	return nil
}

// Until returns the deadline of a run under ctx that begins now, or the zero time for no deadline.
// Invalid run options in ctx cause an error.
func (b *Base) Until(ctx context.Context) (time.Time, error) {
	if b == nil {
		return time.Time{}, notMade()
	}
	return b.until(optionsOf(ctx))
}

// add registers a pool that Close must close.
func (d *door) add(p pool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pools = append(d.pools, p)
}

// remove unregisters a pool.
func (d *door) remove(p pool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pools = slices.DeleteFunc(d.pools, func(q pool) bool { return p == q })
}

// Within calls f. The call does not count as a run, but Close waits for its end. If the instance is
// closed, Within returns Cancelled without calling f.
func (b *Base) Within(f func() error) error {
	if err := b.enter(); err != nil {
		return err
	}
	defer b.leave()
	return f()
}

// enter begins a call that is not a run but that Close waits for; leave ends it.
func (b *Base) enter() error {
	if b == nil {
		return notMade()
	}
	b.door.mu.Lock()
	defer b.door.mu.Unlock()
	if b.door.closed.Load() {
		return errClosed
	}
	b.door.inside++
	return nil
}

func (b *Base) leave() {
	b.door.mu.Lock()
	defer b.door.mu.Unlock()
	if b.door.inside--; b.door.inside == 0 && b.door.empty != nil {
		close(b.door.empty)
	}
}

// Close closes the instance; see Closer. It does nothing for a model that New did not make.
func (b *Base) Close() error {
	if b != nil {
		b.shut()
	}
	return nil
}

// Reset closes the instance, then calls drop unless drop is nil. The function drop must release the
// resources of those containers for which its parameter named returns true; see Closer.
func (b *Base) Reset(containers []string, drop func(named func(container string) bool)) error {
	if b == nil {
		return notMade()
	}
	b.shut()
	b.door.mu.Lock()
	defer b.door.mu.Unlock()
	if drop != nil {
		drop(func(c string) bool { return len(containers) == 0 || slices.Contains(containers, c) })
	}
	return nil
}

// shut closes the instance and waits until all its runs and calls have ended.
func (b *Base) shut() {
	d := &b.door
	d.mu.Lock()
	if d.closed.Load() {
		d.mu.Unlock()
		<-d.ended
		return
	}
	d.closed.Store(true) // set before the pools are stopped, so that later runs see that the instance is closed
	close(d.closing)
	pools := d.pools
	d.pools = nil
	if d.inside > 0 {
		d.empty = make(chan struct{})
	}
	empty := d.empty
	d.mu.Unlock()

	for _, p := range pools {
		p.abandon(errClosed)
	}
	if empty != nil {
		<-empty
	}
	// Each current run holds a slot until it ends, so taking all slots waits for these runs. The
	// slots stay taken. Later runs that wait for a slot end at once, because the channel closing is
	// closed.
	seen := map[chan struct{}]bool{}
	for _, p := range pools {
		slots := p.Slots()
		if seen[slots] {
			continue
		}
		seen[slots] = true
		for range cap(slots) {
			slots <- struct{}{}
		}
	}
	for _, p := range pools {
		p.empty()
	}
	for _, o := range b.owned {
		_ = o.c.Close() // no run uses it any more, and no caller could handle the error
	}
	b.owned = nil
	b.cleanup.Stop()
	b.opts.pool.drop()
	close(d.ended)
}

// The method until returns the deadline of a run with the options o that begins now, or the zero
// time for no deadline. Invalid options cause an error.
func (b *Base) until(o *runOptions) (time.Time, error) {
	d := b.opts.timeout
	if o != nil {
		if o.err != nil {
			return time.Time{}, o.err
		}
		if o.timed {
			d = o.timeout
		}
	}
	if d == 0 {
		return time.Time{}, nil
	}
	return time.Now().Add(d), nil
}

// wait puts an element into the channel slots and waits while the channel is full. The wait ends
// with an error when ctx ends, when the deadline (parameter until) passes, or when the instance is
// closed.
func (b *Base) wait(ctx context.Context, slots chan struct{}, until time.Time) error {
	var over <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		over = t.C
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-b.door.closing:
		return errClosed
	case <-over:
		return context.DeadlineExceeded
	}
}
