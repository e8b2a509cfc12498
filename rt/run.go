package rt

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// underway is the context of a run: it ends with that of the caller, when the run's
// time is over, or when the instance is closed. A state has one, used for all of its runs.
type underway struct {
	caller context.Context // nil between runs
	from   <-chan struct{} // caller.Done()
	// gone says that the run has been given up for a reason of its own, which is why.
	gone   atomic.Bool
	budget mem.Budget
	shared bool // several threads work for the run

	mu     sync.Mutex
	why    error
	done   chan struct{} // closed when the run is given up; nil until something waits for it
	shut   bool          // done is closed
	turn   uint64        // counts the runs that are told of the end of their caller's context
	unhook func() bool   // what ends that
	until  time.Time     // when the run's time is over, zero for never
	timer  *time.Timer
	told   Aborter // ends what waits elsewhere; nil for nothing

	// How told is called. Only Tell names an Aborter's methods, so programs without
	// parts link none of them.
	abort       func(Aborter, error)
	leave, back func(Aborter)
}

// Aborter is what joins the parts of a run, whose waits an error ends. Abort does not wait.
// A part that is about to wait for something else than the others gives its place
// among those that compute away by Leave, and takes one again by Return.
type Aborter interface {
	Abort(err error)
	Leave()
	Return()
}

// placed is the context of a part's run for kernels that wait. Its methods have other
// names than an Aborter's, whose methods programs without parts would link otherwise.
type placed struct{ *underway }

// Away gives the part's place away.
func (p placed) Away() {
	if p.told != nil {
		p.leave(p.told)
	}
}

// Back takes a place again, and waits until there is one.
func (p placed) Back() {
	if p.told != nil {
		p.back(p.told)
	}
}

// Tell has a abort when the run's time is over or the instance is closed. The
// context that the state was lent under ends when a has aborted.
func (s *State[D, V, I, M, X]) Tell(a Aborter) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.run.told = a
	s.run.abort, s.run.leave, s.run.back = Aborter.Abort, Aborter.Leave, Aborter.Return
	if s.run.why != nil {
		a.Abort(s.run.why)
	}
}

// begin begins a run whose time is over at that moment, never where that is zero.
func (u *underway) begin(ctx context.Context, until time.Time) {
	u.caller, u.from, u.shared = ctx, ctx.Done(), false
	if until.IsZero() {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.until = until
	if u.timer == nil {
		u.timer = time.AfterFunc(time.Until(until), u.expire)
	} else {
		u.timer.Reset(time.Until(until))
	}
}

// end ends a run. What a kernel has kept of its context has ended too.
func (u *underway) end() {
	if u.unhook == nil && u.until.IsZero() && u.told == nil && !u.gone.Load() {
		u.caller, u.from = nil, nil
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.caller, u.from, u.told = nil, nil, nil
	if u.unhook != nil {
		u.unhook()
		u.unhook = nil
		u.turn++
	}
	if !u.until.IsZero() {
		u.until = time.Time{}
		u.timer.Stop()
	}
	if u.why != errClosed {
		u.why = nil
		u.gone.Store(false)
		if u.shut {
			u.done, u.shut = nil, false
		}
	}
}

// abandon ends the run with err. The lock is held.
func (u *underway) abandon(err error) {
	if u.why == nil {
		u.why = err
		u.gone.Store(true)
		if u.told != nil {
			u.abort(u.told, err)
		}
	}
	u.wake()
}

// wake tells those that wait that the run is given up. The lock is held.
func (u *underway) wake() {
	if u.done != nil && !u.shut {
		close(u.done)
		u.shut = true
	}
}

// close ends the run under way, and those that may follow.
func (u *underway) close(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.abandon(err)
	u.why = err
}

// expire ends the run if its time is over: a timer may go off when the run that it
// was set for has ended.
func (u *underway) expire() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.until.IsZero() && !time.Now().Before(u.until) {
		u.abandon(context.DeadlineExceeded)
	}
}

// Deadline implements context.Context.
func (u *underway) Deadline() (time.Time, bool) {
	u.mu.Lock()
	until, caller := u.until, u.caller
	u.mu.Unlock()
	if caller == nil {
		return until, !until.IsZero()
	}
	t, ok := caller.Deadline()
	if ok && (until.IsZero() || t.Before(until)) {
		return t, true
	}
	return until, !until.IsZero()
}

// Done implements context.Context.
func (u *underway) Done() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.told != nil && u.from != nil {
		return u.from // which what is told ends
	}
	if u.done == nil {
		u.done, u.shut = make(chan struct{}), false
		if u.why != nil {
			u.wake()
		}
	}
	if u.from != nil && u.unhook == nil && !u.shut {
		turn := u.turn
		u.unhook = context.AfterFunc(u.caller, func() {
			u.mu.Lock()
			defer u.mu.Unlock()
			if u.turn == turn {
				u.wake()
			}
		})
	}
	return u.done
}

// Err implements context.Context.
func (u *underway) Err() error {
	if u.gone.Load() {
		u.mu.Lock()
		defer u.mu.Unlock()
		return u.why
	}
	if u.from == nil {
		return nil
	}
	select {
	case <-u.from:
		return u.caller.Err()
	default:
		return nil
	}
}

// Value implements context.Context.
func (u *underway) Value(key any) any {
	if c := u.caller; c != nil {
		return c.Value(key)
	}
	return nil
}

// reason returns what a run ends with that has ended with err: where it was given up,
// why, in place of what a kernel made of that.
func (u *underway) reason(err error) error {
	if err == nil || !u.gone.Load() {
		return err
	}
	switch tensor.CodeOf(err) {
	case tensor.Cancelled, tensor.DeadlineExceeded:
		return u.Err()
	}
	return err
}

// isContext reports an error that no node is to blame for: the run was given up.
func isContext(err error) bool {
	return err == context.Canceled || err == context.DeadlineExceeded || err == errClosed
}
