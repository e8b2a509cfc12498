package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/linalg"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/rt/tensor"
)

var miscDefs = []*Def{
	{Name: "GuaranteeConst", Level: Pure, Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "DebugGradientIdentity", Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "Cross", Shape: crossShape, Lower: crossLower},
	{Name: "HistogramFixedWidth", Shape: histogramShape, Lower: histogramLower},
}

// crossShape: two tensors of one shape whose last dimension is 3. As in
// TensorFlow another size is InvalidArgument where the graph tells it and
// FailedPrecondition at a run.
func crossShape(c *Shaper) error {
	a, b := c.Shape(0), c.Shape(1)
	if a.Known && b.Known {
		bad := len(a.Dims) != len(b.Dims) || len(a.Dims) == 0
		for i := range a.Dims {
			bad = bad || differ(a.Dims[i], b.Dims[i])
		}
		if bad || differ(a.Dims[len(a.Dims)-1], sym.Int(3)) {
			return tensor.Errorf(tensor.InvalidArgument, "%v and %v must be of one shape whose last dimension is 3", a, b)
		}
	}
	c.Same(0, 0)
	return nil
}

func crossLower(b *Builder) error {
	x, y := b.InShape(0), b.InShape(1)
	for i := range x {
		if err := b.sameDim(x[i], y[i], "both sides must have one shape"); err != nil {
			return err
		}
	}
	if last := x[len(x)-1]; !last.Is(3) {
		b.Check(shape.Precondition, last, 3, "the last dimension must be 3")
	}
	rows := sym.Product(x[:len(x)-1])
	if d := b.InFact(0).DType; d == tensor.Half || d == tensor.BFloat16 {
		u, err := b.inF32(0)
		if err != nil {
			return err
		}
		v, err := b.inF32(1)
		if err != nil {
			return err
		}
		out, done := b.outF32(0)
		b.Call(linalg.CrossF32, out, u, v, rows)
		return done()
	}
	return linalgCall(b, []any{b.Out(0), b.In(0), b.In(1), rows},
		linalg.CrossF32, linalg.CrossF64, linalg.CrossI8, linalg.CrossI16, linalg.CrossI32, linalg.CrossI64,
		linalg.CrossU8, linalg.CrossU16, linalg.CrossU32, linalg.CrossU64)
}

// histogramShape: values, value_range [2], nbins.
func histogramShape(c *Shaper) error {
	r, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if r.Known && differ(r.Dims[0], sym.Int(2)) {
		return tensor.Errorf(tensor.InvalidArgument, "value_range has the shape %v, 2 elements are required", r)
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
	if less(n[0], 1) {
		return tensor.Errorf(tensor.InvalidArgument, "nbins is %v, at least 1 is required", n[0])
	}
	c.Set(0, d, ir.ShapeOf(n[0]))
	return nil
}

func histogramLower(b *Builder) error {
	if err := b.sameDim(b.InLen(1), sym.Int(2), "value_range must have 2 elements"); err != nil {
		return err
	}
	if err := b.atLeast(b.OutLen(0), 1, "nbins"); err != nil {
		return err
	}
	fns := []any{quant.Histogram32I32, quant.Histogram32I64, quant.Histogram32F32, quant.Histogram32F64}
	if b.OutFact(0).DType == tensor.Int64 {
		fns = []any{quant.Histogram64I32, quant.Histogram64I64, quant.Histogram64F32, quant.Histogram64F64}
	}
	fn, err := b.kernelFrom(b.InFact(0).DType, fns...)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1))
	return nil
}
