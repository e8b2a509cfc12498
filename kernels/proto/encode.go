package proto

import (
	"math"
	"slices"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// buffers holds messages to which fields are still being appended, and the number of bytes of
// memory that these messages use.
type buffers struct {
	b    [][]byte
	held int
}

// Held implements mem.Holder.
func (w *buffers) Held(map[any]bool) int { return w.held }

// sliceBytes is the size in bytes of a slice header.
const sliceBytes = 24

// Begin stores n empty messages in out[0].
func Begin(run *mem.Budget, out []tensor.Handle, n int) {
	held := mem.Mul(n, sliceBytes)
	run.MustMake(held)
	out[0] = tensor.Handle{V: &buffers{make([][]byte, n), held}}
}

// room returns a slice with the contents of the message b and enough capacity for n more bytes.
func (w *buffers) room(run *mem.Budget, b []byte, n int) []byte {
	if len(b)+n > cap(b) {
		more := max(n, cap(b))
		before := cap(b)
		run.MustMake(more)
		b = slices.Grow(b, more)
		run.MustMake(cap(b) - before - more)
		w.held += cap(b) - before
	}
	return b
}

// End stores the finished messages of out[0] in dst as strings, and then frees the memory of out[0].
func End(run *mem.Budget, dst []string, out []tensor.Handle) {
	w, _ := out[0].V.(*buffers)
	call := run.Call()
	for i := range dst {
		call.Work(16 + len(w.b[i])/8)
		run.MustMake(len(w.b[i]))
		dst[i] = string(w.b[i])
		w.b[i] = nil
	}
	*w = buffers{}
}

// EncodeParams describes a field to write.
type EncodeParams struct {
	Num     int
	Kind    Kind
	Packed  bool
	Column  int // column in sizes
	Columns int
	Width   int // values per message
}

// encode appends values of a field to each message of out[0]. For message m, these are the first n
// values of row m in the slice values, whose rows have p.Width elements. The number n is the element
// of the slice sizes in row m and column p.Column; the rows of sizes have p.Columns elements. encode
// returns InvalidArgument if n exceeds p.Width. It calls the function `one` to append a single value.
// The function length returns the size of a value in bytes. It is nil if the values are numbers.
func encode[T any](run *mem.Budget, out []tensor.Handle, sizes []int32, values []T, p *EncodeParams, length func(T) int, one func(b []byte, v T) []byte) error {
	w, _ := out[0].V.(*buffers)
	call := run.Call()
	defer call.Free()
	for i := range w.b {
		call.Work(2)
		n := int(sizes[i*p.Columns+p.Column])
		if n > p.Width {
			return tensor.Errorf(tensor.InvalidArgument, "Size to write must not be larger than value tensor; but saw: %d > %d at message %d field %d", n, p.Width, i, p.Column)
		}
	}
	var body []byte
	for i := range w.b {
		n := int(sizes[i*p.Columns+p.Column])
		if n <= 0 {
			continue
		}
		row := values[i*p.Width:][:n]
		if p.Packed {
			body = body[:0]
			for _, v := range row {
				call.Work(fieldWork)
				body = one(mem.Grow(&call, body, mostNumber), v)
			}
			w.b[i] = wire.AppendBytes(w.room(run, w.b[i], len(body)+mostNumber), p.Num, body)
			continue
		}
		for _, v := range row {
			most := 2 * mostNumber
			if length != nil {
				most += length(v)
			}
			call.Work(fieldWork + most/8)
			w.b[i] = one(wire.AppendTag(w.room(run, w.b[i], most), p.Num, p.Kind.wire()), v)
		}
	}
	return nil
}

// EncodeF64 appends values of a double or float field to every message.
func EncodeF64(run *mem.Budget, out []tensor.Handle, sizes []int32, values []float64, p EncodeParams) error {
	return encode(run, out, sizes, values, &p, nil, func(b []byte, v float64) []byte {
		if p.Kind == Float {
			return appendValue(b, Float, uint64(math.Float32bits(float32(v))))
		}
		return appendValue(b, Double, math.Float64bits(v))
	})
}

// EncodeF32 is EncodeF64 for float fields and float32 values.
func EncodeF32(run *mem.Budget, out []tensor.Handle, sizes []int32, values []float32, p EncodeParams) error {
	return encode(run, out, sizes, values, &p, nil, func(b []byte, v float32) []byte {
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

// EncodeI64 is EncodeF64 for fields of signed integers.
func EncodeI64(run *mem.Budget, out []tensor.Handle, sizes []int32, values []int64, p EncodeParams) error {
	return encode(run, out, sizes, values, &p, nil, func(b []byte, v int64) []byte { return signed(b, p.Kind, v) })
}

// EncodeI32 is EncodeI64 for signed integers of at most 32 bits and for enumerations.
func EncodeI32(run *mem.Budget, out []tensor.Handle, sizes []int32, values []int32, p EncodeParams) error {
	return encode(run, out, sizes, values, &p, nil, func(b []byte, v int32) []byte { return signed(b, p.Kind, int64(v)) })
}

// EncodeU64 is EncodeF64 for fields of unsigned integers.
func EncodeU64(run *mem.Budget, out []tensor.Handle, sizes []int32, values []uint64, p EncodeParams) error {
	return encode(run, out, sizes, values, &p, nil, func(b []byte, v uint64) []byte { return appendValue(b, p.Kind, v) })
}

// EncodeU32 is EncodeU64 for unsigned integers of at most 32 bits.
func EncodeU32(run *mem.Budget, out []tensor.Handle, sizes []int32, values []uint32, p EncodeParams) error {
	return encode(run, out, sizes, values, &p, nil, func(b []byte, v uint32) []byte { return appendValue(b, p.Kind, uint64(v)) })
}

// EncodeBool is EncodeF64 for fields of bools.
func EncodeBool(run *mem.Budget, out []tensor.Handle, sizes []int32, values []bool, p EncodeParams) error {
	return encode(run, out, sizes, values, &p, nil, func(b []byte, v bool) []byte {
		if v {
			return append(b, 1)
		}
		return append(b, 0)
	})
}

// EncodeString is EncodeF64 for fields of strings, bytes and messages; a message is given in its
// encoded form.
func EncodeString(run *mem.Budget, out []tensor.Handle, sizes []int32, values []string, p EncodeParams) error {
	return encode(run, out, sizes, values, &p, func(v string) int { return len(v) }, func(b []byte, v string) []byte {
		if p.Kind == Group {
			return wire.AppendTag(append(b, v...), p.Num, wire.Close)
		}
		return append(wire.AppendUvarint(b, uint64(len(v))), v...)
	})
}
