package text

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/debug"
	"github.com/graphc/graphc/kernels/files"
	"github.com/graphc/graphc/kernels/strs"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var printDefs = []*lower.Def{
	{Name: "Assert", Flags: lower.Effect | lower.NoFold, Shape: assertShape, Lower: assertLower},
	{Name: "Print", Flags: lower.Stateful | lower.Effect | lower.NoFold, Limits: "first_n is ignored", Shape: printShape, Lower: printLower},
	{Name: "PrintV2", Flags: lower.Stateful | lower.Effect | lower.NoFold, Access: printsTo, Shape: printV2Shape, Lower: printV2Lower},
	{Name: "Timestamp", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Shape: stateops.ScalarShape(tensor.Float64), Lower: timestampLower},
	{Name: "StringFormat", Shape: stringFormatShape, Lower: stringFormatLower},
}

var summaries = []any{strs.SummarizeF32, strs.SummarizeF64, strs.SummarizeF16, strs.SummarizeBF16, strs.SummarizeI8, strs.SummarizeI16,
	strs.SummarizeI32, strs.SummarizeI64, strs.SummarizeU8, strs.SummarizeU16, strs.SummarizeU32, strs.SummarizeU64,
	strs.SummarizeBool, strs.SummarizeC64, strs.SummarizeC128, strs.SummarizeString}

// summaryTexts appends calls that format inputs of the node, and returns the texts. The parameter
// first is the number of the first such input. The parameter unless is nil or a view of a bool: the
// calls do nothing if this bool is true at run time.
func summaryTexts(b *lower.Builder, first int, unless *plan.View, p strs.SummaryParams) (plan.View, error) {
	n := b.NumIn() - first
	parts := b.Temp(tensor.String, sym.Int(n))
	for i := range n {
		in := first + i
		fn, err := kit.KernelFrom(b, b.InFact(in).DType, summaries...)
		if err != nil {
			return parts, err
		}
		b.Call(fn, parts.At(sym.Int(i), sym.One), b.In(in), append([]*sym.Expr{}, b.InShape(in)...), plan.Lit(p, "Unless", unless))
	}
	return parts, nil
}

// timestampLower lowers Timestamp. The output is the time at which the call runs, in seconds since
// 1970.
func timestampLower(b *lower.Builder) error {
	b.Call(debug.Timestamp, b.Out(0))
	return nil
}

func assertShape(c *lower.Shaper) error {
	_, err := c.WithRank(0, 0)
	return err
}

// assertLower lowers Assert. If the condition, input 0, is false, the run fails with
// InvalidArgument, and the text of the error contains the other inputs.
func assertLower(b *lower.Builder) error {
	unless := b.In(0)
	parts, err := summaryTexts(b, 1, &unless, strs.SummaryParams{Limit: b.Node.Int("summarize")})
	if err != nil {
		return err
	}
	b.Call(strs.Assert, unless, parts)
	return nil
}

func printShape(c *lower.Shaper) error { return kit.ForwardShape(c) }

func printLower(b *lower.Builder) error {
	parts, err := summaryTexts(b, 1, nil, strs.SummaryParams{Limit: b.Node.Int("summarize")})
	if err != nil {
		return err
	}
	b.Call(strs.Print, parts, b.Node.Str("message"))
	b.Alias(0, 0)
	return nil
}

func printV2Shape(c *lower.Shaper) error {
	_, err := c.WithRank(0, 0)
	return err
}

func printV2Lower(b *lower.Builder) error {
	if s := b.Node.Str("output_stream"); strs.ToFile(s) {
		b.Call(files.Print, plan.Files{}, b.In(0), s, b.Node.Str("end"))
		return nil
	}
	b.Call(strs.PrintString, b.In(0), b.Node.Str("output_stream"), b.Node.Str("end"))
	return nil
}

// stringFormatShape infers the shape of the output of StringFormat. The template must have one
// placeholder for each input.
func stringFormatShape(c *lower.Shaper) error {
	if n := strings.Count(c.Node.Str("template"), c.Node.Str("placeholder")); n != c.NumIn() {
		return tensor.Errorf(tensor.InvalidArgument, "the template has %d placeholders for %d inputs", n, c.NumIn())
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func stringFormatLower(b *lower.Builder) error {
	limit := b.Node.Int("summarize")
	for i := range b.NumIn() {
		if limit < 0 { // all elements are formatted, so reserve about 8 bytes for each
			b.Call(strs.Room, b.InLen(i), 8)
		}
	}
	parts, err := summaryTexts(b, 0, nil, strs.SummaryParams{Limit: limit, Nested: true})
	if err != nil {
		return err
	}
	b.Call(strs.Template, b.Out(0), parts, b.Node.Str("template"), b.Node.Str("placeholder"))
	return nil
}
