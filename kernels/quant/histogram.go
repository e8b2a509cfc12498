package quant

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

func histogram[O int32 | int64, T int32 | int64 | float32 | float64](out []O, values, bounds []T) error {
	lo, hi := bounds[0], bounds[1]
	if err := rises(lo, hi); err != nil {
		return err
	}
	for _, v := range values {
		if v != v {
			return tensor.Errorf(tensor.InvalidArgument, "Histogram values must not contain NaN")
		}
	}
	clear(out)
	width := float64(hi - lo)
	if !(width > 0) || math.IsInf(width, 1) {
		width = float64(hi) - float64(lo)
	}
	step := width / float64(len(out))
	for _, v := range values {
		at := math.Min(float64(min(max(v, lo), hi)-lo)/step, float64(len(out)-1))
		if v < hi && hi-lo < 0 { // wider than an integer counts
			at = math.Min((float64(max(v, lo))-float64(lo))/step, float64(len(out)-1))
		}
		if !(at >= 0) { // a range that is infinite, or wider than the type counts
			at = 0
		}
		out[int(at)]++
	}
	return nil
}

func rises[T int32 | int64 | float32 | float64](lo, hi T) error {
	if !(lo < hi) {
		return tensor.Errorf(tensor.InvalidArgument, "value_range must rise, it is %v to %v", lo, hi)
	}
	return nil
}

// RisesF32 refuses, with InvalidArgument, bounds of which the first is not below the second.
func RisesF32(bounds []float32) error { return rises(bounds[0], bounds[1]) }

// RisesF64 is RisesF32 for f64.
func RisesF64(bounds []float64) error { return rises(bounds[0], bounds[1]) }

// Histogram32I32 counts values in len(out) bins of equal width between the two
// bounds; what lies outside counts in the first or last bin. InvalidArgument
// when the bounds do not rise, and for a NaN.
func Histogram32I32(out, values, bounds []int32) error { return histogram(out, values, bounds) }

// Histogram32I64 is Histogram32I32 for i64 values.
func Histogram32I64(out []int32, values, bounds []int64) error { return histogram(out, values, bounds) }

// Histogram32F32 is Histogram32I32 for f32 values.
func Histogram32F32(out []int32, values, bounds []float32) error {
	return histogram(out, values, bounds)
}

// Histogram32F64 is Histogram32I32 for f64 values.
func Histogram32F64(out []int32, values, bounds []float64) error {
	return histogram(out, values, bounds)
}

// Histogram64I32 is Histogram32I32 with i64 counts.
func Histogram64I32(out []int64, values, bounds []int32) error { return histogram(out, values, bounds) }

// Histogram64I64 is Histogram64I32 for i64 values.
func Histogram64I64(out, values, bounds []int64) error { return histogram(out, values, bounds) }

// Histogram64F32 is Histogram64I32 for f32 values.
func Histogram64F32(out []int64, values, bounds []float32) error {
	return histogram(out, values, bounds)
}

// Histogram64F64 is Histogram64I32 for f64 values.
func Histogram64F64(out []int64, values, bounds []float64) error {
	return histogram(out, values, bounds)
}
