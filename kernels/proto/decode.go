package proto

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// InputParams describes the form of the messages.
type InputParams struct {
	Text     bool // whether the messages are in protobuf's text form
	Sanitize bool // whether messages are parsed and rewritten before fields are read
}

// Messages converts the messages src to binary messages, from which fields can be read. If p.Text
// or p.Sanitize is set, it rewrites each message in the form that a protobuf library would write.
// Otherwise, it copies the messages. It returns InvalidArgument if src is empty, and DataLoss for a
// message that does not parse.
func Messages(run *mem.Budget, dst, src []string, schema []tensor.Handle, p InputParams) error {
	s, err := schemaOf(schema)
	if err != nil {
		return err
	}
	if len(src) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Bufs argument must contain at least one value")
	}
	for i, m := range src {
		switch {
		case p.Text:
			b, err := s.ParseText(run, m)
			if err != nil {
				return tensor.Errorf(tensor.DataLoss, "Unable to parse text protobuf: element %d: %v", i, err)
			}
			n, ok := s.Normal(run, nil, string(b), 0)
			if !ok {
				return tensor.Errorf(tensor.DataLoss, "Unable to parse text protobuf: element %d lacks a required field", i)
			}
			run.MustMake(len(n))
			dst[i] = string(n)
		case p.Sanitize:
			b, ok := s.Normal(run, nil, m, 0)
			if !ok {
				return tensor.Errorf(tensor.DataLoss, "Unable to parse binary protobuf: element %d", i)
			}
			run.MustMake(len(b))
			dst[i] = string(b)
		default:
			dst[i] = m
		}
	}
	return nil
}

// FieldParams describes a field to read.
type FieldParams struct {
	Num      int
	Kind     Kind
	Repeated bool
	Column   int // column in sizes
	Columns  int
	Width    int // number of values of each message in dst
	// If a message has fewer than Width values, its row in dst is filled up with a default value.
	// Number is the default for floating-point results, Whole for integers and bools, and Text for
	// strings.
	Number float64
	Whole  int // default for integers and bools
	Text   string
}

// values calls the function yield for each value of the field in a message. The parameter v of this
// function holds the bits of a number, body holds a string, bytes or an encoded message, and packed
// reports whether the value is part of a packed list. values returns false for a malformed message.
func (p *FieldParams) values(msg string, yield func(v uint64, body string, packed bool)) bool {
	own := p.Kind.wire()
	for i := 0; i < len(msg); {
		x, after := wire.Next(msg, i, 0)
		if after < 0 {
			return false
		}
		raw := msg[i:after]
		i = after
		switch {
		case x.Num() != p.Num:
		case x.Wire() == wire.Bytes && own != wire.Bytes:
			if own == wire.Open || !wire.Numbers(x.Body, own, func(v uint64) { yield(v, "", true) }) {
				return false
			}
		case x.Wire() != own:
		case own == wire.Open:
			yield(0, raw, false)
		default:
			yield(x.Number(), x.Body, false)
		}
	}
	return true
}

// Sizes counts the values of a field in each message. The slice sizes is a matrix with a row for
// each message and p.Columns columns, and Sizes stores the counts in column p.Column. If a field is
// not repeated, its count is at most 1. Sizes returns the largest count, or 1 if all counts are 0.
// It returns DataLoss for a malformed message.
func Sizes(sizes []int32, messages []string, p FieldParams) (int, error) {
	most := 1
	for i, m := range messages {
		n := 0
		if !p.values(m, func(uint64, string, bool) { n++ }) {
			return 0, tensor.Errorf(tensor.DataLoss, "CountFields: message %d does not parse", i)
		}
		if !p.Repeated {
			n = min(n, 1)
		}
		if n > math.MaxInt32 {
			return 0, tensor.Errorf(tensor.ResourceExhausted, "a field with %d values", n)
		}
		sizes[i*p.Columns+p.Column] = int32(n)
		most = max(most, n)
	}
	return most, nil
}

