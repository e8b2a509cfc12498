package text

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/parse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/rt/tensor"
)

const parsedRank = "an EnsureShape or Reshape must read the result to determine the rank, or only fetches may read it"

// protoDefs convert tensors, examples and messages from and to bytes.
var protoDefs = slices.Concat([]*lower.Def{
	{Name: "ParseTensor", Types: kit.AttrTypes("out_type", kit.DataTypes), Limits: parsedRank, Shape: parseTensorShape, Lower: parseTensorLower},
	{Name: lower.ParseTensorAny, Flags: lower.AnyRank, Types: kit.AttrTypes("out_type", kit.DataTypes), Limits: kit.MadeByPasses, Shape: parseAnyShape, Lower: parseAnyLower},
	{Name: lower.ParseTensorFlat, Types: kit.AttrTypes("out_type", kit.DataTypes), Limits: kit.MadeByPasses, Shape: parseFlatShape, Lower: parseFlatLower},
	{Name: "DecodeJSONExample", Shape: eachString(tensor.String), Lower: unaryString(parse.Examples)},
	{Name: "SerializeTensor", Types: kit.Moves, Shape: stateops.ScalarShape(tensor.String), Lower: serializeTensorLower},
}, messageDefs, sequenceExampleDefs)

// parseTensorShape infers the shape of the output of ParseTensor, a tensor of type out_type. Its
// dimensions are known only at run time, when the bytes are parsed.
func parseTensorShape(c *lower.Shaper) error {
	if err := c.ScalarOr(0, "serialized"); err != nil {
		return err
	}
	e := stateops.Element{Dtype: c.Node.DType("out_type")}
	if rank, ok := c.Node.Attrs[lower.ParsedRank].(int64); ok {
		e.Known, e.Dims = true, make([]*sym.Expr, rank)
	}
	stateops.ElementShape(c, 0, e)
	return nil
}

func parseTensorLower(b *lower.Builder) error {
	d, rank := b.OutFact(0).DType, len(b.OutShape(0))
	for k := range rank {
		b.CallSizes(parse.TensorDim, []*sym.Expr{b.NewSizeK(0, 1+k)}, b.In(0), d, k, rank)
	}
	return parseElements(b, rank)
}

// parseElements appends the step that stores the elements.
func parseElements(b *lower.Builder, rank int) error {
	switch d := b.OutFact(0).DType; {
	case d == tensor.String:
		b.Call(parse.TensorStrings, b.Out(0), b.In(0), rank)
	case d.IsData():
		b.Call(parse.TensorRaw, b.Raw(b.Out(0)), b.In(0), d, rank)
	default:
		return b.Errorf(tensor.Unimplemented, "tensors of %v cannot be parsed", d)
	}
	return nil
}

func parseAnyShape(c *lower.Shaper) error {
	if err := c.ScalarOr(0, "serialized"); err != nil {
		return err
	}
	_, dims := lower.AnyRankSizes(c)
	c.Set(0, c.Node.DType("out_type"), ir.ShapeOf(sym.Product(dims)))
	return nil
}

func parseAnyLower(b *lower.Builder) error {
	rank, dims := lower.AnyRankSizes(b.Shaper())
	b.CallSizes(parse.TensorSizes, append([]*sym.Expr{rank}, dims...), b.In(0), b.OutFact(0).DType)
	return parseElements(b, -1)
}

func parseFlatShape(c *lower.Shaper) error {
	if err := c.ScalarOr(0, "serialized"); err != nil {
		return err
	}
	c.Set(0, c.Node.DType("out_type"), ir.ShapeOf(c.NewSize(0)))
	return nil
}

func parseFlatLower(b *lower.Builder) error {
	b.CallSizes(parse.TensorLen, []*sym.Expr{b.NewSize(0)}, b.In(0), b.OutFact(0).DType)
	return parseElements(b, -1)
}

func serializeTensorLower(b *lower.Builder) error {
	dims := append([]*sym.Expr{}, b.InShape(0)...)
	switch d := b.InFact(0).DType; {
	case d == tensor.String:
		b.Call(parse.SerializeStrings, b.Out(0), b.In(0), dims)
	case d.IsData():
		b.Call(parse.SerializeRaw, b.Out(0), b.Raw(b.In(0)), dims, d)
	default:
		return b.Errorf(tensor.Unimplemented, "tensors of %v cannot be serialized", d)
	}
	return nil
}
