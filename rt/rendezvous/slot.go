package rendezvous

import (
	"sync/atomic"

	"github.com/graphc/graphc/rt/tensor"
)

// line is the size of a cache line in bytes. Padding of this size separates fields that different
// partitions write. It suffices even if the allocator puts a block at an address that is eight bytes
// past a multiple of the line size.
const line = 64

// slot is a queue with one sender and one receiver.
type slot struct {
	// Fields of the sender.
	in   *ring
	tail int
	calm int32 // how many runs in a row needed less than half of the ring
	deep bool  // whether this run needed half of the ring or more
	_    [line]byte
	// Fields of the receiver.
	out  *ring
	head int
	spin int32 // how many times a receive checks for a message before it parks
	rest int32 // how many receives in a row found no message while they checked
	_    [line]byte
	// The receiver and the goroutine that wakes it share these fields. The field waiting is 1 while
	// the receiver is parked or about to park. A goroutine that changes waiting from 1 to 0 to wake
	// the receiver then sends on the channel wake.
	waiting atomic.Uint32
	wake    chan struct{}
	direct  offer
	_       [line]byte
	parcels parcels
}

// ring is the memory of a queue. When a ring is full, the sender continues in a larger ring. The
// receiver moves on to the larger ring when it has emptied the old one.
type ring struct {
	next atomic.Pointer[ring]
	msgs []message // the length is a power of two
}

// States of a message.
const (
	empty uint32 = iota
	taken        // reserved: a device will fill it
	full
)

// message is an element of a ring. A message of up to 40 bytes is in the same cache line as its
// state.
type message struct {
	state atomic.Uint32
	kind  kind
	// how many messages in a row needed less than a quarter of the memory in the field data; see the
	// constant large
	slack uint8
	n     int // number of elements
	small [40]byte
	_     [8]byte

	data    []byte
	strings []string
	handles []tensor.Handle
	parcel  Parcel
	_       [line - 24]byte
}

func (s *slot) init(r *ring) {
	s.in, s.out, s.spin = r, r, longest
}

// free returns the next empty message for the sender.
func (s *slot) free() *message {
	r := s.in
	m := &r.msgs[s.tail]
	if m.state.Load() != empty {
		r = &ring{msgs: make([]message, 2*len(r.msgs))}
		s.in.next.Store(r)
		s.in, s.tail = r, 0
		s.deep = true
		m = &r.msgs[0]
	}
	n := len(r.msgs)
	if n >= shrinkable && s.tail&(n/4-1) == 0 && r.msgs[(s.tail+n/2)&(n-1)].state.Load() != empty {
		s.deep = true
	}
	s.tail = (s.tail + 1) & (n - 1)
	return m
}

// ready returns the next message for the receiver, or nil.
func (s *slot) ready() *message {
	for {
		m := &s.out.msgs[s.head]
		switch m.state.Load() {
		case full:
			return m
		case taken:
			return nil
		}
		next := s.out.next.Load()
		if next == nil {
			return nil
		}
		// The sender has moved on to the next ring. It stored all messages of this ring before it set
		// the ring's field next. So if m is still empty, the ring contains no more messages.
		if m.state.Load() == empty {
			s.out, s.head = next, 0
		}
	}
}

// pop empties m, the message that ready returned, so that the sender can use its place again.
func (s *slot) pop(m *message) {
	s.head = (s.head + 1) & (len(s.out.msgs) - 1)
	m.state.Store(empty)
}

// publish makes m available to the receiver.
func (s *slot) publish(x *Exchange, m *message) {
	m.state.Store(full)
	s.rouse(x)
}

// rouse wakes the receiver, if it is parked.
func (s *slot) rouse(x *Exchange) {
	if s.waiting.Load() != 0 && s.waiting.CompareAndSwap(1, 0) {
		x.busy.Add(1)
		x.ready.Add(1)
		s.wake <- struct{}{}
	}
}

// These constants say when the ring of a slot becomes smaller. A ring with room for at least 8 messages
// (the constant shrinkable) is halved when more than 64 runs in a row (the constant patience) needed
// less than half of it.
const (
	shrinkable = 8
	patience   = 64
)

// reset drops messages that were not received. The slot must not be in use.
func (s *slot) reset() {
	if s.out != s.in || s.head != s.tail || s.in.msgs[s.head].state.Load() != empty {
		for r := s.out; ; r = r.next.Load() {
			for i := range r.msgs {
				r.msgs[i].drop()
			}
			if r == s.in {
				break
			}
		}
		s.out = s.in
	}
	s.head, s.tail = 0, 0
	s.direct.withdraw()
	if s.parcels.all != nil {
		s.parcels.renew()
	}
	if n := len(s.in.msgs); n >= shrinkable {
		if s.calm++; s.deep {
			s.calm = 0
		}
		if s.calm > patience {
			s.in = &ring{msgs: make([]message, n/2)}
			s.out, s.calm = s.in, 0
		}
		s.deep = false
	}
}

// drop empties m if it still holds a message.
func (m *message) drop() {
	if m.state.Load() == empty {
		return
	}
	clear(m.strings)
	clear(m.handles)
	m.strings, m.handles, m.parcel = m.strings[:0], m.handles[:0], nil
	m.state.Store(empty)
}

// large is the size in bytes from which the memory of a message can shrink. Memory of at least this
// size is replaced by smaller memory when more than 64 messages in a row (the constant patience) needed
// less than a quarter of it.
const large = 1 << 16

// room returns memory for n bytes in the message.
func (m *message) room(n int) []byte {
	if n <= len(m.small) {
		return m.small[:n]
	}
	if cap(m.data) < n {
		m.data = make([]byte, n)
		m.slack = 0
	} else if cap(m.data) >= large {
		if m.slack++; n >= cap(m.data)/4 {
			m.slack = 0
		}
		if m.slack > patience {
			m.data, m.slack = make([]byte, n), 0
		}
	}
	return m.data[:n]
}

// bytes returns the same memory as the last call of room, which must have had the same n.
func (m *message) bytes(n int) []byte {
	if n <= len(m.small) {
		return m.small[:n]
	}
	return m.data[:n]
}
