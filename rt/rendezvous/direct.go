package rendezvous

import (
	"runtime"
	"sync/atomic"

	"github.com/graphc/graphc/rt/par"
)

// worthOffering is the least size in bytes of the memory that a waiting receive offers to the sender.
// The sender then copies the message directly, which saves one of two copies.
const worthOffering = 1 << 16

// offer is the memory of a waiting receive, into which the sender may copy.
type offer struct {
	state atomic.Uint32
	kind  kind // the kind of the delivered message
	n     int  // the number of elements of the delivered message
	dst   []byte
}

// These are the states of an offer. The receiver creates the offer, and may withdraw it until the
// sender accepts it. While the state has the value accepted, only the sender uses the offer.
const (
	absent uint32 = iota
	offered
	accepted
	delivered
)

// deliver copies a message directly into the receiver's memory. It returns false if the receiver
// has offered no memory, or if earlier messages are in the queue.
func (s *slot) deliver(x *Exchange, k kind, n int, src []byte) bool {
	o := &s.direct
	if o.state.Load() != offered || s.in.msgs[(s.tail-1)&(len(s.in.msgs)-1)].state.Load() != empty {
		return false
	}
	// A receiver withdraws its offer before it takes a message. Therefore this operation fails if the
	// receiver has taken a message after the offer was loaded above.
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

// recvLarge waits for n elements of kind k. If the message is sent while recvLarge waits, the
// sender may copy it directly to dst; the result is then nil. Otherwise recvLarge returns the
// queued message.
func (x *Exchange) recvLarge(dst []byte, s *slot, slot int, k kind, n int) (*message, error) {
	o := &s.direct
	o.dst = dst
	o.state.Store(offered)
	err := x.await(s)
	if o.withdraw() {
		return s.ready(), err
	}
	// The sender is copying. It uses dst until the copy has finished, even after an error.
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

// withdraw takes an offer back. It returns false if the sender has accepted the offer.
func (o *offer) withdraw() bool {
	if s := o.state.Load(); s != absent && (s != offered || !o.state.CompareAndSwap(offered, absent)) {
		return false
	}
	o.dst = nil
	return true
}

// come reports whether a message has arrived or is being delivered.
func (s *slot) come() bool { return s.ready() != nil || s.direct.state.Load() >= accepted }
