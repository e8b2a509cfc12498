package index

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var uniqueTypes = map[string][]tensor.DType{"T": append([]tensor.DType{tensor.Bool, tensor.String}, RealTypes...)}

// uniqueDefs find equal elements. NaN does not equal itself; 0 equals -0.
var uniqueDefs = []*lower.Def{
	{Name: "Unique", Types: uniqueTypes, Shape: uniqueShape, Lower: uniqueLower},
	{Name: "UniqueWithCounts", Types: uniqueTypes, Shape: uniqueShape, Lower: uniqueLower},
	{Name: "UniqueV2", Types: uniqueTypes, Shape: uniqueShape, Lower: uniqueLower, Limits: "axis must be known when compiling"},
	{Name: "UniqueWithCountsV2", Types: uniqueTypes, Shape: uniqueShape, Lower: uniqueLower, Limits: "axis must be known when compiling"},
	{Name: "ListDiff", Types: map[string][]tensor.DType{"T": append([]tensor.DType{tensor.String}, RealTypes...)}, Shape: listDiffShape, Lower: listDiffLower},
}

// uniqueAxis returns the axis whose slices are compared.
func uniqueAxis(c *lower.Shaper, rank int) (int, error) {
	if c.NumIn() < 2 {
		if rank != 1 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "unique expects a 1D vector.")
		}
		return 0, nil
	}
	if s := c.Shape(1); s.Rank() >= 0 && s.Rank() != 1 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "axis expects a 1D vector.")
	}
	vs, ok := c.StaticInts(1)
	switch {
	case !ok:
		return 0, tensor.Errorf(tensor.Unimplemented, "the axis must be known when compiling")
	case len(vs) == 0 && rank == 1:
		return 0, nil
	case len(vs) != 1:
		return 0, tensor.Errorf(tensor.InvalidArgument, "axis does not support input tensors of rank %d with %d elements", rank, len(vs))
	}
	return lower.Axis(vs[0], rank)
}

// uniqueShape infers the results of the Unique ops. The result y has the distinct elements of x, or
// its distinct slices along an axis, in the order in which they first appear. The result idx has,
// for each element of x, its index in y. The result count says how often each element of y appears
// in x.
func uniqueShape(c *lower.Shaper) error {
	d, out := c.In(0).DType, c.Node.DType("out_idx")
	if out == tensor.Invalid {
		out = tensor.Int32
	}
	x := c.Shape(0)
	n := c.NewSize(0)
	if len(c.Node.Outs) > 2 {
		c.Set(2, out, ir.ShapeOf(n))
	}
	if !x.Known {
		c.UnknownShape(0, d)
		c.UnknownShape(1, out)
		return nil
	}
	a, err := uniqueAxis(c, len(x.Dims))
	if err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(kit.DimSet(x.Dims, a, n)...))
	c.Set(1, out, ir.ShapeOf(x.Dims[a]))
	return nil
}

func uniqueLower(b *lower.Builder) error {
	x := b.InShape(0)
	a, err := uniqueAxis(b.Shaper(), len(x))
	if err != nil {
		return err
	}
	fn, err := bytype.ArrayUnique.Get(b.InFact(0).DType, b.OutFact(1).DType)
	if err != nil {
		return err
	}
	p := plan.Lit(kit.ParamsOf(fn), "Outer", sym.Product(x[:a]), "N", x[a], "Inner", sym.Product(x[a+1:]))
	if len(b.Node.Outs) > 2 {
		p = p.With("Counts", b.OutCap(2, x[a]))
	}
	b.CallSizes(fn, []*sym.Expr{b.NewSize(0)}, b.OutCap(0, b.InLen(0)), b.Out(1), b.In(0),
		b.Temp(tensor.Int32, x[a].MulInt(3).AddInt(1)), p)
	return nil
}

// listDiffShape infers the results of ListDiff, whose inputs are x and y. The results are those
// elements of x that are not in y, and their indices in x.
func listDiffShape(c *lower.Shaper) error {
	for i := range 2 {
		if _, err := c.WithRank(i, 1); err != nil {
			return err
		}
	}
	out := c.Node.DType("out_idx")
	if out == tensor.Invalid {
		out = tensor.Int32
	}
	n := c.NewSize(0)
	c.Set(0, c.In(0).DType, ir.ShapeOf(n))
	c.Set(1, out, ir.ShapeOf(n))
	xs, ok1 := c.StaticInts(0)
	ys, ok2 := c.StaticInts(1)
	if !ok1 || !ok2 {
		return nil
	}
	drop := map[int]bool{}
	for _, y := range ys {
		drop[y] = true
	}
	vals, at := []*sym.Expr{}, []*sym.Expr{}
	for i, x := range xs {
		if !drop[x] {
			vals, at = append(vals, sym.Int(x)), append(at, sym.Int(i))
		}
	}
	for i, es := range [][]*sym.Expr{vals, at} {
		c.Set(i, c.Node.Outs[i].DType, ir.StaticShape(len(es)))
		c.SetInts(i, es)
	}
	return nil
}

func listDiffLower(b *lower.Builder) error {
	fn, err := bytype.ArrayListDiff.Get(b.InFact(0).DType, b.OutFact(1).DType)
	if err != nil {
		return err
	}
	n := b.InLen(0)
	b.CallSizes(fn, []*sym.Expr{b.NewSize(0)}, b.OutCap(0, n), b.OutCap(1, n), b.In(0), b.In(1),
		b.Temp(tensor.Int32, b.InLen(1).MulInt(2).AddInt(1)))
	return nil
}
