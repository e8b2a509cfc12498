package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/plan"
)

// AnyRankSizes returns symbols for the rank and the dimensions of the tensor in output 0. The node's
// step determines their values at run time. The symbol of the rank has the number VarSize, and the
// symbols of the dimensions have the numbers after VarSize; see Shaper.NewSizeK.
func AnyRankSizes(c *Shaper) (rank *sym.Expr, dims []*sym.Expr) {
	for k := range variable.MaxRank {
		dims = append(dims, c.NewSizeK(0, VarSize+1+k))
	}
	return c.NewSizeK(0, VarSize), dims
}

// anyRankFetch returns the plan's fetch for the result of a _ReadAnyRank.
func anyRankFetch(l *lowerer, f ir.Fetch) plan.Fetch {
	rank, dims := AnyRankSizes(l.shaper(f.Out.Node))
	return plan.Fetch{Name: f.Name, Key: f.Key, DType: f.Out.Fact().DType, Shape: dims, Rank: rank, Buf: l.bufOf(f.Out)}
}
