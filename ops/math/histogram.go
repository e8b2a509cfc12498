package math

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// histogramDefs count numbers in ranges of equal width.
var histogramDefs = []*lower.Def{
	{Name: "HistogramFixedWidth", Shape: histogramShape, Lower: histogramLower},
}

// histogramShape infers the shape of the output of HistogramFixedWidth. The inputs are values,
// value_range, which is a vector of 2 elements, and nbins, a scalar.
func histogramShape(c *lower.Shaper) error {
	r, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if r.Known && lower.Differ(r.Dims[0], sym.Int(2)) {
		return tensor.Errorf(tensor.InvalidArgument, "value_range has the shape %v; 2 elements are required", r)
	}
	if _, err := c.WithRank(2, 0); err != nil {
		return err
	}
	d := c.Node.DType("dtype")
	n, ok := c.Ints(2)
	if !ok {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	if kit.KnownLess(n[0], 1) {
		return tensor.Errorf(tensor.InvalidArgument, "nbins is %v; at least 1 is required", n[0])
	}
	c.Set(0, d, ir.ShapeOf(n[0]))
	return nil
}

func histogramLower(b *lower.Builder) error {
	if err := kit.RequireSame(b, b.InLen(1), sym.Int(2), "value_range must have 2 elements"); err != nil {
		return err
	}
	if err := kit.AtLeast(b, b.OutLen(0), 1, "nbins"); err != nil {
		return err
	}
	fns := []any{quant.Histogram32I32, quant.Histogram32I64, quant.Histogram32F32, quant.Histogram32F64}
	if b.OutFact(0).DType == tensor.Int64 {
		fns = []any{quant.Histogram64I32, quant.Histogram64I64, quant.Histogram64F32, quant.Histogram64F64}
	}
	fn, err := kit.KernelFrom(b, b.InFact(0).DType, fns...)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1))
	return nil
}
