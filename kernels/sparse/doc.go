// Package sparse holds the kernels of sparse tensors: indices, a matrix of as many
// rows as there are values and a column a dimension; the values; and the shape.
//
// Most of them only find out which value goes where: they write places of
// values, which the kernels in pick.go then move, whatever the values' type. What
// a run may feed is checked before anything is written: an index is a place only
// after it has been compared with the shape. Kernels allocate nothing; scratch is
// given by the caller.
package sparse

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./sparse -root ../..

// dense returns the number of elements of a tensor of that shape: InvalidArgument
// for a negative dimension or more elements than an int64 counts. Dimensions behind
// one of 0 may be of any size, as TensorFlow counts.
func dense(shape []int64) (int64, error) {
	n := int64(1)
	for k, d := range shape {
		switch {
		case d < 0:
			return 0, tensor.Errorf(tensor.InvalidArgument, "dimension %d of a sparse tensor is %d, which is negative", k, d)
		case d > 0 && n > math.MaxInt64/d:
			return 0, tensor.Errorf(tensor.InvalidArgument, "a sparse tensor would have too many elements: dimension %d is %d", k, d)
		}
		n *= d
	}
	return n, nil
}

// Shape checks that a shape has no negative dimension and not more elements than
// an int64 counts: InvalidArgument.
func Shape(shape []int64) error {
	_, err := dense(shape)
	return err
}

// Inside checks that all rows of indices are of a tensor of that shape: InvalidArgument.
func Inside(indices, shape []int64) error {
	rank := len(shape)
	for i, v := range indices {
		if n := shape[i%rank]; v < 0 || v >= n {
			return tensor.Errorf(tensor.InvalidArgument, "index %d of row %d is %d, which is outside of a dimension of %d", i%rank, i/rank, v, n)
		}
	}
	return nil
}

// SameShape checks that two shapes are equal: InvalidArgument.
func SameShape(a, b []int64) error {
	if len(a) != len(b) {
		return tensor.Errorf(tensor.InvalidArgument, "operands of the ranks %d and %d must have the same shape", len(a), len(b))
	}
	for k := range a {
		if a[k] != b[k] {
			return tensor.Errorf(tensor.InvalidArgument, "operands' shapes do not match: %d and %d for dimension %d", a[k], b[k], k)
		}
	}
	return nil
}

// compare orders rows of indices: negative where x comes before y.
func compare(x, y []int64) int {
	for k, v := range x {
		if v != y[k] {
			if v < y[k] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// row is row i of a matrix of rank columns.
func row(indices []int64, i, rank int) []int64 { return indices[i*rank : (i+1)*rank] }
