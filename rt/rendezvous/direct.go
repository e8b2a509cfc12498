package rendezvous

import (
	"runtime"
	"sync/atomic"

	"github.com/graphc/graphc/rt/par"
)

// worthOffering is the size in bytes from which a receive that has to wait offers
// its memory to the sender, which saves one of two copies.
const worthOffering = 1 << 16

// offer is memory of a receiver that waits.
type offer struct {
	state atomic.Uint32
	kind  kind // of what has come
	n     int  // its elements
	dst   []byte
}

// States of an offer. The receiver makes and withdraws it; from accepted to
// delivered the sender has it.
const (
	absent uint32 = iota
	offered
	accepted
	delivered
)

// deliver copies a message to where the receiver wants it; it reports false when
// the receiver has offered nothing, or there are messages before this one.
func (s *slot) deliver(x *Exchange, k kind, n int, src []byte) bool {
	o := &s.direct
	if o.state.Load() != offered || s.in.msgs[(s.tail-1)&(len(s.in.msgs)-1)].state.Load() != empty {
		return false
	}
	// A receiver that takes a message withdraws its offer first. So what was empty
	// still is, or this fails.
	if !o.state.CompareAndSwap(offered, accepted) {
		return false
	}
	o.kind, o.n = k, n
	if len(src) == len(o.dst) {
		copy(o.dst, src)
	}
	o.state.Store(delivered)
	s.rouse(x)
	return true
}

// recvLarge waits for n elements of kind k, and has the sender copy them to dst if
// it comes while this waits.
func (x *Exchange) recvLarge(dst []byte, s *slot, slot int, k kind, n int) (*message, error) {
	o := &s.direct
	o.dst = dst
	o.state.Store(offered)
	err := x.await(s)
	if o.withdraw() {
		return s.ready(), err
	}
	// It is being copied: dst is the sender's until that is done, whatever err says.
	for i := 1; o.state.Load() != delivered; i++ {
		if i&15 == 0 {
			runtime.Gosched()
		} else {
			par.Relax()
		}
	}
	o.dst = nil
	o.state.Store(absent)
	if err == nil {
		err = mismatch(slot, o.kind, k, o.n, n)
	}
	return nil, err
}

// withdraw takes an offer back; it reports false when it is accepted.
func (o *offer) withdraw() bool {
	if s := o.state.Load(); s != absent && (s != offered || !o.state.CompareAndSwap(offered, absent)) {
		return false
	}
	o.dst = nil
	return true
}

// come reports that there is a message, or that one is being delivered.
func (s *slot) come() bool { return s.ready() != nil || s.direct.state.Load() >= accepted }
