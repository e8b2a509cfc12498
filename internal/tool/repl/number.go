package repl

import (
	"math"
	"reflect"

	"github.com/graphc/graphc/rt/tensor"
)

// setNumber stores x as element i. If the elements are integers, x is rounded. If they are truth values,
// the element becomes true for x ≥ 0.5.
func setNumber(t *tensor.Tensor, i int, x float64) error {
	switch d := t.Data.(type) {
	case []float32:
		d[i] = float32(x)
	case []float64:
		d[i] = x
	case []tensor.F16:
		d[i] = tensor.ToF16(float32(x))
	case []tensor.BF16:
		d[i] = tensor.ToBF16(float32(x))
	case []complex64:
		d[i] = complex(float32(x), 0)
	case []complex128:
		d[i] = complex(x, 0)
	case []bool:
		d[i] = x >= 0.5
	default:
		v := reflect.ValueOf(t.Data).Index(i)
		switch n := math.Round(x); {
		case v.CanInt() && !v.OverflowInt(int64(n)) && math.Abs(n) < 1<<63:
			v.SetInt(int64(n))
		case v.CanUint() && n >= 0 && n < 1<<63 && !v.OverflowUint(uint64(n)):
			v.SetUint(uint64(n))
		case v.CanInt() || v.CanUint():
			return tensor.Errorf(tensor.InvalidArgument, "%g is beyond the range of %v", n, t.DType)
		default:
			return tensor.Errorf(tensor.InvalidArgument, "elements of type %v are not numbers", t.DType)
		}
	}
	return nil
}

// numbers returns a function that returns element i of t as a float64. For a complex element, the
// function returns the absolute value. For a bool, it returns 0 or 1. The result ok is false if the
// elements are neither numbers nor bools.
func numbers(t *tensor.Tensor) (at func(i int) float64, ok bool) {
	switch d := t.Data.(type) {
	case []float32:
		return func(i int) float64 { return float64(d[i]) }, true
	case []float64:
		return func(i int) float64 { return d[i] }, true
	case []tensor.F16:
		return func(i int) float64 { return float64(d[i].Float32()) }, true
	case []tensor.BF16:
		return func(i int) float64 { return float64(d[i].Float32()) }, true
	case []complex64:
		return func(i int) float64 { return math.Hypot(float64(real(d[i])), float64(imag(d[i]))) }, true
	case []complex128:
		return func(i int) float64 { return math.Hypot(real(d[i]), imag(d[i])) }, true
	case []bool:
		return func(i int) float64 {
			if d[i] {
				return 1
			}
			return 0
		}, true
	case []uint8:
		return func(i int) float64 { return float64(d[i]) }, true
	}
	v := reflect.ValueOf(t.Data)
	switch kind := v.Type().Elem().Kind(); {
	case kind >= reflect.Int && kind <= reflect.Int64:
		return func(i int) float64 { return float64(v.Index(i).Int()) }, true
	case kind >= reflect.Uint && kind <= reflect.Uint64:
		return func(i int) float64 { return float64(v.Index(i).Uint()) }, true
	}
	return nil, false
}
