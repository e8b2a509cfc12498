package rendezvous

import (
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Parcel is device memory that holds a message. Each slot has its own parcels, and uses them again
// for later messages and later runs. A slot has at most as many parcels as were in use at once.
// Exchange.Drop frees all parcels.
type Parcel interface{ Drop() }

// parcels are the parcels of a slot.
type parcels struct {
	mu   sync.Mutex
	all  []Parcel
	idle []Parcel // idle parcels; those used in this run come last
	old  int      // how many parcels in the field idle were not used in this run
}

// onDevice is a flag in the kind of a message: the message is in a parcel. The other bits are the
// kind of its elements.
const onDevice kind = 1 << 7

// Parcel returns an idle parcel of the slot for the next message. If all parcels are in use, it
// returns nil; the caller then creates a parcel and registers it with Keep. The second result is true
// if the parcel held an earlier message of this run. Device work of the receiver may then still be
// reading that message.
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

// Keep registers a new parcel with the slot. The parcel counts as in use.
func (x *Exchange) Keep(slot int, p Parcel) {
	h := &x.slots[slot].parcels
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, p)
}

// SendParcel sends n elements of type d, which must not be String or opaque. The elements are in the
// device memory p, or will be there once the event recorded in p has happened. The error is Internal
// for other types or sizes; after an abort it is the error of the abort.
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

// RecvParcel receives n elements of type d in device memory, a parcel. The receiver must give the
// parcel back with Reuse as soon as its device work no longer reads the parcel. If the receiver has
// recorded an event in the parcel that marks the end of this work, it may call Reuse earlier. The
// error is Internal for another type or length.
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

// Reuse returns a parcel to the slot.
func (x *Exchange) Reuse(slot int, p Parcel) {
	h := &x.slots[slot].parcels
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle = append(h.idle, p)
}

// renew makes all parcels idle, at the end of a run.
func (h *parcels) renew() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle = append(h.idle[:0], h.all...)
	h.old = len(h.idle)
}

// Drop frees the device memory of messages. No run may be in progress.
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
