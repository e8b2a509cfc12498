package rendezvous

import "github.com/graphc/graphc/rt/tensor"

// The functions below send and receive elements of one type. A send copies src into the slot's queue
// and never waits. A receive waits for the next message of the slot and copies it to dst. The error
// is Internal if the message has another length or element type. After an abort, sends and receives
// return the error of the abort.

// SendBool sends src.
func SendBool(x *Exchange, slot int, src []bool) error {
	return x.sendBytes(slot, boolean, len(src), bytesOf(src))
}

// RecvBool copies the next message of the slot to dst.
func RecvBool(dst []bool, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, boolean, len(dst))
}

// SendI8 sends src.
func SendI8(x *Exchange, slot int, src []int8) error {
	return x.sendBytes(slot, i8, len(src), bytesOf(src))
}

// RecvI8 copies the next message of the slot to dst.
func RecvI8(dst []int8, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, i8, len(dst))
}

// SendI16 sends src.
func SendI16(x *Exchange, slot int, src []int16) error {
	return x.sendBytes(slot, i16, len(src), bytesOf(src))
}

// RecvI16 copies the next message of the slot to dst.
func RecvI16(dst []int16, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, i16, len(dst))
}

// SendI32 sends src.
func SendI32(x *Exchange, slot int, src []int32) error {
	return x.sendBytes(slot, i32, len(src), bytesOf(src))
}

// RecvI32 copies the next message of the slot to dst.
func RecvI32(dst []int32, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, i32, len(dst))
}

// SendI64 sends src.
func SendI64(x *Exchange, slot int, src []int64) error {
	return x.sendBytes(slot, i64, len(src), bytesOf(src))
}

// RecvI64 copies the next message of the slot to dst.
func RecvI64(dst []int64, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, i64, len(dst))
}

// SendU8 sends src.
func SendU8(x *Exchange, slot int, src []uint8) error {
	return x.sendBytes(slot, u8, len(src), bytesOf(src))
}

// RecvU8 copies the next message of the slot to dst.
func RecvU8(dst []uint8, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, u8, len(dst))
}

// SendU16 sends src.
func SendU16(x *Exchange, slot int, src []uint16) error {
	return x.sendBytes(slot, u16, len(src), bytesOf(src))
}

// RecvU16 copies the next message of the slot to dst.
func RecvU16(dst []uint16, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, u16, len(dst))
}

// SendU32 sends src.
func SendU32(x *Exchange, slot int, src []uint32) error {
	return x.sendBytes(slot, u32, len(src), bytesOf(src))
}

// RecvU32 copies the next message of the slot to dst.
func RecvU32(dst []uint32, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, u32, len(dst))
}

// SendU64 sends src.
func SendU64(x *Exchange, slot int, src []uint64) error {
	return x.sendBytes(slot, u64, len(src), bytesOf(src))
}

// RecvU64 copies the next message of the slot to dst.
func RecvU64(dst []uint64, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, u64, len(dst))
}

// SendF16 sends src.
func SendF16(x *Exchange, slot int, src []tensor.F16) error {
	return x.sendBytes(slot, f16, len(src), bytesOf(src))
}

// RecvF16 copies the next message of the slot to dst.
func RecvF16(dst []tensor.F16, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, f16, len(dst))
}

// SendBF16 sends src.
func SendBF16(x *Exchange, slot int, src []tensor.BF16) error {
	return x.sendBytes(slot, bf16, len(src), bytesOf(src))
}

// RecvBF16 copies the next message of the slot to dst.
func RecvBF16(dst []tensor.BF16, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, bf16, len(dst))
}

// SendF32 sends src.
func SendF32(x *Exchange, slot int, src []float32) error {
	return x.sendBytes(slot, f32, len(src), bytesOf(src))
}

// RecvF32 copies the next message of the slot to dst.
func RecvF32(dst []float32, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, f32, len(dst))
}

// SendF64 sends src.
func SendF64(x *Exchange, slot int, src []float64) error {
	return x.sendBytes(slot, f64, len(src), bytesOf(src))
}

// RecvF64 copies the next message of the slot to dst.
func RecvF64(dst []float64, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, f64, len(dst))
}

// SendC64 sends src.
func SendC64(x *Exchange, slot int, src []complex64) error {
	return x.sendBytes(slot, c64, len(src), bytesOf(src))
}

// RecvC64 copies the next message of the slot to dst.
func RecvC64(dst []complex64, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, c64, len(dst))
}

// SendC128 sends src.
func SendC128(x *Exchange, slot int, src []complex128) error {
	return x.sendBytes(slot, c128, len(src), bytesOf(src))
}

// RecvC128 copies the next message of the slot to dst.
func RecvC128(dst []complex128, x *Exchange, slot int) error {
	return x.recvBytes(bytesOf(dst), slot, c128, len(dst))
}

// SendString sends src.
func SendString(x *Exchange, slot int, src []string) error {
	return sendList(x, slot, texts, src, (*message).texts)
}

// RecvString copies the next message of the slot to dst. It then clears the message, so that the
// queue keeps no string alive.
func RecvString(dst []string, x *Exchange, slot int) error {
	return recvList(dst, x, slot, texts, (*message).texts)
}

// SendHandle sends src.
func SendHandle(x *Exchange, slot int, src []tensor.Handle) error {
	return sendList(x, slot, handles, src, (*message).opaque)
}

// RecvHandle copies the next message of the slot to dst. It then clears the message, so that the
// queue keeps no object alive.
func RecvHandle(dst []tensor.Handle, x *Exchange, slot int) error {
	return recvList(dst, x, slot, handles, (*message).opaque)
}

// The methods texts and opaque return the fields of a message that hold strings and handles,
// respectively.
func (m *message) texts() *[]string         { return &m.strings }
func (m *message) opaque() *[]tensor.Handle { return &m.handles }

// sendList sends elements that are not plain bytes. The function list returns the field of the
// message in which the elements are stored.
func sendList[T any](x *Exchange, slot int, k kind, src []T, list func(*message) *[]T) error {
	s, err := x.at(slot)
	if err != nil {
		return err
	}
	m := s.free()
	m.kind, m.n = k, len(src)
	l := list(m)
	*l = append((*l)[:0], src...)
	s.publish(x, m)
	return nil
}

// recvList receives a message that sendList sent. It then clears the message's memory in the queue,
// so that the queue keeps no elements alive.
func recvList[T any](dst []T, x *Exchange, slot int, k kind, list func(*message) *[]T) error {
	s, err := x.at(slot)
	if err != nil {
		return err
	}
	m, err := x.take(s)
	if err != nil {
		return err
	}
	if err := mismatch(slot, m.kind, k, m.n, len(dst)); err != nil {
		return err
	}
	l := *list(m)
	copy(dst, l)
	clear(l)
	s.pop(m)
	return nil
}
