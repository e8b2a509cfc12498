package rendezvous

import (
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// kind is the Go type of a message's elements.
type kind uint8

// The kinds of elements. Elements of the kinds texts and handles contain pointers and are not copied
// as bytes. The kind control marks a message without elements.
const (
	control kind = iota
	boolean
	i8
	i16
	i32
	i64
	u8
	u16
	u32
	u64
	f16
	bf16
	f32
	f64
	c64
	c128
	texts
	handles
)

// plain is the set of element types that are copied as bytes.
type plain interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		tensor.F16 | tensor.BF16 | float32 | float64 | complex64 | complex128
}

// bytesOf returns the memory of v.
func bytesOf[T plain](v []T) []byte {
	var e T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(e)))
}

// sendBytes sends n elements of kind k, whose memory is src.
func (x *Exchange) sendBytes(slot int, k kind, n int, src []byte) error {
	s, err := x.at(slot)
	if err != nil {
		return err
	}
	if len(src) >= worthOffering && s.deliver(x, k, n, src) {
		return nil
	}
	m := s.free()
	m.kind, m.n = k, n
	copy(m.room(len(src)), src)
	s.publish(x, m)
	return nil
}

// recvBytes receives n elements of kind k into dst.
func (x *Exchange) recvBytes(dst []byte, slot int, k kind, n int) error {
	s, err := x.at(slot)
	if err != nil {
		return err
	}
	m := s.ready()
	if m == nil {
		if len(dst) >= worthOffering {
			m, err = x.recvLarge(dst, s, slot, k, n)
		} else {
			m, err = x.take(s)
		}
		if m == nil || err != nil {
			return err
		}
	}
	if err := mismatch(slot, m.kind, k, m.n, n); err != nil {
		return err
	}
	copy(dst, m.bytes(len(dst)))
	s.pop(m)
	return nil
}

// mismatch returns an Internal error if a message does not have the kind and number of elements for
// which the receiver was compiled. The error ends the run.
func mismatch(slot int, sent, want kind, n, wantN int) error {
	if sent != want {
		return tensor.Errorf(tensor.Internal, "slot %d: elements of kind %d were sent, %d are expected", slot, sent, want)
	}
	if n != wantN {
		return tensor.Errorf(tensor.Internal, "slot %d: %d elements were sent, %d are expected", slot, n, wantN)
	}
	return nil
}

// Signal sends a message without elements on a slot that represents a control edge. When the
// receiver gets it, the node before the edge is done.
func Signal(x *Exchange, slot int) error { return x.sendBytes(slot, control, 0, nil) }

// Wait receives the message that Signal sends on the slot.
func Wait(x *Exchange, slot int) error { return x.recvBytes(nil, slot, control, 0) }
