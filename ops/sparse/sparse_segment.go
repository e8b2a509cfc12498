package sparse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/segment"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseSegmentGrad2Shape infers the shapes of the outputs of SparseSegmentSumGradV2(grad, indices,
// segment_ids, dense_output_dim0) and the similar gradients. The outputs are those rows of the
// gradient that can differ from 0, and the indices of these rows.
func sparseSegmentGrad2Shape(c *lower.Shaper) error {
	x := c.Shape(0)
	for i := 1; i <= 2; i++ {
		if _, err := c.WithRank(i, 1); err != nil {
			return err
		}
	}
	if a, b := c.Shape(1), c.Shape(2); a.Known && b.Known {
		if _, err := kit.JoinDim(a.Dims[0], b.Dims[0], "segment_ids and indices should have same size."); err != nil {
			return err
		}
	}
	if _, err := c.WithRank(3, 0); err != nil {
		return err
	}
	if _, _, err := kit.OneInt(c, 3, "dense_output_dim0"); err != nil {
		return err
	}
	n := c.NewSize(0)
	c.Set(1, c.In(1).DType, ir.ShapeOf(n))
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "grad must be at least rank 1")
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(kit.DimSet(x.Dims, 0, n)...))
	return nil
}

// uniqueIndices appends the call that stores the distinct indices in output 1. It returns a vector
// that holds, for each element of input 1, the position in output 1 of the equal index.
func uniqueIndices(b *lower.Builder) (plan.View, error) {
	if err := kit.Ranked(b, 0, 1, 2, 3); err != nil {
		return plan.View{}, err
	}
	limit, ok := b.Ints(3)
	if !ok || len(limit) != 1 {
		return plan.View{}, b.Errorf(tensor.InvalidArgument, "dense_output_dim0 must be a scalar")
	}
	kit.CheckLen(b, 3, 1)
	n, m := b.NewSize(0), b.InLen(1)
	if err := kit.RequireSame(b, m, b.InLen(2), "segment_ids and indices should have same size."); err != nil {
		return plan.View{}, err
	}
	sorted, places := b.Temp(tensor.Int64, m), b.Temp(tensor.Int64, m)
	b.CallSizes(sparse.Unique, []*sym.Expr{n}, kit.Writes(sorted), kit.Writes(places), wideInts(b, 1), limit[0])
	if b.OutFact(1).DType == tensor.Int64 {
		b.Copy(b.Out(1), head(sorted, n))
	} else {
		b.Call(sparse.Narrow, b.Out(1), head(sorted, n))
	}
	return places, nil
}

func sparseSegmentGrad2Lower(b *lower.Builder) error {
	fn, err := bytype.SegmentSparseGrad.Get(b.InFact(0).DType, tensor.Int64)
	if err != nil {
		return err
	}
	places, err := uniqueIndices(b)
	if err != nil {
		return err
	}
	x, n := b.InShape(0), b.NewSize(0)
	b.Call(fn, b.Out(0), b.In(0), kit.Reads(places), wideInts(b, 2), b.Temp(tensor.Int64, x[0]), plan.Lit(segment.SparseParams{Scale: indexops.SegmentScale(b.Node.Op)},
		"Limit", n, "Inner", sym.Product(x[1:]), "Rows", x[0]))
	return nil
}
