package ops

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/summary"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var summaryTypes = attrTypes("T", realTypes)

// summaryDefs are summaries: serialized messages that TensorBoard shows.
var summaryDefs = []*Def{
	{Name: "ScalarSummary", Types: summaryTypes, Shape: scalarSummaryShape, Lower: scalarSummaryLower},
	{Name: "HistogramSummary", Types: summaryTypes, Shape: histogramSummaryShape, Lower: histogramSummaryLower},
	{Name: "TensorSummary", Types: moves, Shape: scalarShape(tensor.String), Lower: tensorSummaryLower},
	{Name: "TensorSummaryV2", Types: moves, Shape: tensorSummaryV2Shape, Lower: tensorSummaryV2Lower},
	{Name: "MergeSummary", Shape: scalarShape(tensor.String), Lower: mergeSummaryLower},
}

// asOf is as of an input that must be of one of those types: InvalidArgument.
func (b *Builder) asOf(i int, d tensor.DType, types []tensor.DType) (plan.View, error) {
	if from := b.InFact(i).DType; !slices.Contains(types, from) {
		return plan.View{}, b.Errorf(tensor.InvalidArgument, "input %d is %v, it must be one of %v", i, from, types)
	}
	return b.as(i, d)
}

// as returns input i converted to d.
func (b *Builder) as(i int, d tensor.DType) (plan.View, error) {
	from := b.InFact(i).DType
	if from == d {
		return b.In(i), nil
	}
	fn := castKernels[from][d]
	if fn == nil {
		return plan.View{}, b.Errorf(tensor.InvalidArgument, "input %d is %v, real numbers are required", i, from)
	}
	t := b.Temp(d, b.InLen(i))
	b.Call(fn, writes(t), b.In(i))
	return reads(t), nil
}

// scalarSummaryShape: tags and values have one shape.
func scalarSummaryShape(c *Shaper) error {
	if _, err := c.sameShapes(0, 1); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func scalarSummaryLower(b *Builder) error {
	x, y := b.InShape(0), b.InShape(1)
	if len(x) != len(y) {
		return b.Errorf(tensor.InvalidArgument, "tags and values are not the same shape: %v and %v", x, y)
	}
	for k := range x {
		if err := b.sameDim(x[k], y[k], "tags and values are not the same shape"); err != nil {
			return err
		}
	}
	values, err := b.asOf(1, tensor.Float32, realTypes)
	if err != nil {
		return err
	}
	b.Call(summary.Scalars, b.Out(0), b.In(0), values)
	return nil
}

func histogramSummaryShape(c *Shaper) error {
	if err := c.scalarOr(0, "tag"); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func histogramSummaryLower(b *Builder) error {
	values, err := b.asOf(1, tensor.Float64, realTypes)
	if err != nil {
		return err
	}
	b.Call(summary.Histogram, b.Out(0), b.In(0), values, b.Node.Name)
	return nil
}

// tensorSummaryLower: TensorSummary(tensor) with the node's name.
func tensorSummaryLower(b *Builder) error {
	dims := append([]*sym.Expr{}, b.InShape(0)...)
	switch d := b.InFact(0).DType; {
	case d == tensor.String:
		b.Call(summary.Strings, b.Out(0), b.In(0), dims, b.Node.Name)
	case d.IsData():
		b.Call(summary.Raw, b.Out(0), b.raw(b.In(0)), dims, d, b.Node.Name)
	default:
		return b.Errorf(tensor.Unimplemented, "tensors of %v are not written", d)
	}
	return nil
}

// tensorSummaryV2Shape: tag and serialized_summary_metadata are scalars.
func tensorSummaryV2Shape(c *Shaper) error {
	if err := c.scalarOr(0, "tag"); err != nil {
		return err
	}
	if err := c.scalarOr(2, "serialized_summary_metadata"); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func tensorSummaryV2Lower(b *Builder) error {
	dims := append([]*sym.Expr{}, b.InShape(1)...)
	switch d := b.InFact(1).DType; {
	case d == tensor.String:
		b.Call(summary.TaggedStrings, b.Out(0), b.In(0), b.In(1), b.In(2), dims)
	case d.IsData():
		b.Call(summary.TaggedRaw, b.Out(0), b.In(0), b.raw(b.In(1)), b.In(2), dims, d)
	default:
		return b.Errorf(tensor.Unimplemented, "tensors of %v are not written", d)
	}
	return nil
}

func mergeSummaryLower(b *Builder) error {
	n := sym.Zero
	for i := range b.NumIn() {
		n = n.Add(b.InLen(i))
	}
	parts := b.Temp(tensor.String, n)
	at := sym.Zero
	for i := range b.NumIn() {
		b.Copy(writes(parts.At(at, b.InLen(i))), b.In(i))
		at = at.Add(b.InLen(i))
	}
	b.Call(summary.Merge, b.Out(0), reads(parts))
	return nil
}
