package flow

import (
	"slices"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// conditionDefs describe ToBool, an op that converts a tensor to a bool. It does this in the same
// way as control flow evaluates conditions.
var conditionDefs = []*lower.Def{
	{Name: "ToBool", Shape: conditionShape, Lower: toBoolLower},
}

// conditionTypes are the types of scalars that TensorFlow's ToBool kernel accepts.
var conditionTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Uint8, tensor.Int16, tensor.Int8,
	tensor.Int64, tensor.Bool, tensor.String}

// conditionShape infers the result of ToBool. For a scalar, the result is true if the scalar is
// neither 0 nor the empty string. For any other tensor, the result is true if the tensor has
// elements.
func conditionShape(c *lower.Shaper) error {
	if d := c.In(0).DType; c.Shape(0).Rank() == 0 && !slices.Contains(conditionTypes, d) {
		return tensor.Errorf(tensor.InvalidArgument, "a scalar condition cannot be a %s: it must be one of %v", d, conditionTypes)
	}
	return toBoolShape(c)
}
