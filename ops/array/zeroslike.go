package array

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	mathops "github.com/graphc/graphc/ops/math"
	"github.com/graphc/graphc/rt/tensor"
)

// zerosLikeDefs create tensors of another tensor's type and shape.
var zerosLikeDefs = []*lower.Def{
	{Name: "ZerosLike", Holding: &lower.Holding{From: []int{0}, Len: kit.SameLength}, Traits: lower.Fills | lower.ShapeOnly | lower.NoGradient, Types: kit.VariantToo(mathops.TypesT("ZerosLike")), Shape: likeShape, Lower: likeLower},
	{Name: "OnesLike", Traits: lower.Fills | lower.ShapeOnly | lower.NoGradient, Types: mathops.TypesT("OnesLike"), Shape: likeShape, Lower: likeLower},
}

func likeShape(c *lower.Shaper) error {
	c.Same(0, 0)
	if s := c.Shape(0); mathops.IsIndex(c.In(0).DType) && (s.Rank() == 0 || s.Rank() == 1) {
		if n, ok := s.Len().IsInt(); ok && n <= 16 {
			v := sym.Zero
			if c.Node.Op == "OnesLike" {
				v = sym.One
			}
			es := make([]*sym.Expr, n)
			for i := range es {
				es[i] = v
			}
			c.SetInts(0, es)
		}
	}
	return nil
}

func likeLower(b *lower.Builder) error {
	if b.InFact(0).DType == tensor.Variant {
		return kit.VariantLower(b)
	}
	fn, err := mathops.ElemKernel(b.Node.Op, b.InFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0))
	return nil
}
