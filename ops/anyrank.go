package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// readAnyRank reads a variable of any rank to be fetched; pass anyrank makes it.
// Its output 0 is a vector of the variable's elements. Nothing but a fetch
// reads it, which has the variable's shape.
const readAnyRank = "_ReadAnyRank"

var anyRankDefs = []*Def{
	{Name: readAnyRank, Flags: Stateful | NoFold | AnyRank, Shape: anyRankShape, Lower: anyRankLower},
}

// anyRankSizes returns the sizes that output 0 binds: the rank, numbered varSize,
// and the dimensions behind it.
func anyRankSizes(c *Shaper) (rank *sym.Expr, dims []*sym.Expr) {
	for k := range variable.MaxRank {
		dims = append(dims, c.NewSizeK(0, varSize+1+k))
	}
	return c.NewSizeK(0, varSize), dims
}

func anyRankShape(c *Shaper) error {
	_, dims := anyRankSizes(c)
	c.Set(0, c.Node.DType("dtype"), ir.ShapeOf(sym.Product(dims)))
	return nil
}

func anyRankLower(b *Builder) error {
	d := b.OutFact(0).DType
	fn, err := variableReadAllKernels.get(d)
	if err != nil {
		return err
	}
	rank, dims := anyRankSizes(b.Shaper())
	t := b.Temp(tensor.Resource, sym.One)
	b.Call(variable.Take, t, b.In(0), d, -1, true)
	t.Mode = plan.Read
	b.CallSizes(variable.Sizes, append([]*sym.Expr{rank}, dims...), t)
	b.Call(fn, b.Out(0), t)
	return nil
}

// anyRankFetch is the fetch of what a _ReadAnyRank read.
func anyRankFetch(l *lowerer, f ir.Fetch) plan.Fetch {
	rank, dims := anyRankSizes(l.shaper(f.Out.Node))
	return plan.Fetch{Name: f.Name, Key: f.Key, DType: f.Out.Fact().DType, Shape: dims, Rank: rank, Buf: l.bufOf(f.Out)}
}