// decode writes the values of the field in each message to a row of p.Width elements of dst, and
// fills the rest of the row with def. If the field is not repeated, only the last value in the
// message is written. decode calls the function `of` to convert each value to the type T.
func decode[T any](dst []T, messages []string, p *FieldParams, def T, of func(v uint64, body string, packed bool) T) error {
	for i, m := range messages {
		row := dst[i*p.Width : (i+1)*p.Width]
		n := 0
		ok := p.values(m, func(v uint64, body string, packed bool) {
			if !p.Repeated {
				n = 0
			}
			if n < len(row) {
				row[n] = of(v, body, packed)
			}
			n++
		})
		if !ok {
			return tensor.Errorf(tensor.DataLoss, "AccumulateFields: message %d does not parse", i)
		}
		for k := n; k < len(row); k++ {
			row[k] = def
		}
	}
	return nil
}

// DecodeF64 writes the values of a double or float field of every message to a row of Width
// elements, padded with Number. It returns DataLoss for a malformed message.
func DecodeF64(dst []float64, messages []string, p FieldParams) error {
	return decode(dst, messages, &p, p.Number, func(v uint64, _ string, _ bool) float64 {
		if p.Kind == Float {
			return float64(math.Float32frombits(uint32(v)))
		}
		return math.Float64frombits(v)
	})
}

// DecodeF32 is DecodeF64 for float fields and float32 results.
func DecodeF32(dst []float32, messages []string, p FieldParams) error {
	return decode(dst, messages, &p, float32(p.Number), func(v uint64, _ string, _ bool) float32 {
		return math.Float32frombits(uint32(v))
	})
}

// DecodeI64 is DecodeF64 for fields of signed integers. Rows are padded with Whole.
func DecodeI64(dst []int64, messages []string, p FieldParams) error {
	return decode(dst, messages, &p, int64(p.Whole), func(v uint64, _ string, packed bool) int64 {
		switch p.Kind {
		case Int32:
			if packed { // TensorFlow does not sign-extend values of packed lists
				return int64(uint32(v))
			}
			return int64(int32(v))
		case Sfixed32:
			return int64(int32(v))
		case Sint32:
			return int64(zigzag32(uint32(v)))
		case Sint64:
			return zigzag64(v)
		}
		return int64(v)
	})
}

// DecodeI32 is DecodeI64 for signed integers of at most 32 bits and for enumerations.
func DecodeI32(dst []int32, messages []string, p FieldParams) error {
	return decode(dst, messages, &p, int32(p.Whole), func(v uint64, _ string, _ bool) int32 {
		if p.Kind == Sint32 {
			return zigzag32(uint32(v))
		}
		return int32(v)
	})
}

// DecodeU64 is DecodeI64 for fields of unsigned integers.
func DecodeU64(dst []uint64, messages []string, p FieldParams) error {
	return decode(dst, messages, &p, uint64(p.Whole), func(v uint64, _ string, _ bool) uint64 {
		if p.Kind == Uint32 || p.Kind == Fixed32 {
			return uint64(uint32(v))
		}
		return v
	})
}

// DecodeU32 is DecodeU64 for unsigned integers of at most 32 bits.
func DecodeU32(dst []uint32, messages []string, p FieldParams) error {
	return decode(dst, messages, &p, uint32(p.Whole), func(v uint64, _ string, _ bool) uint32 { return uint32(v) })
}

// DecodeBool is DecodeI64 for fields of bools.
func DecodeBool(dst []bool, messages []string, p FieldParams) error {
	return decode(dst, messages, &p, p.Whole != 0, func(v uint64, _ string, _ bool) bool { return v != 0 })
}

// DecodeString is like DecodeI64, but for fields of strings, bytes and messages. It writes messages
// in their encoded form. Rows are padded with Text.
func DecodeString(dst, messages []string, p FieldParams) error {
	return decode(dst, messages, &p, p.Text, func(_ uint64, body string, _ bool) string { return body })
}

func zigzag32(v uint32) int32 { return int32(v>>1) ^ -int32(v&1) }
func zigzag64(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
