package sparse

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Reshape computes the indices of a sparse tensor after a reshape from the given shape to target.
// One dimension in target may be -1, which stands for the remaining size. There are n rows of
// indices. Reshape writes the new indices to out and the new shape to outShape. It returns
// InvalidArgument if the shapes do not have the same number of elements.
func Reshape(out, outShape, indices, shape, target []int64, n int) error {
	total, err := dense(shape)
	if err != nil {
		return err
	}
	at := -1
	for k, d := range target {
		outShape[k] = d
		if d == -1 {
			if at >= 0 {
				return tensor.Errorf(tensor.InvalidArgument, "only one output dimension may be -1, not both %d and %d", at, k)
			}
			at, outShape[k] = k, 1
		}
	}
	made, err := dense(outShape)
	if err != nil {
		return err
	}
	if at >= 0 {
		if made == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero")
		}
		outShape[at] = total / made
		made *= total / made
	}
	if made != total {
		return tensor.Errorf(tensor.InvalidArgument, "a sparse tensor of %d elements cannot take a shape of %d", total, made)
	}
	if slices.Equal(shape, outShape) {
		copy(out, indices)
		return nil
	}
	if n > 0 && total == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a sparse tensor without elements has %d values", n)
	}
	for i := range n {
		place := int64(0)
		for k, v := range row(indices, i, len(shape)) {
			place = place*shape[k] + v
		}
		ix := row(out, i, len(outShape))
		for k := len(ix) - 1; k > 0; k-- {
			ix[k] = place % outShape[k]
			place /= outShape[k]
		}
		if len(ix) > 0 {
			ix[0] = place
		}
	}
	return nil
}
