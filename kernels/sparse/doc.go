// Package sparse holds the kernels of sparse tensors. A sparse tensor consists of indices, values
// and a shape. The indices are a matrix with a row for each value and a column for each dimension.
//
// Most kernels only compute which value goes where: they write positions of values. The
// kernels in pick.go then move the values, of any type. Inputs may come from outside the program,
// so an index is used only after it has been compared with the shape. Most kernels allocate
// nothing; the caller passes scratch.
package sparse

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./sparse -root ../..

// dense returns the number of elements of a tensor of the given shape, or InvalidArgument
// for a negative dimension or more elements than an int64 can count. As in TensorFlow, the
// dimensions after a dimension of 0 may be arbitrarily large.
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

// Shape returns InvalidArgument if a shape has a negative dimension or more elements than
// an int64 can count.
func Shape(shape []int64) error {
	_, err := dense(shape)
	return err
}

// Inside returns InvalidArgument unless all rows of indices are inside a tensor of the given shape.
func Inside(indices, shape []int64) error {
	rank := len(shape)
	for i, v := range indices {
		if n := shape[i%rank]; v < 0 || v >= n {
			return tensor.Errorf(tensor.InvalidArgument, "index %d of row %d is %d, which is outside of a dimension of %d", i%rank, i/rank, v, n)
		}
	}
	return nil
}

// SameShape returns InvalidArgument unless two shapes are equal.
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

// compare compares rows of indices lexicographically: the result is negative if x comes before y,
// and 0 if they are equal.
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

// row returns row i of a matrix whose rows have rank columns.
func row(indices []int64, i, rank int) []int64 { return indices[i*rank : (i+1)*rank] }
