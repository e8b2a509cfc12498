package flow

import (
	"slices"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// conditionDefs are the condition of control flow as an op.
var conditionDefs = []*lower.Def{
	{Name: "ToBool", Shape: conditionShape, Lower: toBoolLower},
}

// conditionTypes are those that TensorFlow's kernel of ToBool takes for scalars.
var conditionTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Uint8, tensor.Int16, tensor.Int8,
	tensor.Int64, tensor.Bool, tensor.String}

// conditionShape: a scalar is whether it is not 0 or empty, any other tensor whether it
// has elements.
func conditionShape(c *lower.Shaper) error {
	if d := c.In(0).DType; c.Shape(0).Rank() == 0 && !slices.Contains(conditionTypes, d) {
		return tensor.Errorf(tensor.InvalidArgument, "a scalar of type %s is no condition: it must be one of %v", d, conditionTypes)
	}
	return toBoolShape(c)
}
