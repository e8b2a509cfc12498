package rendezvous

import (
	"runtime"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// Before a receive parks, it checks for a message repeatedly, with a pause of some ten nanoseconds
// after each check. Each slot adapts the number of checks; it is always between the constants
// shortest and longest. If no message arrives during the checks, the number is halved. If this
// happens 64 times in a row (the constant retry), the number is set to the constant longest again.
const (
	longest  = 1 << 10
	shortest = 1 << 4
	retry    = 64
)

// yields is how often a receive lets other goroutines run before it parks. On a
// single processor, this lets the sender run.
const yields = 2

// take returns the next message of s, or the error with which the run was aborted.
func (x *Exchange) take(s *slot) (*message, error) {
	if m := s.ready(); m != nil {
		return m, nil
	}
	if err := x.await(s); err != nil {
		return nil, err
	}
	return s.ready(), nil
}

// await waits for a message, or returns the error of an abort.
func (x *Exchange) await(s *slot) error {
	if (!x.limited || x.queued.Load() == 0) && x.look(s) {
		return nil
	}
	for {
		if f := x.err.Load(); f != nil {
			return f.err
		}
		if s.come() {
			return nil
		}
		x.park(s)
	}
}

// look checks for a message for a limited time without parking. It reports whether a message has
// arrived.
func (x *Exchange) look(s *slot) bool {
	if x.spin {
		for i := range s.spin {
			if i&15 == 0 && x.ready.Load() > 0 {
				x.yield() // the sender may be in the run queue of this thread
			} else {
				par.Relax()
			}
			if s.come() {
				s.spin = min(max(2*i, s.spin), longest)
				s.rest = 0
				return true
			}
			if i&15 == 15 && (x.err.Load() != nil || x.limited && x.queued.Load() > 0) {
				return false
			}
		}
		s.spin = max(s.spin/2, shortest)
		if s.rest++; s.rest == retry {
			s.rest, s.spin = 0, longest
		}
	}
	for range yields {
		x.yield()
		if s.come() {
			return true
		}
	}
	return false
}

// yield lets other goroutines of this thread run first.
func (x *Exchange) yield() {
	x.ready.Add(1)
	runtime.Gosched()
	x.ready.Add(-1)
}

// park blocks until there is a message or the run is aborted. Meanwhile the part does not count as
// computing; see Leave. park may also return early, so the caller must check again.
//
// The receiver sets the slot's field waiting and then checks for a message. The sender publishes the
// message and then checks this field. So at least one of them notices the other, and no wake-up is
// lost.
func (x *Exchange) park(s *slot) {
	if s.wake == nil {
		s.wake = make(chan struct{}, 1)
	}
	s.waiting.Store(1)
	if (x.err.Load() != nil || s.come()) && s.waiting.CompareAndSwap(1, 0) {
		return
	}
	if x.busy.Add(-1) == 0 {
		x.stuck()
	}
	x.Leave()
	if x.done == nil {
		<-s.wake
	} else {
		select {
		case <-s.wake:
		case <-x.done:
			x.Abort(x.ctx.Err())
			<-s.wake // every abort wakes all waiting receives
		}
	}
	x.ready.Add(-1)
	x.Return()
}

// Leave must be called by a part before it waits for something other than a message, and Return
// afterwards. In between, the part does not count as computing, so that another part can compute.
func (x *Exchange) Leave() {
	if x.limited {
		<-x.places
	}
}

// Return makes the part count as computing again. It waits while as many parts compute as the run
// allows.
func (x *Exchange) Return() {
	if !x.limited {
		return
	}
	select {
	case x.places <- struct{}{}:
	default:
		x.queued.Add(1)
		x.places <- struct{}{}
		x.queued.Add(-1)
	}
}

// stuck aborts a run that cannot go on: no part computes, no message can arrive, and some parts
// have not ended.
func (x *Exchange) stuck() {
	if int(x.finished.Load()) >= x.parts || x.err.Load() != nil {
		return
	}
	if err := x.ctx.Err(); err != nil { // the waiting parts have not noticed yet that ctx has ended
		x.Abort(err)
		return
	}
	var b strings.Builder
	for i := range x.slots {
		if x.slots[i].waiting.Load() != 0 {
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strconv.Itoa(i))
		}
	}
	x.Abort(tensor.Errorf(tensor.Internal, "deadlock: all partitions wait for a message; the slots of the waiting receives are %s", b.String()))
}
