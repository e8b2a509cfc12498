package sparse

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Append copies the indices of one sparse tensor to out, as a step of a concatenation of several
// tensors along an axis. The parameter total is the shape of the concatenation of all earlier
// tensors. Append shifts the indices along the axis by the size of that concatenation, and then
// adds the size of the new tensor to total. For the first tensor, first must be true, and Append
// copies its shape to total.
//
// A negative axis counts from the end. Append returns Internal for a bad shape. It returns
// InvalidArgument for an axis out of range, and for a shape that differs from total in a dimension
// other than the axis.
func Append(out, total, indices, shape []int64, axis int, first bool) error {
	if _, err := dense(shape); err != nil {
		return tensor.Errorf(tensor.Internal, "the shape of an operand has a negative dimension or too many elements")
	}
	rank := len(shape)
	if axis < -rank || axis >= rank {
		return tensor.Errorf(tensor.InvalidArgument, "concat dimension must be in range [%d, %d), got %d", -rank, rank, axis)
	}
	if axis < 0 {
		axis += rank
	}
	copy(out, indices)
	if first {
		copy(total, shape)
		return nil
	}
	for k, d := range shape {
		if k != axis && d != total[k] {
			return tensor.Errorf(tensor.InvalidArgument, "input shapes must match: %d and %d for dimension %d", total[k], d, k)
		}
	}
	if total[axis] > math.MaxInt64-shape[axis] {
		return tensor.Errorf(tensor.InvalidArgument, "the concatenation has too many elements")
	}
	for i := axis; i < len(out); i += rank {
		out[i] += total[axis]
	}
	total[axis] += shape[axis]
	return nil
}

// Placed sorts the rows of indices, which have rank columns, and writes the sorted rows to out. It
// sets to[i] to the position that row i of indices has among the sorted rows. The slice order is
// scratch memory and must have len(to) elements.
func Placed(run *mem.Budget, out, to, order, indices []int64, rank int) {
	Sort(run, order, indices, rank)
	PickRows(out, indices, order, rank)
	for i, k := range order {
		to[k] = int64(i)
	}
}
