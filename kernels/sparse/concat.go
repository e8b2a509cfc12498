package sparse

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Append adds a sparse tensor of the given shape to a concatenation along axis. total is the shape
// of the tensors before it, to which Append adds the tensor. The indices are copied to out and
// shifted along axis behind these tensors. A negative axis counts from the end. first is set for
// the first tensor. Append returns Internal for a bad shape. It returns InvalidArgument for an axis
// out of range, and for shapes that differ in another dimension than axis.
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

// Placed sorts the rows of indices, which have rank columns, and writes them to out. to[i] gets the
// position in out of row i of indices. order is scratch as long as to.
func Placed(run *mem.Budget, out, to, order, indices []int64, rank int) {
	Sort(run, order, indices, rank)
	PickRows(out, indices, order, rank)
	for i, k := range order {
		to[k] = int64(i)
	}
}
