package ragged

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

type number interface {
	int32 | int64 | float32 | float64
}

// rangeSplits writes the row splits of a ragged tensor whose row i is a range: starts[i],
// starts[i]+deltas[i] and so on, up to but excluding limits[i]. It returns the total number of
// elements. If p.Start is 0, starts has a single element, which is used for all rows. The same holds
// for p.Limit and limits, and for p.Delta and deltas. rangeSplits returns InvalidArgument for a delta
// of zero, for a range that is not finite, and if there are more than p.Most elements.
func rangeSplits[T number](splits []int64, starts, limits, deltas []T, p RangeParams, size func(lo, hi, step T) (int64, bool)) (int, error) {
	splits[0] = 0
	for r := range len(splits) - 1 {
		lo, hi, step := starts[p.Start*r], limits[p.Limit*r], deltas[p.Delta*r]
		if step == 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "Requires delta != 0")
		}
		n, ok := int64(0), true
		if !(step > 0 && hi < lo) && !(step < 0 && hi > lo) {
			n, ok = size(lo, hi, step)
		}
		if !ok || n > int64(p.Most) {
			return 0, tensor.Errorf(tensor.InvalidArgument, "Requires ((limit - start) / delta) <= %d", p.Most)
		}
		if n > int64(p.Most)-splits[r] {
			return 0, tensor.Errorf(tensor.InvalidArgument, "The total range size overflowed: the row splits end at %d at most", p.Most)
		}
		splits[r+1] = splits[r] + n
	}
	return int(splits[len(splits)-1]), nil
}

// RangeParams describes RaggedRange. Each of Start, Limit and Delta belongs to one argument. It is
// 1 if the argument has an element for each row, and 0 if the argument has a single element, which
// is used for all rows. Most is the largest row split that is allowed.
type RangeParams struct{ Start, Limit, Delta, Most int }

// sizeInt returns ⌈|hi-lo|/|step|⌉.
func sizeInt[T int32 | int64](lo, hi, step T) (int64, bool) {
	span, by := uint64(hi)-uint64(lo), uint64(step)
	if hi < lo {
		span = -span
	}
	if step < 0 {
		by = -by
	}
	n := span / by
	if span%by != 0 {
		n++
	}
	return int64(n), n <= math.MaxInt64
}

func sizeF32(lo, hi, step float32) (int64, bool) {
	n := math.Ceil(math.Abs(float64((hi - lo) / step)))
	return int64(n), n < 1<<63
}

func sizeF64(lo, hi, step float64) (int64, bool) {
	n := math.Ceil(math.Abs((hi - lo) / step))
	return int64(n), n < 1<<63
}

// fill writes the elements of the ranges. Each element is the previous one plus the delta.
func fill[T number](dst []T, splits []int64, starts, deltas []T, p RangeParams) {
	for r := range len(splits) - 1 {
		v, step := starts[p.Start*r], deltas[p.Delta*r]
		row := dst[splits[r]:splits[r+1]]
		for i := range row {
			row[i] = v
			v += step
		}
	}
}
