package ops

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// smallDefs are ops that stand alone: answers that are known when compiling, and the
// condition of control flow as an op.
var smallDefs = []*Def{
	{Name: "ToBool", Shape: conditionShape, Lower: toBoolLower},
	{Name: "DeviceIndex", Level: Pure, Shape: deviceIndexShape, Lower: nothing},
	{Name: "IsTensorFloat32Enabled", Level: Pure, Shape: tensorFloat32Shape, Lower: nothing},
	{Name: "FakeParam", Shape: fakeParamShape, Lower: fakeParamLower},
}

// conditionTypes are those that TensorFlow's kernel of ToBool takes for scalars.
var conditionTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Uint8, tensor.Int16, tensor.Int8,
	tensor.Int64, tensor.Bool, tensor.String}

// conditionShape: a scalar is whether it is not 0 or empty, any other tensor whether it
// has elements.
func conditionShape(c *Shaper) error {
	if d := c.In(0).DType; c.Shape(0).Rank() == 0 && !slices.Contains(conditionTypes, d) {
		return tensor.Errorf(tensor.InvalidArgument, "a scalar of type %s is no condition: it must be one of %v", d, conditionTypes)
	}
	return toBoolShape(c)
}

// deviceIndexShape: where among device_names the type of the node's device stands, the
// list's length if nowhere. Nodes run on CPUs.
func deviceIndexShape(c *Shaper) error {
	names, _ := c.Node.Attrs["device_names"].([]string)
	k := slices.Index(names, "CPU")
	if k < 0 {
		k = len(names)
	}
	c.Node.Outs[0] = ir.ConstFact(&tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{int32(k)}})
	return nil
}

// tensorFloat32Shape: whether GPUs may compute with fewer bits, which is on unless a
// program of TensorFlow's turns it off.
func tensorFloat32Shape(c *Shaper) error {
	c.Node.Outs[0] = ir.ConstFact(&tensor.Tensor{DType: tensor.Bool, Shape: tensor.Shape{}, Data: []bool{true}})
	return nil
}

// fakeParamShape: what a branch gives in the place of a tensor that only the other one
// has: of attribute shape, unknown sizes 0, an unknown rank a scalar.
func fakeParamShape(c *Shaper) error {
	s, _ := c.Node.Attrs["shape"].(ir.PartialShape)
	dims := make([]int, len(s.Dims))
	for i, d := range s.Dims {
		dims[i] = int(max(0, d))
	}
	c.Set(0, c.Node.DType("dtype"), ir.StaticShape(dims...))
	return nil
}

func fakeParamLower(b *Builder) error {
	d := b.OutFact(0).DType
	fn, err := arrayFillKernels.get(d)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Data: tensor.MakeSlice(d, 1)}))
	return nil
}
