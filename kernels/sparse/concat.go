package sparse

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Append copies the indices of a sparse tensor of the given shape to out, shifted along axis
// by total, the shape so far, and adds its size to total. A negative axis counts from the
// end. first marks the first tensor. It returns Internal for a bad shape, InvalidArgument for
// an axis out of range and for shapes that differ elsewhere.
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

// Placed sorts the rows of indices into out. A row has rank columns. to[i] is the position of
// row i in out. order is scratch as long as to.
func Placed(run *mem.Budget, out, to, order, indices []int64, rank int) {
	Sort(run, order, indices, rank)
	PickRows(out, indices, order, rank)
	for i, k := range order {
		to[k] = int64(i)
	}
}
