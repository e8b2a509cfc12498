package frontend

import (
	"encoding/binary"
	"slices"

	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/tensor"
)

const (
	// maxSplat is the largest size in bytes of one constant whose values are repeated to fill its
	// shape.
	maxSplat = 1 << 30
	// maxSplats is the largest total size in bytes of all constants whose values are repeated.
	maxSplats = 2 << 30
)

// tensor decodes a constant in the same way as TensorFlow. If a typed field has fewer values than
// the shape has elements, its last value is repeated; if it has no value, all elements are zero. If
// it has more values, the rest is ignored. A constant whose shape has unknown rank is a scalar. The
// length of tensor_content must match the shape. The result for a resource or variant has no Data.
func (c attrs) tensor(t *pb.TensorProto) (*tensor.Tensor, error) {
	if !knownType(t.Dtype) || t.Dtype == 0 || isRefType(t.Dtype) {
		return nil, invalid("a tensor's type is number %d, which no tensor has", int32(t.Dtype))
	}
	d := tensor.DType(t.Dtype)
	shape := tensor.Shape{}
	if len(t.GetTensorShape().GetDim()) > maxRank {
		return nil, invalid("a tensor of rank %d; at most %d", len(t.TensorShape.Dim), maxRank)
	}
	if !t.GetTensorShape().GetUnknownRank() {
		for _, dim := range t.GetTensorShape().GetDim() {
			shape = append(shape, int(dim.Size))
		}
	}
	n, err := shape.Len()
	if err != nil {
		return nil, err
	}
	switch {
	case d == tensor.Resource || d == tensor.Variant:
		// The value refers to an object of another process, so it has no Data. CheckReached rejects
		// its use.
		return &tensor.Tensor{DType: d, Shape: shape}, nil
	case !d.IsData():
		return nil, invalid("constants of type %v cannot be read", t.Dtype)
	}
	if d == tensor.String {
		return c.strings(t, shape, n)
	}
	if len(t.TensorContent) > 0 {
		raw := t.TensorContent
		if n > len(raw)/d.Size() || n*d.Size() != len(raw) {
			return nil, invalid("tensor_content has %d bytes; %s%v takes %d elements of %d bytes", len(raw), d, shape, n, d.Size())
		}
		r, err := tensor.New(d, shape, 0)
		if err != nil {
			return nil, err
		}
		if d == tensor.Bool {
			if i := slices.IndexFunc(raw, func(b byte) bool { return b > 1 }); i >= 0 {
				return nil, invalid("byte %d of tensor_content is %d; a bool is 0 or 1", i, raw[i])
			}
		}
		bundle.Decode(r.Data, raw, false)
		return r, nil
	}
	if err := c.take(d, shape, n, valueCount(t)); err != nil {
		return nil, err
	}
	r, err := tensor.New(d, shape, 0)
	if err != nil {
		return nil, err
	}
	switch data := r.Data.(type) {
	case []float32:
		splat(data, t.FloatVal, func(v float32) float32 { return v })
	case []float64:
		splat(data, t.DoubleVal, func(v float64) float64 { return v })
	case []int8:
		splat(data, t.IntVal, func(v int32) int8 { return int8(v) })
	case []uint8:
		splat(data, t.IntVal, func(v int32) uint8 { return uint8(v) })
	case []int16:
		splat(data, t.IntVal, func(v int32) int16 { return int16(v) })
	case []uint16:
		splat(data, t.IntVal, func(v int32) uint16 { return uint16(v) })
	case []int32:
		splat(data, t.IntVal, func(v int32) int32 { return v })
	case []uint32:
		splat(data, t.Uint32Val, func(v uint32) uint32 { return v })
	case []int64:
		splat(data, t.Int64Val, func(v int64) int64 { return v })
	case []uint64:
		splat(data, t.Uint64Val, func(v uint64) uint64 { return v })
	case []bool:
		splat(data, t.BoolVal, func(v bool) bool { return v })
	case []tensor.F16:
		splat(data, t.HalfVal, func(v int32) tensor.F16 { return tensor.F16(v) })
	case []tensor.BF16:
		splat(data, t.HalfVal, func(v int32) tensor.BF16 { return tensor.BF16(v) })
	case []complex64:
		splat(data, pairs(t.ScomplexVal), func(v [2]float32) complex64 { return complex(v[0], v[1]) })
	case []complex128:
		splat(data, pairs(t.DcomplexVal), func(v [2]float64) complex128 { return complex(v[0], v[1]) })
	}
	return r, nil
}

// valueCount returns how many elements the typed fields hold; at most one of these fields has
// values.
func valueCount(t *pb.TensorProto) int {
	return len(t.FloatVal) + len(t.DoubleVal) + len(t.IntVal) + len(t.Uint32Val) + len(t.Int64Val) + len(t.Uint64Val) +
		len(t.BoolVal) + len(t.HalfVal) + len(t.ScomplexVal)/2 + len(t.DcomplexVal)/2
}

// take returns an error if a constant has fewer values than elements (n) and repeating the values
// would need too much memory. Otherwise it subtracts the size of the constant from the budget
// c.splat.
func (c attrs) take(d tensor.DType, shape tensor.Shape, n, values int) error {
	if n <= values {
		return nil
	}
	if n > maxSplat/d.Size() {
		return invalid("%d values would have to fill %s%v; repetition is accepted up to %d bytes", values, d, shape, maxSplat)
	}
	if c.splat != nil {
		if *c.splat -= int64(n * d.Size()); *c.splat < 0 {
			return tensor.Errorf(tensor.ResourceExhausted, "the constants filled by repetition take more than %d bytes in total", int64(maxSplats))
		}
	}
	return nil
}

func splat[D, S any](dst []D, src []S, conv func(S) D) {
	n := min(len(dst), len(src))
	for i, v := range src[:n] {
		dst[i] = conv(v)
	}
	if n > 0 {
		for i := n; i < len(dst); i++ {
			dst[i] = dst[n-1]
		}
	}
}

func pairs[T any](s []T) [][2]T {
	r := make([][2]T, len(s)/2)
	for i := range r {
		r[i] = [2]T{s[2*i], s[2*i+1]}
	}
	return r
}

// strings decodes string_val, or tensor_content, which holds first the lengths of all strings as
// varints and then their bytes.
func (c attrs) strings(t *pb.TensorProto, shape tensor.Shape, n int) (*tensor.Tensor, error) {
	if raw := t.TensorContent; len(raw) > 0 {
		if n > len(raw) {
			return nil, invalid("tensor_content has %d bytes for %d strings", len(raw), n)
		}
		lengths := make([]uint64, n)
		for i := range lengths {
			l, m := binary.Uvarint(raw)
			if m <= 0 {
				return nil, invalid("the length of string %d in tensor_content does not parse", i)
			}
			lengths[i], raw = l, raw[m:]
		}
		out := make([]string, n)
		for i, l := range lengths {
			if l > uint64(len(raw)) {
				return nil, invalid("string %d of tensor_content has %d bytes, %d are left", i, l, len(raw))
			}
			out[i], raw = string(raw[:l]), raw[l:]
		}
		if len(raw) > 0 {
			return nil, invalid("%d bytes follow the last string of tensor_content", len(raw))
		}
		return tensor.From(shape, out)
	}
	if err := c.take(tensor.String, shape, n, len(t.StringVal)); err != nil {
		return nil, err
	}
	out := make([]string, n)
	splat(out, t.StringVal, func(b []byte) string { return string(b) })
	return tensor.From(shape, out)
}
