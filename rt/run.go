package rt

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// underway is the context of a run. It is done when the caller's context is done, at the run's
// deadline, or when the instance is closed. Each state has an underway and uses it for all its runs.
type underway struct {
	caller context.Context // nil between runs
	from   <-chan struct{} // caller.Done()
	// gone is set when something other than the caller's context has ended the run. The error is then
	// in the field why.
	gone   atomic.Bool
	budget mem.Budget
	// whether several threads work on the run at this time
	shared bool

	mu  sync.Mutex
	why error
	// a channel that is closed when the run is ended early; nil until a caller of Done needs it
	done chan struct{}
	shut bool   // whether done is closed
	turn uint64 // how many runs have registered a function with their caller's context
	// a function that cancels this run's registration with its caller's context; may be nil
	unhook func() bool
	until  time.Time // the deadline of the run, zero for none
	timer  *time.Timer
	// the argument of the method Tell, through which the parts of the run are aborted; may be nil
	told Aborter

	// The functions abort, leave and back call the methods of told. The method Tell sets them; it is
	// the only code that refers to the methods of an Aborter. Programs without parts do not call
	// Tell, so the linker leaves out the methods of an Aborter.
	abort       func(Aborter, error)
	leave, back func(Aborter)
}

// Aborter is the object through which the parts (partitions) of a run communicate. Abort makes all
// waiting parts return the error and does not block.
//
// The number of parts that compute at the same time may be limited. A part calls Leave before it
// waits for something other than another part, so that it does not count as computing. Afterwards it
// calls Return, which waits until the part may compute again.
type Aborter interface {
	Abort(err error)
	Leave()
	Return()
}

// placed is the context of a part's run for kernels that wait. Its methods call Leave and Return of
// the Aborter, but have other names. If they had the same names, the linker would keep an Aborter's
// methods even in programs without parts.
type placed struct{ *underway }

// Away makes the part not count as computing until Back is called; see Aborter.
func (p placed) Away() {
	if p.told != nil {
		p.leave(p.told)
	}
}

// Back makes the part count as computing again. It may have to wait; see Aborter.
func (p placed) Back() {
	if p.told != nil {
		p.back(p.told)
	}
}

// Tell makes the run call a.Abort at its deadline or when the instance is closed. The call of a.Abort
// must end the context that was passed to Pool.Get.
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

// end resets u at the end of a run, so that u can be used for the next run. If the channel of Done is
// closed, the next run gets a new channel.
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

// close ends the current run with err. All later runs end with the same error.
func (u *underway) close(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.abandon(err)
	u.why = err
}

// expire ends the run if its deadline has passed. The deadline must be checked because the timer may
// fire late, during a later run.
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
		// this channel is also closed after a call of told.Abort; see Tell
		return u.from
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

// reason returns the error that a run reports if its steps ended with err. Usually this is err. But if
// the deadline or a closed instance has ended the run, a kernel may return its own error with the code
// Cancelled or DeadlineExceeded. The result is then the error with which the run was ended.
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

// isContext reports whether err means that the run was canceled, timed out or ended by the end of
// its instance. The node of the current step is not added to such an error.
func isContext(err error) bool {
	return err == context.Canceled || err == context.DeadlineExceeded || err == errClosed
}
