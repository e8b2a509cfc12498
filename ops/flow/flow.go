package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// flowDefs describe the ops that join regions, and two related ops. The pass named flow creates
// them from TensorFlow's control flow:
//
//   - _Yield, _Merge, _LoopVar and _Next join regions; package ir describes them.
//   - _ToBool computes the condition of If, Case or While. For a scalar, the condition is true if
//     the scalar is neither 0 nor the empty string. For any other tensor, it is true if the tensor
//     has elements.
//   - _Alive fails with InvalidArgument if its input is false. This means that a tensor is fetched
//     but was not computed. The attribute tensor is the name of this tensor.
var flowDefs = []*lower.Def{
	{Name: ir.YieldOp, Traits: lower.KeepsDigits, Shape: kit.ForwardShape, Lower: lower.YieldLower},
	{Name: ir.MergeOp, Traits: lower.KeepsDigits, Shape: mergeShape, Lower: kit.LowerNothing},
	{Name: ir.LoopVarOp, Traits: lower.KeepsDigits | lower.HandsConstant, Shape: loopVarShape, Lower: kit.LowerNothing},
	{Name: ir.NextOp, Traits: lower.KeepsDigits, Shape: kit.ForwardShape, Lower: lower.NextLower},
	{Name: "_ToBool", Shape: toBoolShape, Lower: toBoolLower},
	{Name: "_Alive", Flags: lower.Effect | lower.NoFold, Shape: aliveShape, Lower: aliveLower},
}

// mergeShape infers the results of a _Merge. Output 0 has the common shape of all inputs; a
// dimension in which the inputs differ is a new size. Output 1 is a scalar.
func mergeShape(c *lower.Shaper) error {
	if len(c.Node.Ins) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a %s without inputs", ir.MergeOp)
	}
	if len(c.Node.Outs) > 1 {
		c.Set(1, tensor.Int32, ir.ShapeOf())
	}
	shapes := make([]ir.Shape, len(c.Node.Ins))
	for i := range shapes {
		f := c.In(i)
		if f.DType != c.In(0).DType {
			return tensor.Errorf(tensor.InvalidArgument, "input %d is %v, input 0 is %v", i, f.DType, c.In(0).DType)
		}
		shapes[i] = f.Shape
	}
	c.Set(0, c.In(0).DType, lower.JoinShapes(c, shapes[0], shapes, c.Node.Region))
	return nil
}

// loopVarShape sets the initial value's shape. Infer then generalizes it if the next value has
// another shape.
func loopVarShape(c *lower.Shaper) error {
	c.Set(0, c.In(0).DType, c.In(0).Shape)
	return nil
}

func toBoolShape(c *lower.Shaper) error {
	c.Set(0, tensor.Bool, ir.ShapeOf())
	return nil
}

func toBoolLower(b *lower.Builder) error {
	f := b.InFact(0)
	switch {
	case !f.Shape.Known:
		return lower.UnknownRank(b.Node.Ins[0].Node, b.Node.Ins[0].Index)
	case len(f.Shape.Dims) > 0:
		b.Call(shape.NotEmpty, b.Out(0), b.InLen(0))
	case f.DType == tensor.Bool:
		b.Alias(0, 0)
	case f.DType == tensor.String:
		b.Call(shape.NotBlank, b.Out(0), b.In(0))
	default:
		fn := bytype.Cast[f.DType][tensor.Bool]
		if fn == nil {
			return tensor.Errorf(tensor.InvalidArgument, "a condition cannot be a %v", f.DType)
		}
		b.Call(fn, b.Out(0), b.In(0))
	}
	return nil
}

func aliveShape(c *lower.Shaper) error {
	_, err := c.WithRank(0, 0)
	return err
}

func aliveLower(b *lower.Builder) error {
	b.Call(shape.Alive, b.In(0), b.Node.Str("tensor"))
	return nil
}
