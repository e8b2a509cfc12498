package segment

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/vmath"
	"github.com/graphc/graphc/rt/tensor"
)

// Scale is the divisor of a sum over a segment.
type Scale int

// The scales.
const (
	Sum   Scale = iota // nothing
	Mean               // the number of rows
	SqrtN              // its square root
)

func (s Scale) divisor(n int) float64 {
	switch s {
	case Mean:
		return float64(n)
	case SqrtN:
		return math.Sqrt(float64(n))
	}
	return 1
}

// SparseParams describes sums of gathered rows. The input has Limit rows of Inner elements. Some of
// its rows are gathered and added up in Rows segments.
type SparseParams struct {
	Limit, Inner, Rows int
	Scale              Scale
}

// spans returns InvalidArgument if ids are not sorted, or if an element of ids or of indices is out
// of range. Otherwise, it calls the function f for each segment that has rows. The parameter id of
// this function is the segment, and ids[lo:hi] are the elements of ids that equal id.
func spans[I integer](indices, ids []I, p *SparseParams, f func(id, lo, hi int)) error {
	if err := sorted(ids, p.Rows); err != nil {
		return err
	}
	for i, x := range indices {
		if x < 0 || int64(x) >= int64(p.Limit) {
			return tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %d is out of range [0, %d)", i, x, p.Limit)
		}
	}
	for i := 0; i < len(ids); {
		j := i + 1
		for j < len(ids) && ids[j] == ids[i] {
			j++
		}
		f(int(ids[i]), i, j)
		i = j
	}
	return nil
}

func sparse[T realNumber, I integer](dst, data []T, indices, ids []I, p SparseParams) error {
	clear(dst)
	data = data[:p.Limit*p.Inner]
	return spans(indices, ids, &p, func(id, lo, hi int) {
		to := dst[id*p.Inner:][:p.Inner]
		if !sumGathered(to, data, indices[lo:hi]) {
			for _, x := range indices[lo:hi] {
				addRow(to, data[int(x)*p.Inner:][:p.Inner])
			}
		}
		if d := T(p.Scale.divisor(hi - lo)); p.Scale != Sum {
			for j := range to {
				to[j] /= d
			}
		}
	})
}

// sumGathered uses package vmath to compute a sum of rows of data, and stores the sum in the slice
// `to`. The slice indices holds the numbers of these rows. sumGathered returns false if vmath cannot
// compute the sum, for example because the type is not float32.
func sumGathered[T realNumber, I integer](to, data []T, indices []I) bool {
	d, ok := any(to).([]float32)
	if !ok || len(d) < short {
		return false
	}
	switch ix := any(indices).(type) {
	case []int32:
		return vmath.SumGathered(d, any(data).([]float32), ix)
	case []int64:
		return vmath.SumGatheredLong(d, any(data).([]float32), ix)
	}
	return false
}

// short is the smallest row length at which a call of package vmath is faster than a loop in this
// package.
const short = 4

// sparseHalf sums gathered rows of 16-bit floats. It adds and divides in float32, and rounds each
// result once.
func sparseHalf[T half, I integer](dst, data []T, indices, ids []I, p SparseParams, to func(float32) T) error {
	clear(dst)
	return spans(indices, ids, &p, func(id, lo, hi int) {
		row := dst[id*p.Inner:][:p.Inner]
		d := float32(p.Scale.divisor(hi - lo))
		for j := range row {
			s := float32(0)
			for _, x := range indices[lo:hi] {
				s += data[int(x)*p.Inner+j].Float32()
			}
			row[j] = to(s / d)
		}
	})
}

// counts sets n[s] to the number of rows of segment s, that is, the number of elements of ids that
// equal s. It returns InvalidArgument if an element of ids or of indices is out of range.
func counts[I integer](n []int64, indices, ids []I, p *SparseParams) error {
	clear(n)
	for i, id := range ids {
		if id < 0 || int64(id) >= int64(p.Rows) {
			return tensor.Errorf(tensor.InvalidArgument, "Segment id %d out of range [0, %d).", id, p.Rows)
		}
		if x := indices[i]; x < 0 || int64(x) >= int64(p.Limit) {
			return tensor.Errorf(tensor.InvalidArgument, "Index %d out of range [0, %d).", x, p.Limit)
		}
		n[id]++
	}
	return nil
}

func sparseGrad[T float32 | float64, I integer](dst, grad []T, indices, ids []I, n []int64, p SparseParams) error {
	clear(dst)
	if err := counts(n, indices, ids, &p); err != nil {
		return err
	}
	for i, id := range ids {
		scale := T(1 / p.Scale.divisor(int(n[id])))
		to := dst[int(indices[i])*p.Inner:][:p.Inner]
		for j, v := range grad[int(id)*p.Inner:][:p.Inner] {
			to[j] += T(v * scale)
		}
	}
	return nil
}

func sparseGradHalf[T half, I integer](dst, grad []T, indices, ids []I, n []int64, p SparseParams, round func(float32) T) error {
	clear(dst)
	if err := counts(n, indices, ids, &p); err != nil {
		return err
	}
	for i, id := range ids {
		scale := round(float32(1 / p.Scale.divisor(int(n[id])))).Float32()
		to := dst[int(indices[i])*p.Inner:][:p.Inner]
		for j, v := range grad[int(id)*p.Inner:][:p.Inner] {
			to[j] = round(to[j].Float32() + round(float32(v.Float32()*scale)).Float32())
		}
	}
	return nil
}

// WidenI32 stores x as i64.
func WidenI32(dst []int64, x []int32) {
	for i, v := range x {
		dst[i] = int64(v)
	}
}
