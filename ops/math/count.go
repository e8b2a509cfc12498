package math

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/count"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// countDefs count integers by value and sort numbers into buckets.
var countDefs = []*lower.Def{
	{Name: "Bincount", Types: map[string][]tensor.DType{"T": countTypes()}, Shape: bincountShape, Lower: bincountLower},
	{Name: "DenseBincount", Types: map[string][]tensor.DType{"T": countTypes()}, Shape: denseBincountShape, Lower: denseBincountLower},
	{Name: "Bucketize", Types: map[string][]tensor.DType{"T": {tensor.Int32, tensor.Int64, tensor.Float32, tensor.Float64}}, Shape: bucketizeShape, Lower: bucketizeLower},
}

func countTypes() []tensor.DType {
	var ds []tensor.DType
	for k := range bytype.Count {
		if k[1] == tensor.Int32 {
			ds = append(ds, k[0])
		}
	}
	slices.Sort(ds)
	return ds
}

// binSize returns the number of bins, which is the value of input 1. It returns false if the value
// is unknown.
func binSize(c *lower.Shaper) (*sym.Expr, bool, error) {
	es, ok := c.Ints(1)
	if !ok || len(es) != 1 {
		return nil, false, nil
	}
	if v, ok := es[0].IsInt(); ok && v < 0 {
		return nil, false, tensor.Errorf(tensor.InvalidArgument, "size (%d) must be non-negative", v)
	}
	return es[0], true, nil
}

// bincountShape infers the result of Bincount. Input 0 may have any shape, and all of its elements
// are counted together. Input 2 holds weights and has the same shape as input 0, or is empty.
func bincountShape(c *lower.Shaper) error {
	return countShape(c, c.In(2).DType, func(n *sym.Expr) ir.Shape { return ir.ShapeOf(n) })
}

// denseBincountShape infers the result of DenseBincount. The rows of a matrix are counted
// separately. A vector or a scalar is counted as one row.
func denseBincountShape(c *lower.Shaper) error {
	in := c.Shape(0)
	if in.Rank() > 2 {
		return tensor.Errorf(tensor.InvalidArgument, "input must be of rank 2 at most, not %v", in)
	}
	return countShape(c, c.In(2).DType, func(n *sym.Expr) ir.Shape {
		switch in.Rank() {
		case -1:
			return ir.Shape{}
		case 2:
			return ir.ShapeOf(in.Dims[0], n)
		}
		return ir.ShapeOf(n)
	})
}

func countShape(c *lower.Shaper, d tensor.DType, of func(*sym.Expr) ir.Shape) error {
	if _, err := c.WithRank(1, 0); err != nil {
		return err
	}
	n, ok, err := binSize(c)
	if err != nil {
		return err
	}
	if !ok {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	size, err := kit.SizeOf(c, 0, 0, n)
	if err != nil {
		return err
	}
	c.Set(0, d, of(size))
	return nil
}

func bincountLower(b *lower.Builder) error { return lowerCount(b, count.Bins{}) }

// denseBincountLower lowers DenseBincount. If the attribute binary_output is set, the result for a
// bin is not the number of its values, but 1 if the bin has any values.
func denseBincountLower(b *lower.Builder) error {
	return lowerCount(b, count.Bins{Binary: b.Node.Bool("binary_output")})
}

// countSizes returns three numbers: the number of rows that are counted separately, the number of
// values in each row, and the number of bins.
func countSizes(b *lower.Builder) (rows, cols, bins *sym.Expr, err error) {
	n, ok, err := binSize(b.Shaper())
	if err != nil {
		return nil, nil, nil, err
	}
	if !ok {
		return nil, nil, nil, tensor.Errorf(tensor.InvalidArgument, "the number of bins must be a scalar")
	}
	kit.BindSize(b, 0, 0, n, "the number of bins")
	weights := b.InLen(2)
	if !weights.Is(0) && !weights.Equal(b.InLen(0)) {
		b.Check(count.Weights, weights, b.InLen(0))
	}
	rows, cols = sym.One, b.InLen(0)
	if s := b.InShape(0); b.Node.Op == "DenseBincount" && len(s) == 2 {
		rows, cols = s[0], s[1]
	}
	out := b.OutShape(0)
	return rows, cols, out[len(out)-1], nil
}

func lowerCount(b *lower.Builder, p count.Bins) error {
	fn := bytype.Count[[2]tensor.DType{b.OutFact(0).DType, b.InFact(0).DType}]
	if fn == nil {
		return NoKernel(b.Node.Op, b.OutFact(0).DType)
	}
	rows, cols, bins, err := countSizes(b)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(2), plan.Lit(p, "Rows", rows, "Cols", cols, "Size", bins))
	return nil
}

func bucketizeShape(c *lower.Shaper) error {
	if l, _ := c.Node.Attrs["boundaries"].([]float32); !slices.IsSorted(l) {
		return tensor.Errorf(tensor.InvalidArgument, "Expected sorted boundaries")
	}
	c.Set(0, tensor.Int32, c.Shape(0))
	return nil
}

// bucketizeLower: attribute boundaries.
func bucketizeLower(b *lower.Builder) error {
	fn, err := KernelByType(b, map[tensor.DType]any{tensor.Float32: count.BucketF32, tensor.Float64: count.BucketF64,
		tensor.Int32: count.BucketI32, tensor.Int64: count.BucketI64})
	if err != nil {
		return err
	}
	bounds, _ := b.Node.Attrs["boundaries"].([]float32)
	t := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(bounds)}, Data: slices.Clone(bounds)}
	if bounds == nil {
		t.Data = []float32{}
	}
	b.Call(fn, b.Out(0), b.In(0), b.Const("boundaries", t))
	return nil
}
