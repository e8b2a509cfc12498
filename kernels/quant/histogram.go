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
		if v < hi && hi-lo < 0 { // the difference hi-lo overflows the integer type
			at = math.Min((float64(max(v, lo))-float64(lo))/step, float64(len(out)-1))
		}
		if !(at >= 0) { // at is NaN if the range is infinite, and negative if a difference has overflowed
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
