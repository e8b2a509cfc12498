package array

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// shapeOfDefs are the ops that compute integers from shapes. Their results are expressions over
// sizes. A result is also stored as a tensor if something other than a shape computation reads it.
var shapeOfDefs = []*lower.Def{
	{Name: "Shape", Flags: lower.HostSide, Traits: lower.ShapeOnly | lower.NoGradient, Types: map[string][]tensor.DType{"out_type": {tensor.Int32, tensor.Int64}}, Shape: shapeOfShape, Lower: unknownLower},
	{Name: "ShapeN", Flags: lower.HostSide, Traits: lower.ShapeOnly, Types: map[string][]tensor.DType{"out_type": {tensor.Int32, tensor.Int64}}, Shape: shapeOfShape, Lower: unknownLower},
	{Name: "Size", Flags: lower.HostSide, Traits: lower.ShapeOnly | lower.NoGradient, Types: map[string][]tensor.DType{"out_type": {tensor.Int32, tensor.Int64}}, Shape: sizeShape, Lower: unknownLower},
	{Name: "Rank", Flags: lower.HostSide, Traits: lower.ShapeOnly | lower.NoGradient, Shape: rankShape, Lower: unknownLower},
}

// IndexAttr returns the Types of an op whose type attribute with this name is int32 or int64.
func IndexAttr(name string) map[string][]tensor.DType {
	return map[string][]tensor.DType{name: {tensor.Int32, tensor.Int64}}
}

// OutType returns attribute out_type, or int32 if it is absent.
func OutType(c *lower.Shaper) tensor.DType {
	if d := c.Node.DType("out_type"); d != tensor.Invalid {
		return d
	}
	return tensor.Int32
}

func shapeOfShape(c *lower.Shaper) error {
	for i := range c.Node.Ins {
		x := c.Shape(i)
		if !x.Known {
			c.Set(i, OutType(c), ir.ShapeOf(c.NewSize(i)))
			continue
		}
		c.Set(i, OutType(c), ir.StaticShape(len(x.Dims)))
		c.SetInts(i, append([]*sym.Expr{}, x.Dims...))
	}
	return nil
}

func sizeShape(c *lower.Shaper) error {
	c.Set(0, OutType(c), ir.StaticShape())
	if x := c.Shape(0); x.Known {
		c.SetInts(0, []*sym.Expr{x.Len()})
	}
	return nil
}

func rankShape(c *lower.Shaper) error {
	c.Set(0, tensor.Int32, ir.StaticShape())
	if x := c.Shape(0); x.Known {
		c.SetInts(0, []*sym.Expr{sym.Int(len(x.Dims))})
	}
	return nil
}

// unknownLower is reached only if an input's rank is unknown; otherwise the values are expressions.
func unknownLower(b *lower.Builder) error {
	for i := range b.Node.Ins {
		if !b.InFact(i).Shape.Known {
			return lower.UnknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
		}
	}
	return nil
}
