package rt

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// underway is the context of a run. It ends with the caller's context, at the run's deadline, or
// when the instance is closed. A state has one and reuses it for all its runs.
type underway struct {
	caller context.Context // nil between runs
	from   <-chan struct{} // caller.Done()
	// gone is set when the run was ended by something other than the caller's context; why is the
	// reason.
	gone   atomic.Bool
	budget mem.Budget
	shared bool // several threads work for the run

	mu     sync.Mutex
	why    error
	done   chan struct{} // closed when the run is ended early; nil until a caller of Done needs it
	shut   bool          // done is closed
	turn   uint64        // how many runs have registered a function with their caller's context
	unhook func() bool   // ends that registration
	until  time.Time     // the deadline of the run, zero for none
	timer  *time.Timer
	told   Aborter // joins the parts of the run; may be nil

	// These functions call the methods of told. Only Tell names an Aborter's methods, so programs
	// without parts link none of them.
	abort       func(Aborter, error)
	leave, back func(Aborter)
}

// Aborter joins the parts (partitions) of a run. Abort ends all waits of the parts with an error
// and does not block. A part calls Leave before it waits for something other than another part, to
// give up its place among the computing parts. It calls Return afterwards to get a place again.
type Aborter interface {
	Abort(err error)
	Leave()
	Return()
}

// placed is the context of a part's run for kernels that wait. Its methods have other names than
// those of Aborter: with the same names, the linker would keep Aborter's methods in programs
// without parts.
type placed struct{ *underway }

// Away gives up the part's place among the computing parts.
func (p placed) Away() {
	if p.told != nil {
		p.leave(p.told)
	}
}

// Back gets a place again and waits until one is free.
func (p placed) Back() {
	if p.told != nil {
		p.back(p.told)
	}
}

// Tell makes the run call a.Abort at its deadline or when the instance is closed. The context under
// which the state was lent must end once a.Abort has been called.
func (s *State[D, V, I, M, X]) Tell(a Aborter) {
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.run.told = a
	s.run.abort, s.run.leave, s.run.back = Aborter.Abort, Aborter.Leave, Aborter.Return
	if s.run.why != nil {
		a.Abort(s.run.why)
	}
}

// begin begins a run under ctx. The parameter until is its deadline; the zero time means no
// deadline.
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

// end ends a run. If a kernel has kept the run's context, that context is done from then on.
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

// abandon ends the run with err. The caller holds the lock.
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

// wake unblocks all goroutines that wait for the channel of Done. The caller holds the lock.
func (u *underway) wake() {
	if u.done != nil && !u.shut {
		close(u.done)
		u.shut = true
	}
}

// close ends the current run and all later ones.
func (u *underway) close(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.abandon(err)
	u.why = err
}

// expire ends the run if its deadline has passed. The check is needed because the timer may fire
// after the run that it was set for.
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
		return u.from // this channel is closed when the Aborter has aborted the run; see Tell
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

// reason returns the error of a run that ended with err. If the run was ended early and err is
// Cancelled or DeadlineExceeded, the result is the error with which the run was ended.
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

// isContext reports whether err means that the run was ended from outside. Such an error does not
// name a node.
func isContext(err error) bool {
	return err == context.Canceled || err == context.DeadlineExceeded || err == errClosed
}
