package tensor

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Shape is a concrete shape: the sizes of the dimensions. The shape of a scalar is empty.
type Shape []int

// String formats the shape as "[2,3]".
func (s Shape) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, d := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(d))
	}
	b.WriteByte(']')
	return b.String()
}

// Len returns the number of elements. As in TensorFlow, the error is InvalidArgument if a dimension is
// negative or the product of the dimensions overflows.
func (s Shape) Len() (int, error) {
	n, zero := 1, false
	for _, d := range s {
		switch {
		case d < 0:
			return 0, Errorf(InvalidArgument, "shape %v has a negative dimension", s)
		case d == 0:
			zero = true
		case n > math.MaxInt/d:
			return 0, Errorf(InvalidArgument, "shape %v has too many elements", s)
		default:
			n *= d
		}
	}
	if zero {
		return 0, nil
	}
	return n, nil
}

// Equal reports whether the dimensions are the same.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

// Of is a dense, row-major tensor with elements of type T. It is the type of inputs and results in
// a compiled model's typed API.
type Of[T Elem] struct {
	Shape []int
	Data  []T
}

// Scalar returns a tensor of rank 0.
func Scalar[T Elem](v T) Of[T] { return Of[T]{Data: []T{v}} }

// Vector returns a tensor of rank 1 that shares the memory of v.
func Vector[T Elem](v []T) Of[T] { return Of[T]{Shape: []int{len(v)}, Data: v} }

// Tensor is a dense, row-major tensor of any element type.
type Tensor struct {
	DType DType
	Shape Shape
	Data  any // []float32, []string, …: a slice of DType.GoType()
}

// MaxBytes is the default limit in bytes for a tensor that New allocates.
const MaxBytes = min(1<<40, math.MaxInt)

// New allocates a zeroed tensor. The error is InvalidArgument for an invalid shape or type, and
// ResourceExhausted for more than limit bytes. A limit of 0 means MaxBytes.
func New(d DType, shape Shape, limit int) (*Tensor, error) {
	if !d.IsData() {
		return nil, Errorf(InvalidArgument, "a tensor of %s cannot be stored", d)
	}
	n, err := shape.Len()
	if err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = MaxBytes
	}
	if n > limit/d.Size() {
		return nil, Errorf(ResourceExhausted, "a tensor %s%v takes more than %d bytes", d, shape, limit)
	}
	return &Tensor{d, slices.Clone(shape), MakeSlice(d, n)}, nil
}

// MakeSlice returns a zeroed slice of n elements of d's Go type.
func MakeSlice(d DType, n int) any {
	switch d {
	case Float32:
		return make([]float32, n)
	case Int32:
		return make([]int32, n)
	case Int64:
		return make([]int64, n)
	case String:
		return make([]string, n)
	}
	return reflect.MakeSlice(reflect.SliceOf(d.GoType()), n, n).Interface()
}

// From returns a tensor that shares the memory of data. The error is InvalidArgument if the length of
// data is not the number of elements of the shape.
func From[T Elem](shape Shape, data []T) (*Tensor, error) {
	n, err := shape.Len()
	if err != nil {
		return nil, err
	}
	if n != len(data) {
		return nil, Errorf(InvalidArgument, "%d elements given for the shape %v", len(data), shape)
	}
	return &Tensor{DTypeOf[T](), shape, data}, nil
}

// Must returns t, or panics if err is not nil. It is for constants in code and tests.
func Must(t *Tensor, err error) *Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

// Data returns the elements, or nil if they are not of type T.
func Data[T Elem](t *Tensor) []T {
	d, _ := t.Data.([]T)
	return d
}

// Len returns the number of elements.
func (t *Tensor) Len() int {
	if t.Data == nil {
		return 0
	}
	return reflect.ValueOf(t.Data).Len()
}

// Rank returns the number of dimensions.
func (t *Tensor) Rank() int { return len(t.Shape) }

// String formats the type and shape as "f32[2,3]".
func (t *Tensor) String() string { return fmt.Sprintf("%v%v", t.DType, t.Shape) }

// Ints returns the elements of an integer tensor as int64. It returns false for other types.
func (t *Tensor) Ints() ([]int64, bool) {
	switch d := t.Data.(type) {
	case []int64:
		return d, true
	case []int32:
		return widen(d), true
	case []int16:
		return widen(d), true
	case []int8:
		return widen(d), true
	case []uint8:
		return widen(d), true
	case []uint16:
		return widen(d), true
	case []uint32:
		return widen(d), true
	case []uint64:
		return widen(d), true
	}
	return nil, false
}

func widen[T int8 | int16 | int32 | uint8 | uint16 | uint32 | uint64](s []T) []int64 {
	r := make([]int64, len(s))
	for i, v := range s {
		r[i] = int64(v)
	}
	return r
}
