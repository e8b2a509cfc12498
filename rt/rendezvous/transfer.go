package rendezvous

import (
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// kind is the Go type of a message's elements.
type kind uint8

// The kinds. Those from texts on are references, which are not copied as bytes.
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

// mismatch returns an Internal error if a message is not what the receiver was compiled for. The
// run then ends.
func mismatch(slot int, sent, want kind, n, wantN int) error {
	if sent != want {
		return tensor.Errorf(tensor.Internal, "slot %d: elements of kind %d were sent, %d are expected", slot, sent, want)
	}
	if n != wantN {
		return tensor.Errorf(tensor.Internal, "slot %d: %d elements were sent, %d are expected", slot, n, wantN)
	}
	return nil
}

// Signal sends on slot, which is a control edge: the nodes before the edge are done.
func Signal(x *Exchange, slot int) error { return x.sendBytes(slot, control, 0, nil) }

// Wait waits for the Signal of slot.
func Wait(x *Exchange, slot int) error { return x.recvBytes(nil, slot, control, 0) }
