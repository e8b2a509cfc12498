// Package count counts integers by value, and finds the bucket into which a number falls.
package count

import "github.com/graphc/graphc/rt/tensor"

type index interface{ int32 | int64 }

type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// Bins describes a count of values. There are Rows rows of Cols values, and Size bins for each row.
// If Binary is set, the bin of a value that occurs is 1, whatever its count. Values of Size and
// more are skipped.
//
// F32I32 and its variants set dst to the counts of src's values by row, or to the sums of their
// weights. weights has src's length or is empty. The kernels return InvalidArgument for a negative
// value.
type Bins struct {
	Rows, Cols, Size int
	Binary           bool
}

// count sets dst[r·Size+v] to the sum of the weights of the values v in row r. Without
// weights each value counts 1. Values of Size and more are skipped.
func count[T number, I index](dst []T, src []I, weights []T, p Bins) error {
	for _, v := range src {
		if v < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Input arr must be non-negative!")
		}
	}
	clear(dst)
	for r := range p.Rows {
		row := dst[r*p.Size:][:p.Size]
		for c := range p.Cols {
			v := int64(src[r*p.Cols+c])
			if v >= int64(p.Size) {
				continue
			}
			switch {
			case p.Binary:
				row[v] = 1
			case len(weights) > 0:
				row[v] += weights[r*p.Cols+c]
			default:
				row[v]++
			}
		}
	}
	return nil
}

// half does the same as count for 16-bit floats. It adds them in float32 and rounds each sum.
func half[T tensor.F16 | tensor.BF16, I index](dst []T, src []I, weights []T, p Bins, get func(T) float32, put func(float32) T) error {
	for _, v := range src {
		if v < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Input arr must be non-negative!")
		}
	}
	clear(dst)
	for r := range p.Rows {
		row := dst[r*p.Size:][:p.Size]
		for c := range p.Cols {
			v := int64(src[r*p.Cols+c])
			if v >= int64(p.Size) {
				continue
			}
			w := float32(1)
			if len(weights) > 0 && !p.Binary {
				w = get(weights[r*p.Cols+c])
			}
			if p.Binary {
				row[v] = put(1)
			} else {
				row[v] = put(get(row[v]) + w)
			}
		}
	}
	return nil
}

func getF16(x tensor.F16) float32 { return x.Float32() }

func getBF16(x tensor.BF16) float32 { return x.Float32() }

// bucket sets dst[i] to the bucket of src[i]: the number of bounds at or below it. The bounds must
// rise. NaN falls into the last bucket.
func bucket[T int32 | int64 | float32 | float64](dst []int32, src []T, bounds []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		lo, hi := 0, len(bounds)
		for lo < hi {
			m := int(uint(lo+hi) >> 1)
			if float64(x) < float64(bounds[m]) {
				hi = m
			} else {
				lo = m + 1
			}
		}
		dst[i] = int32(lo)
	}
}

// Weights checks that there are either n weights, one for each value, or no weights.
func Weights(weights, n int) error {
	if weights != 0 && weights != n {
		return tensor.Errorf(tensor.InvalidArgument, "%d weights for %d values: there must be one each, or none", weights, n)
	}
	return nil
}
