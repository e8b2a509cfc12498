package rendezvous

import (
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Parcel is memory of a device that holds a message. A slot keeps its parcels, from message
// to message and from run to run; there are as many as messages were under way at once.
// Exchange.Drop gives them back.
type Parcel interface{ Drop() }

// parcels are those of a slot.
type parcels struct {
	mu   sync.Mutex
	all  []Parcel
	idle []Parcel // the last ones were used in this run
	old  int      // how many of idle were not
}

// onDevice is the kind of a message in a parcel, beside that of its elements.
const onDevice kind = 1 << 7

// Parcel returns a parcel of the slot for its next message, nil where all are under way: then Keep
// has the slot know a new one. again reports that it held a message of this run, which
// work of the receiver's may still read.
func (x *Exchange) Parcel(slot int) (p Parcel, again bool, err error) {
	s, err := x.at(slot)
	if err != nil {
		return nil, false, err
	}
	h := &s.parcels
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.idle)
	if n == 0 {
		return nil, false, nil
	}
	p = h.idle[n-1]
	h.idle = h.idle[:n-1]
	if again = n > h.old; !again {
		h.old = n - 1
	}
	return p, again, nil
}

// Keep has the slot know a new parcel, which is under way.
func (x *Exchange) Keep(slot int, p Parcel) {
	h := &x.slots[slot].parcels
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, p)
}

// SendParcel sends n elements of type d, no String and not opaque, which a device holds, or will hold when an
// event of the parcel's has happened.
func (x *Exchange) SendParcel(slot int, d tensor.DType, n int, p Parcel) error {
	k := kindOf(d)
	if k == control || n < 0 || n > tensor.MaxBytes/d.Size() {
		return tensor.Errorf(tensor.Internal, "slot %d: %d elements of %s cannot be sent in a device's memory", slot, n, d)
	}
	s, err := x.at(slot)
	if err != nil {
		return err
	}
	m := s.free()
	m.kind, m.n, m.parcel = k|onDevice, n, p
	s.publish(x, m)
	return nil
}

// RecvParcel receives n elements of type d that a device holds. The receiver gives the parcel
// back by Reuse once its work reads no more of it, or has recorded an event for that.
func (x *Exchange) RecvParcel(slot int, d tensor.DType, n int) (Parcel, error) {
	s, err := x.at(slot)
	if err != nil {
		return nil, err
	}
	m, err := x.take(s)
	if err != nil {
		return nil, err
	}
	if err := mismatch(slot, m.kind, kindOf(d)|onDevice, m.n, n); err != nil {
		return nil, err
	}
	p := m.parcel
	m.parcel = nil
	s.pop(m)
	return p, nil
}

// Reuse lets the slot have a parcel again.
func (x *Exchange) Reuse(slot int, p Parcel) {
	h := &x.slots[slot].parcels
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle = append(h.idle, p)
}

// renew lets the slot have all parcels again: nothing of a run is under way.
func (h *parcels) renew() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle = append(h.idle[:0], h.all...)
	h.old = len(h.idle)
}

// Drop gives back what messages hold of devices. No run is under way.
func (x *Exchange) Drop() {
	for i := range x.slots {
		h := &x.slots[i].parcels
		h.mu.Lock()
		for _, p := range h.all {
			p.Drop()
		}
		h.all, h.idle, h.old = nil, nil, 0
		h.mu.Unlock()
	}
}
