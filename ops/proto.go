package ops

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/parse"
	"github.com/graphc/graphc/rt/tensor"
)

// ParseTensorAny and ParseTensorFlat are ParseTensor of a tensor of any rank, as a
// vector of its elements; see pass anyrank. Nothing but a fetch reads the first, which has the
// tensor's shape.
const (
	ParseTensorAny  = "_ParseTensorAny"
	ParseTensorFlat = "_ParseTensorFlat"
)

const parsedRank = "the rank must be that of an EnsureShape or Reshape that reads it, or nothing but fetches may"

// protoDefs are tensors, examples and messages as bytes.
var protoDefs = slices.Concat([]*Def{
	{Name: "ParseTensor", Types: attrTypes("out_type", dataTypes), Limits: parsedRank, Shape: parseTensorShape, Lower: parseTensorLower},
	{Name: ParseTensorAny, Flags: AnyRank, Types: attrTypes("out_type", dataTypes), Limits: made, Shape: parseAnyShape, Lower: parseAnyLower},
	{Name: ParseTensorFlat, Types: attrTypes("out_type", dataTypes), Limits: made, Shape: parseFlatShape, Lower: parseFlatLower},
	{Name: "DecodeJSONExample", Shape: eachString(tensor.String), Lower: unaryString(parse.Examples)},
	{Name: "SerializeTensor", Types: moves, Shape: scalarShape(tensor.String), Lower: serializeTensorLower},
}, messageDefs, sequenceExampleDefs)

// ParsedRank is the attribute of ParseTensor in which pass anyrank notes the rank
// that an EnsureShape behind it demands; the run checks it.
const ParsedRank = "_rank"

// parseTensorShape: a tensor of type out_type, whose shape only its bytes tell.
func parseTensorShape(c *Shaper) error {
	if err := c.scalarOr(0, "serialized"); err != nil {
		return err
	}
	e := element{dtype: c.Node.DType("out_type")}
	if rank, ok := c.Node.Attrs[ParsedRank].(int64); ok {
		e.known, e.dims = true, make([]*sym.Expr, rank)
	}
	c.elementShape(0, e)
	return nil
}

func parseTensorLower(b *Builder) error {
	d, rank := b.OutFact(0).DType, len(b.OutShape(0))
	for k := range rank {
		b.CallSizes(parse.TensorDim, []*sym.Expr{b.NewSizeK(0, 1+k)}, b.In(0), d, k, rank)
	}
	return b.parseElements(rank)
}

// parseElements stores the elements.
func (b *Builder) parseElements(rank int) error {
	switch d := b.OutFact(0).DType; {
	case d == tensor.String:
		b.Call(parse.TensorStrings, b.Out(0), b.In(0), rank)
	case d.IsData():
		b.Call(parse.TensorRaw, b.raw(b.Out(0)), b.In(0), d, rank)
	default:
		return b.Errorf(tensor.Unimplemented, "tensors of %v are not parsed", d)
	}
	return nil
}

func parseAnyShape(c *Shaper) error {
	if err := c.scalarOr(0, "serialized"); err != nil {
		return err
	}
	_, dims := anyRankSizes(c)
	c.Set(0, c.Node.DType("out_type"), ir.ShapeOf(sym.Product(dims)))
	return nil
}

func parseAnyLower(b *Builder) error {
	rank, dims := anyRankSizes(b.Shaper())
	b.CallSizes(parse.TensorSizes, append([]*sym.Expr{rank}, dims...), b.In(0), b.OutFact(0).DType)
	return b.parseElements(-1)
}

func parseFlatShape(c *Shaper) error {
	if err := c.scalarOr(0, "serialized"); err != nil {
		return err
	}
	c.Set(0, c.Node.DType("out_type"), ir.ShapeOf(c.NewSize(0)))
	return nil
}

func parseFlatLower(b *Builder) error {
	b.CallSizes(parse.TensorLen, []*sym.Expr{b.NewSize(0)}, b.In(0), b.OutFact(0).DType)
	return b.parseElements(-1)
}

func serializeTensorLower(b *Builder) error {
	dims := append([]*sym.Expr{}, b.InShape(0)...)
	switch d := b.InFact(0).DType; {
	case d == tensor.String:
		b.Call(parse.SerializeStrings, b.Out(0), b.In(0), dims)
	case d.IsData():
		b.Call(parse.SerializeRaw, b.Out(0), b.raw(b.In(0)), dims, d)
	default:
		return b.Errorf(tensor.Unimplemented, "tensors of %v are not serialized", d)
	}
	return nil
}
