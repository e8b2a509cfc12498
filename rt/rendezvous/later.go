package rendezvous

import "github.com/graphc/graphc/rt/tensor"

// Later is a message that a device fills after the sending step has ended.
type Later struct {
	x *Exchange
	s *slot
	m *message
	n int // size in bytes
}

// SendLater reserves the next place of the slot's queue for n elements of type d, which must not be
// String or opaque. The device later fills Bytes, from any goroutine, and then calls Done once.
// Until then the receiver cannot receive this message or later ones of the slot, and the run does
// not end. The error is Internal for other types or sizes; after an abort it is the error of the
// abort.
func (x *Exchange) SendLater(slot int, d tensor.DType, n int) (Later, error) {
	k := kindOf(d)
	if k == control || n < 0 || n > tensor.MaxBytes/d.Size() {
		return Later{}, tensor.Errorf(tensor.Internal, "slot %d: %d elements of %s cannot be sent later", slot, n, d)
	}
	s, err := x.at(slot)
	if err != nil {
		return Later{}, err
	}
	m := s.free()
	m.kind, m.n = k, n
	size := n * d.Size()
	m.room(size)
	m.state.Store(taken)
	x.busy.Add(1)
	x.left.Add(1)
	return Later{x, s, m, size}, nil
}

// Bytes returns the memory of the message.
func (l Later) Bytes() []byte { return l.m.bytes(l.n) }

// Done makes the message available to the receiver. A non-nil err aborts the run instead.
func (l Later) Done(err error) {
	if err != nil {
		l.x.Abort(err)
	}
	l.s.publish(l.x, l.m)
	if l.x.busy.Add(-1) == 0 {
		l.x.stuck()
	}
	l.x.left.Done()
}

// RecvInto receives elements of type d, which must not be String or opaque, into dst. The message
// must have exactly the size of dst. The error is Internal for another size or type.
func (x *Exchange) RecvInto(dst []byte, slot int, d tensor.DType) error {
	k := kindOf(d)
	if k == control || len(dst)%d.Size() != 0 {
		return tensor.Errorf(tensor.Internal, "slot %d: elements of %s cannot be received into %d bytes", slot, d, len(dst))
	}
	return x.recvBytes(dst, slot, k, len(dst)/d.Size())
}

// kindOf returns the kind of elements of type d, or control if they are not plain bytes.
func kindOf(d tensor.DType) kind {
	switch d {
	case tensor.Bool:
		return boolean
	case tensor.Int8, tensor.QInt8:
		return i8
	case tensor.Int16, tensor.QInt16:
		return i16
	case tensor.Int32, tensor.QInt32:
		return i32
	case tensor.Int64:
		return i64
	case tensor.Uint8, tensor.QUint8:
		return u8
	case tensor.Uint16, tensor.QUint16:
		return u16
	case tensor.Uint32:
		return u32
	case tensor.Uint64:
		return u64
	case tensor.Half:
		return f16
	case tensor.BFloat16:
		return bf16
	case tensor.Float32:
		return f32
	case tensor.Float64:
		return f64
	case tensor.Complex64:
		return c64
	case tensor.Complex128:
		return c128
	}
	return control
}
