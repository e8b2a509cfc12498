package array

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

func rangeInts[T int32 | int64](dst, start, delta []T) {
	v, step := start[0], delta[0]
	for i := range dst {
		dst[i] = v
		v += step
	}
}

func rangeFloats[T float32 | float64](dst, start, delta []T) {
	v, step := start[0], delta[0]
	for i := range dst {
		dst[i] = v + T(T(i)*step)
	}
}

// half is a 16-bit float.
type half interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}

// rangeHalf writes start + i·delta. It rounds i, the product and the sum to T, one after the other.
func rangeHalf[T half](dst, start, delta []T, to func(float32) T) {
	v, step := start[0].Float32(), delta[0].Float32()
	for i := range dst {
		at := to(float32(i)).Float32()
		dst[i] = to(v + to(float32(at*step)).Float32())
	}
}

func rangeLenInts[T int32 | int64](start, limit, delta []T) (int, error) {
	a, b, d := int64(start[0]), int64(limit[0]), int64(delta[0])
	if err := rangeOK(d == 0, d > 0 && a > b, d < 0 && a < b); err != nil {
		return 0, err
	}
	span, step := uint64(b)-uint64(a), uint64(d)
	if d < 0 {
		span, step = -span, -step
	}
	n := span / step
	if span%step != 0 {
		n++
	}
	if n > math.MaxInt64 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Range of %d elements", n)
	}
	if n > math.MaxInt64/8 {
		return 0, tensor.Errorf(tensor.ResourceExhausted, "Range of %d elements", n)
	}
	return int(n), nil
}

func rangeOK(zero, down, up bool) error {
	switch {
	case zero:
		return tensor.Errorf(tensor.InvalidArgument, "Requires delta != 0")
	case down:
		return tensor.Errorf(tensor.InvalidArgument, "Requires start <= limit when delta > 0")
	case up:
		return tensor.Errorf(tensor.InvalidArgument, "Requires start >= limit when delta < 0")
	}
	return nil
}

func rangeLenFloats[T float32 | float64](start, limit, delta []T) (int, error) {
	a, b, d := start[0], limit[0], delta[0]
	if err := rangeOK(d == 0, d > 0 && a > b, d < 0 && a < b); err != nil {
		return 0, err
	}
	return rangeCount(math.Ceil(math.Abs(float64((b - a) / d))))
}

func rangeLenHalf[T half](start, limit, delta []T, to func(float32) T) (int, error) {
	a, b, d := start[0].Float32(), limit[0].Float32(), delta[0].Float32()
	if err := rangeOK(d == 0, d > 0 && a > b, d < 0 && a < b); err != nil {
		return 0, err
	}
	return rangeCount(math.Ceil(math.Abs(float64(to(to(b-a).Float32() / d).Float32()))))
}

func rangeCount(n float64) (int, error) {
	if !(n >= 0 && n < math.MaxInt64/8) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Range of %v elements", n)
	}
	return int(n), nil
}

func linSpace[T float32 | float64](dst, start, stop []T) {
	n := len(dst)
	if n == 0 {
		return
	}
	dst[0] = start[0]
	if n == 1 {
		return
	}
	step := (stop[0] - start[0]) / T(n-1)
	for i := 1; i < n-1; i++ {
		dst[i] = start[0] + T(step*T(i))
	}
	dst[n-1] = stop[0]
}
