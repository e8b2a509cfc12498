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
	// Close ends the use of the model: runs under way, and those that wait for their
	// turn, end with Cancelled, and so does every later one. It returns when none is
	// under way any more, so no run, hook or watch may call it. Closing once more
	// does nothing.
	Close() error
	// Reset closes the model and lets go of the resources of these containers, "" for
	// those without one; all resources where none is named.
	Reset(containers ...string) error
}

// errClosed is what ends runs of a closed instance.
var errClosed error = &tensor.Error{Code: tensor.Cancelled, Msg: "session has been closed"}

// notMade is the error of a model that New has not made.
func notMade() error {
	return tensor.Errorf(tensor.FailedPrecondition, "New was not called: the model is its zero value")
}

// door is what closes an instance.
type door struct {
	closed  atomic.Bool
	closing chan struct{} // closed with the instance
	ended   chan struct{} // closed when nothing is under way any more

	mu    sync.Mutex
	pools []pool
	// inside counts what is under way beside runs, empty is closed when that is nothing.
	inside int
	empty  chan struct{}
}

// pool is a Pool of any signature.
type pool interface {
	// abandon ends what is under way, now and later, with err.
	abandon(err error)
	// slots are what bounds the runs under way.
	Slots() chan struct{}
	// empty lets go of the memory of runs; none is under way.
	empty()
}

// slots is a pool of what bounds runs that take no state.
type slots struct {
	c    chan struct{}
	drop func()
}

func (s *slots) abandon(error)        {} // the states of what they run end with the instance
func (s *slots) Slots() chan struct{} { return s.c }
func (s *slots) empty()               { s.drop() }

// Slots returns what bounds runs that are made of several Pools' runs, as WithConcurrency says: one
// holds an element while it is under way; see Claim. Close waits for them, and then calls drop,
// which lets go of memory.
func (b *Base) Slots(drop func()) chan struct{} {
	s := &slots{make(chan struct{}, b.opts.concurrency), drop}
	b.door.add(s)
	return s.c
}

// Claim takes an element of slots, and waits while there is none.
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

// Err returns why the instance makes no runs: New has not made it, or it is closed.
func (b *Base) Err() error {
	if b == nil {
		return notMade()
	}
	if b.door.closed.Load() {
		return errClosed
	}
	return nil
}

// Until returns when a run under ctx that begins now is over, zero for never, or the error of the
// options that ctx has for runs.
func (b *Base) Until(ctx context.Context) (time.Time, error) {
	if b == nil {
		return time.Time{}, notMade()
	}
	return b.until(optionsOf(ctx))
}

// add has the door close a pool too.
func (d *door) add(p pool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pools = append(d.pools, p)
}

// remove has the door forget a pool.
func (d *door) remove(p pool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pools = slices.DeleteFunc(d.pools, func(q pool) bool { return p == q })
}

// Within does what is no run and what Close waits for: Cancelled once the instance is closed.
func (b *Base) Within(f func() error) error {
	if err := b.enter(); err != nil {
		return err
	}
	defer b.leave()
	return f()
}

// enter begins something that is no run and that Close waits for; leave ends it.
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

// Close closes the instance; see Closer. That of a model that New has not made does nothing.
func (b *Base) Close() error {
	if b != nil {
		b.shut()
	}
	return nil
}

// Reset closes the instance, then calls drop with what says whether a container is
// one of those named; see Closer. drop may be nil.
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

// shut closes the instance and waits until nothing is under way.
func (b *Base) shut() {
	d := &b.door
	d.mu.Lock()
	if d.closed.Load() {
		d.mu.Unlock()
		<-d.ended
		return
	}
	d.closed.Store(true) // before any state is looked at: later runs see it
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
	// A run has a slot while it is under way. The slots are kept: later runs wait for
	// one until they see that the instance is closed, which is at once.
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
		_ = o.c.Close() // nothing uses it, and nobody is left to be told
	}
	b.owned = nil
	b.cleanup.Stop()
	b.opts.pool.drop()
	close(d.ended)
}

// until returns when a run with these options is over, zero for never, or the error
// of the options.
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

// wait waits for one of slots.
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
