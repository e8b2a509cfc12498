package rt

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Closer is a model that can be closed. The type Model in emitted code implements it.
type Closer interface {
	// Close ends the use of the model. Runs in progress are stopped. They end with Cancelled, as do
	// runs that wait for their turn and runs that begin later. Close returns when no run is in
	// progress any more. Therefore a function that is called during a run, such as a hook or watch
	// function, must not call Close. A second call has no further effect.
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

// door is the part of an instance's state that Close uses. It holds the pools that Close stops, and
// the number of calls that Close waits for.
type door struct {
	closed  atomic.Bool
	closing chan struct{} // Close closes this channel when it begins
	ended   chan struct{} // Close closes this channel when it has finished

	mu    sync.Mutex
	pools []pool
	// inside is the number of calls in progress that are not runs. If it is not 0 when Close begins,
	// Close stores a channel in the next field, and waits until the last of these calls closes the
	// channel.
	inside int
	empty  chan struct{}
}

// pool is an interface that is implemented by the type slots, and by Pool with any type arguments.
type pool interface {
	// abandon ends current and later runs with err.
	abandon(err error)
	// Slots returns the channel that bounds concurrent runs.
	Slots() chan struct{}
	// empty releases the memory of the states. It must not be called while a run is in progress.
	empty()
}

// slots is a pool without states. It only bounds the number of concurrent runs. Its method empty
// calls the function drop.
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

// Err returns the error that a run of the instance would return without doing anything. This is
// FailedPrecondition if New did not make the instance, and Cancelled if the instance is closed. For
// a usable instance, Err returns nil.
func (b *Base) Err() error {
	if b == nil {
		return notMade()
	}
	if b.door.closed.Load() {
		return errClosed
	}
	return nil
}

// Until returns the deadline of a run that begins now and has the run options in ctx. It returns
// the zero time if there is no deadline, and an error if the options are invalid.
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

// Within calls f. The call of f does not count as a run, but Close waits until it ends. If the
// instance is closed, Within returns Cancelled without calling f.
func (b *Base) Within(f func() error) error {
	if err := b.enter(); err != nil {
		return err
	}
	defer b.leave()
	return f()
}

// enter marks the beginning of a call that is not a run, but whose end Close must wait for. The
// method leave marks its end.
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

// Reset closes the instance, and then calls the function drop, unless it is nil. That function must
// release the resources of some containers. Its parameter is a function that reports whether the
// resources of a given container are to be released; see Closer.
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
	// slots stay taken. Later runs that wait for a slot end at once, because the channel d.closing
	// is closed.
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
		_ = o.c.Close() // no run is in progress, and the caller could not handle the error
	}
	b.owned = nil
	b.cleanup.Stop()
	b.opts.pool.drop()
	close(d.ended)
}

// The method named until returns the deadline of a run that begins now and has the options o. It
// returns the zero time if there is no deadline, and an error if the options are invalid.
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

// wait puts an element into the channel slots. If the channel is full, it waits. It returns an
// error if ctx ends, if the deadline passes, or if the instance is closed. The last parameter is the
// deadline; the zero time means that there is no deadline.
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
