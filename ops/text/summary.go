package text

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/summary"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var SummaryTypes = kit.AttrTypes("T", indexops.RealTypes)

// summaryDefs are summaries: serialized messages that TensorBoard displays.
var summaryDefs = []*lower.Def{
	{Name: "ScalarSummary", Types: SummaryTypes, Shape: scalarSummaryShape, Lower: scalarSummaryLower},
	{Name: "HistogramSummary", Types: SummaryTypes, Shape: histogramSummaryShape, Lower: histogramSummaryLower},
	{Name: "TensorSummary", Types: kit.Moves, Shape: stateops.ScalarShape(tensor.String), Lower: tensorSummaryLower},
	{Name: "TensorSummaryV2", Types: kit.Moves, Shape: tensorSummaryV2Shape, Lower: tensorSummaryV2Lower},
	{Name: "MergeSummary", Shape: stateops.ScalarShape(tensor.String), Lower: mergeSummaryLower},
}

// AsOf returns input i converted to type d. It returns InvalidArgument if the input has none of the
// given types.
func AsOf(b *lower.Builder, i int, d tensor.DType, types []tensor.DType) (plan.View, error) {
	if from := b.InFact(i).DType; !slices.Contains(types, from) {
		return plan.View{}, b.Errorf(tensor.InvalidArgument, "input %d is %v; it must be one of %v", i, from, types)
	}
	return as(b, i, d)
}

// as(b, i, d) returns input i converted to type d.
func as(b *lower.Builder, i int, d tensor.DType) (plan.View, error) {
	from := b.InFact(i).DType
	if from == d {
		return b.In(i), nil
	}
	fn := bytype.Cast[from][d]
	if fn == nil {
		return plan.View{}, b.Errorf(tensor.InvalidArgument, "input %d is %v; real numbers are required", i, from)
	}
	t := b.Temp(d, b.InLen(i))
	b.Call(fn, kit.Writes(t), b.In(i))
	return kit.Reads(t), nil
}

// scalarSummaryShape infers the shape of the output of ScalarSummary. The inputs tags and values
// must have the same shape.
func scalarSummaryShape(c *lower.Shaper) error {
	if _, err := kit.SameShapes(c, 0, 1); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func scalarSummaryLower(b *lower.Builder) error {
	x, y := b.InShape(0), b.InShape(1)
	if len(x) != len(y) {
		return b.Errorf(tensor.InvalidArgument, "tags and values are not the same shape: %v and %v", x, y)
	}
	for k := range x {
		if err := kit.RequireSame(b, x[k], y[k], "tags and values are not the same shape"); err != nil {
			return err
		}
	}
	values, err := AsOf(b, 1, tensor.Float32, indexops.RealTypes)
	if err != nil {
		return err
	}
	b.Call(summary.Scalars, b.Out(0), b.In(0), values)
	return nil
}

func histogramSummaryShape(c *lower.Shaper) error {
	if err := c.ScalarOr(0, "tag"); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func histogramSummaryLower(b *lower.Builder) error {
	values, err := AsOf(b, 1, tensor.Float64, indexops.RealTypes)
	if err != nil {
		return err
	}
	b.Call(summary.Histogram, b.Out(0), b.In(0), values, b.Node.Name)
	return nil
}

// tensorSummaryLower lowers TensorSummary(tensor). The tag of the summary is the name of the node.
func tensorSummaryLower(b *lower.Builder) error {
	dims := append([]*sym.Expr{}, b.InShape(0)...)
	switch d := b.InFact(0).DType; {
	case d == tensor.String:
		b.Call(summary.Strings, b.Out(0), b.In(0), dims, b.Node.Name)
	case d.IsData():
		b.Call(summary.Raw, b.Out(0), b.Raw(b.In(0)), dims, d, b.Node.Name)
	default:
		return b.Errorf(tensor.Unimplemented, "tensors of %v cannot be written", d)
	}
	return nil
}

// tensorSummaryV2Shape infers the shape of the output of TensorSummaryV2. The inputs tag and
// serialized_summary_metadata must be scalars.
func tensorSummaryV2Shape(c *lower.Shaper) error {
	if err := c.ScalarOr(0, "tag"); err != nil {
		return err
	}
	if err := c.ScalarOr(2, "serialized_summary_metadata"); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func tensorSummaryV2Lower(b *lower.Builder) error {
	dims := append([]*sym.Expr{}, b.InShape(1)...)
	switch d := b.InFact(1).DType; {
	case d == tensor.String:
		b.Call(summary.TaggedStrings, b.Out(0), b.In(0), b.In(1), b.In(2), dims)
	case d.IsData():
		b.Call(summary.TaggedRaw, b.Out(0), b.In(0), b.Raw(b.In(1)), b.In(2), dims, d)
	default:
		return b.Errorf(tensor.Unimplemented, "tensors of %v cannot be written", d)
	}
	return nil
}

func mergeSummaryLower(b *lower.Builder) error {
	n := sym.Zero
	for i := range b.NumIn() {
		n = n.Add(b.InLen(i))
	}
	parts := b.Temp(tensor.String, n)
	at := sym.Zero
	for i := range b.NumIn() {
		b.Copy(kit.Writes(parts.At(at, b.InLen(i))), b.In(i))
		at = at.Add(b.InLen(i))
	}
	b.Call(summary.Merge, b.Out(0), kit.Reads(parts))
	return nil
}
