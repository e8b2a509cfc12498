package proto

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/tensor"
)

// buffers are messages that are being written.
type buffers struct{ b [][]byte }

// Begin makes out[0] n empty messages.
func Begin(out []tensor.Handle, n int) {
	out[0] = tensor.Handle{V: &buffers{make([][]byte, n)}}
}

// End stores the messages of out[0].
func End(dst []string, out []tensor.Handle) {
	w, _ := out[0].V.(*buffers)
	for i := range dst {
		dst[i] = string(w.b[i])
	}
}

// EncodeParams describe a field that is written.
type EncodeParams struct {
	Num     int
	Kind    Kind
	Packed  bool
	Column  int // of sizes
	Columns int
	Width   int // values of a message
}

// encode appends to every message the first of its values, as many as sizes says:
// InvalidArgument for more than there are.
func encode[T any](out []tensor.Handle, sizes []int32, values []T, p *EncodeParams, one func(b []byte, v T) []byte) error {
	w, _ := out[0].V.(*buffers)
	for i := range w.b {
		n := int(sizes[i*p.Columns+p.Column])
		if n > p.Width {
			return tensor.Errorf(tensor.InvalidArgument, "Size to write must not be larger than value tensor; but saw: %d > %d at message %d field %d", n, p.Width, i, p.Column)
		}
	}
	for i := range w.b {
		n := int(sizes[i*p.Columns+p.Column])
		if n <= 0 {
			continue
		}
		row := values[i*p.Width:][:n]
		if p.Packed {
			var body []byte
			for _, v := range row {
				body = one(body, v)
			}
			w.b[i] = wire.AppendBytes(w.b[i], p.Num, body)
			continue
		}
		for _, v := range row {
			w.b[i] = one(wire.AppendTag(w.b[i], p.Num, p.Kind.wire()), v)
		}
	}
	return nil
}

// EncodeF64 appends values of a double or float to every message.
func EncodeF64(out []tensor.Handle, sizes []int32, values []float64, p EncodeParams) error {
	return encode(out, sizes, values, &p, func(b []byte, v float64) []byte {
		if p.Kind == Float {
			return appendValue(b, Float, uint64(math.Float32bits(float32(v))))
		}
		return appendValue(b, Double, math.Float64bits(v))
	})
}

// EncodeF32 is EncodeF64 of floats.
func EncodeF32(out []tensor.Handle, sizes []int32, values []float32, p EncodeParams) error {
	return encode(out, sizes, values, &p, func(b []byte, v float32) []byte {
		return appendValue(b, Float, uint64(math.Float32bits(v)))
	})
}

// signed appends a signed integer.
func signed(b []byte, k Kind, v int64) []byte {
	switch k {
	case Sint32:
		return wire.AppendUvarint(b, uint64(uint32(int32(v)<<1)^uint32(int32(v)>>31)))
	case Sint64:
		return wire.AppendUvarint(b, uint64(v<<1)^uint64(v>>63))
	}
	return appendValue(b, k, uint64(v))
}

// EncodeI64 is EncodeF64 of signed integers.
func EncodeI64(out []tensor.Handle, sizes []int32, values []int64, p EncodeParams) error {
	return encode(out, sizes, values, &p, func(b []byte, v int64) []byte { return signed(b, p.Kind, v) })
}

// EncodeI32 is EncodeI64 of at most 32 bits, and of enumerations.
func EncodeI32(out []tensor.Handle, sizes []int32, values []int32, p EncodeParams) error {
	return encode(out, sizes, values, &p, func(b []byte, v int32) []byte { return signed(b, p.Kind, int64(v)) })
}

// EncodeU64 is EncodeF64 of unsigned integers.
func EncodeU64(out []tensor.Handle, sizes []int32, values []uint64, p EncodeParams) error {
	return encode(out, sizes, values, &p, func(b []byte, v uint64) []byte { return appendValue(b, p.Kind, v) })
}

// EncodeU32 is EncodeU64 of at most 32 bits.
func EncodeU32(out []tensor.Handle, sizes []int32, values []uint32, p EncodeParams) error {
	return encode(out, sizes, values, &p, func(b []byte, v uint32) []byte { return appendValue(b, p.Kind, uint64(v)) })
}

// EncodeBool is EncodeF64 of truths.
func EncodeBool(out []tensor.Handle, sizes []int32, values []bool, p EncodeParams) error {
	return encode(out, sizes, values, &p, func(b []byte, v bool) []byte {
		if v {
			return append(b, 1)
		}
		return append(b, 0)
	})
}

// EncodeString is EncodeF64 of strings, bytes and messages as bytes.
func EncodeString(out []tensor.Handle, sizes []int32, values []string, p EncodeParams) error {
	return encode(out, sizes, values, &p, func(b []byte, v string) []byte {
		if p.Kind == Group {
			return wire.AppendTag(append(b, v...), p.Num, wire.Close)
		}
		return append(wire.AppendUvarint(b, uint64(len(v))), v...)
	})
}
