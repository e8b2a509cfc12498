package array

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// sequenceDefs generate arithmetic progressions.
var sequenceDefs = []*lower.Def{
	{Name: "Range", Traits: lower.Fills | lower.NoGradient, Types: map[string][]tensor.DType{"Tidx": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int32, tensor.Int64}}, Shape: rangeShape, Lower: rangeLower},
	{Name: "LinSpace", Traits: lower.NoGradient, Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64}}, Shape: linSpaceShape, Lower: linSpaceLower},
}

func scalarInputs(c *lower.Shaper, names ...string) error {
	for i, name := range names {
		if s := c.Shape(i); s.Rank() > 0 {
			return tensor.Errorf(tensor.InvalidArgument, "%s must be a scalar, not of the shape %v", name, s)
		}
	}
	return nil
}

// rangeShape infers the result of Range, whose inputs are start, limit and delta. If all inputs are
// constants, the length is an expression. It is also an expression if delta is constant, and start
// and limit are integers computed from sizes. Otherwise, the length is counted at run time.
func rangeShape(c *lower.Shaper) error {
	if err := scalarInputs(c, "start", "limit", "delta"); err != nil {
		return err
	}
	d := c.In(0).DType
	n, err := rangeLen(c)
	if err != nil {
		return err
	}
	if n == nil {
		c.Set(0, d, ir.ShapeOf(c.NewSize(0)))
		return nil
	}
	c.Set(0, d, ir.ShapeOf(n))
	if v, ok := n.IsInt(); ok && v <= ir.MaxInts && c.In(0).Ints != nil {
		start, delta := c.In(0).Ints[0], c.In(2).Ints[0]
		out := make([]*sym.Expr, v)
		for i := range out {
			out[i] = start.Add(delta.MulInt(i))
		}
		c.SetInts(0, out)
	}
	return nil
}

// rangeLen returns the number of elements of an integer Range with a constant delta, else nil.
func rangeLen(c *lower.Shaper) (*sym.Expr, error) {
	if n, ok, err := constRange(c); ok || err != nil {
		return n, err
	}
	if c.In(0).Ints == nil || c.In(1).Ints == nil || c.In(2).Ints == nil {
		return nil, nil
	}
	start, limit := c.In(0).Ints[0], c.In(1).Ints[0]
	delta, ok := c.In(2).Ints[0].IsInt()
	if !ok {
		return nil, nil
	}
	if delta == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Requires delta != 0")
	}
	span := limit.Sub(start)
	if delta < 0 {
		span, delta = start.Sub(limit), -delta
	}
	if v, ok := span.IsInt(); ok && v < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Range from %v to %v by %v", start, limit, c.In(2).Ints[0])
	}
	n := span.CeilDiv(sym.Int(delta))
	if !span.NonNegative() {
		n = sym.Max(n, sym.Zero)
	}
	return n, nil
}

// constRange counts the elements of a Range of constant floats.
func constRange(c *lower.Shaper) (*sym.Expr, bool, error) {
	a, b, d := c.Const(0), c.Const(1), c.Const(2)
	if a == nil || b == nil || d == nil {
		return nil, false, nil
	}
	var n int
	var err error
	switch a := a.Data.(type) {
	case []float32:
		n, err = array.RangeLenF32(a, tensor.Data[float32](b), tensor.Data[float32](d))
	case []float64:
		n, err = array.RangeLenF64(a, tensor.Data[float64](b), tensor.Data[float64](d))
	case []tensor.F16:
		n, err = array.RangeLenF16(a, tensor.Data[tensor.F16](b), tensor.Data[tensor.F16](d))
	case []tensor.BF16:
		n, err = array.RangeLenBF16(a, tensor.Data[tensor.BF16](b), tensor.Data[tensor.BF16](d))
	default:
		return nil, false, nil
	}
	return sym.Int(n), err == nil, err
}

// BindRange appends the step that counts the elements, or checks that delta leads from start to
// limit.
func BindRange(b *lower.Builder) error {
	fn, err := bytype.ArrayRangeLen.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	// The length is counted at run time if the inputs' values were unknown when the shape was
	// inferred. This holds even if another node has bound these values to symbols since.
	counted := false
	b.FindSizes(0, func(_ int, size []*sym.Expr) {
		counted = true
		b.CallSizes(fn, size, b.In(0), b.In(1), b.In(2))
	})
	if !counted && b.InFact(1).Ints != nil {
		span := b.InFact(1).Ints[0].Sub(b.InFact(0).Ints[0])
		if v, _ := b.InFact(2).Ints[0].IsInt(); v < 0 {
			span = span.MulInt(-1)
		}
		if !span.NonNegative() {
			b.Check(shape.AtLeast, span, 0, "the range from start to limit")
		}
	}
	return nil
}

func rangeLower(b *lower.Builder) error {
	if err := BindRange(b); err != nil {
		return err
	}
	fn, err := bytype.ArrayRange.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(2))
	return nil
}

// linSpaceShape infers the result of LinSpace, whose inputs are start, stop and num.
func linSpaceShape(c *lower.Shaper) error {
	if err := scalarInputs(c, "start", "stop", "num"); err != nil {
		return err
	}
	es, ok := c.Ints(2)
	n := c.NewSize(0)
	if ok {
		if v, static := es[0].IsInt(); static && v <= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Requires num > 0: %d", v)
		} else if !lower.MayBeNegative(es[0]) {
			n = es[0]
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(n))
	return nil
}

func linSpaceLower(b *lower.Builder) error {
	es, _ := b.Ints(2)
	kit.BindSize(b, 0, 0, es[0], "num")
	if _, static := es[0].IsInt(); !static {
		b.Check(shape.AtLeast, es[0], 1, "num")
	}
	fn, err := bytype.ArrayLinSpace.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1))
	return nil
}
