package array

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var anyRankDefs = []*lower.Def{
	{Name: lower.ReadAnyRank, Flags: lower.Stateful | lower.NoFold | lower.AnyRank, Shape: anyRankShape, Lower: anyRankLower},
}

func anyRankShape(c *lower.Shaper) error {
	_, dims := lower.AnyRankSizes(c)
	c.Set(0, c.Node.DType("dtype"), ir.ShapeOf(sym.Product(dims)))
	return nil
}

func anyRankLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	fn, err := bytype.VariableReadAll.Get(d)
	if err != nil {
		return err
	}
	rank, dims := lower.AnyRankSizes(b.Shaper())
	t := b.Temp(tensor.Resource, sym.One)
	b.Call(variable.Take, t, b.In(0), d, -1, true)
	t.Mode = plan.Read
	b.CallSizes(variable.Sizes, append([]*sym.Expr{rank}, dims...), t)
	b.Call(fn, b.Out(0), t)
	return nil
}
