package math

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// deviceIndexDefs are queries about the machine that are answered at compile time.
var deviceIndexDefs = []*lower.Def{
	{Name: "DeviceIndex", Level: lower.Pure, Shape: deviceIndexShape, Lower: kit.LowerNothing},
	{Name: "IsTensorFloat32Enabled", Level: lower.Pure, Shape: tensorFloat32Shape, Lower: kit.LowerNothing},
}

// deviceIndexShape infers the result of DeviceIndex, which asks for the type of the node's device.
// Graphc always answers CPU. The result is therefore the index of CPU in the attribute
// device_names, or the length of device_names if it does not contain CPU.
func deviceIndexShape(c *lower.Shaper) error {
	names, _ := c.Node.Attrs["device_names"].([]string)
	k := slices.Index(names, "CPU")
	if k < 0 {
		k = len(names)
	}
	c.Node.Outs[0] = ir.ConstFact(&tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{int32(k)}})
	return nil
}

// tensorFloat32Shape infers the result of IsTensorFloat32Enabled, which says whether GPUs may
// compute with fewer bits (TensorFloat-32). The result is always true, which is TensorFlow's
// default.
func tensorFloat32Shape(c *lower.Shaper) error {
	c.Node.Outs[0] = ir.ConstFact(&tensor.Tensor{DType: tensor.Bool, Shape: tensor.Shape{}, Data: []bool{true}})
	return nil
}
