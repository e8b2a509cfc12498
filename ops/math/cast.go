package math

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/rt/tensor"
)

// castDefs describe the op Cast, which converts between all numeric types and bool. Conversions
// between integer types wrap around. Conversions from floats to integers truncate toward zero. If
// the attribute Truncate is set, a conversion to a shorter float drops the excess bits instead of
// rounding to even. A quantized type is converted like the integer type that stores its elements.
var castDefs = []*lower.Def{
	{Name: "Cast", Traits: lower.Exact | lower.KeepsDigits | lower.Fills | lower.ElementWise, Types: map[string][]tensor.DType{"SrcT": castTypes(), "DstT": castTypes()}, Shape: castShape, Lower: castLower},
}

func castTypes() []tensor.DType {
	var ds []tensor.DType
	for d := range bytype.Cast {
		ds = append(ds, d)
	}
	ds = append(ds, tensor.QInt8, tensor.QUint8, tensor.QInt16, tensor.QUint16, tensor.QInt32)
	slices.Sort(ds)
	return ds
}

func castShape(c *lower.Shaper) error {
	d := c.Node.DType("DstT")
	if d == tensor.Invalid {
		return tensor.Errorf(tensor.InvalidArgument, "attribute DstT is missing")
	}
	if c.In(0).DType == d {
		c.Node.Outs[0] = *c.In(0)
		return nil
	}
	c.Set(0, d, c.Shape(0))
	unaryInts(c)
	return nil
}

func castLower(b *lower.Builder) error {
	src, dst := bytype.Plain(b.InFact(0).DType), bytype.Plain(b.OutFact(0).DType)
	if src == dst {
		b.Alias(0, 0)
		return nil
	}
	fn := bytype.Cast[src][dst]
	if fn == nil {
		return tensor.Errorf(tensor.Unimplemented, "no conversion from %s to %s", src, dst)
	}
	if chop := bytype.Chop[[2]tensor.DType{src, dst}]; chop != nil && b.Node.Bool("Truncate") {
		fn = chop
	}
	if !lower.Loopable(fn, src, dst) {
		b.Call(fn, b.Out(0), b.In(0))
		return nil
	}
	l := b.Par(b.OutLen(0), lower.RowSplit(sym.One, lower.CostCheap))
	l.Call(fn, lower.Rows(b.Out(0), sym.One), lower.Rows(b.In(0), sym.One))
	return nil
}
