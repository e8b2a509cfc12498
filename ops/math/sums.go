package math

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sumDefs describes the ops that add tensors without general broadcasting. AddN and AccumulateNV2
// add any number of tensors of equal shape. BiasAdd adds a vector along the channels.
var sumDefs = []*lower.Def{
	{Name: "AddN", Holding: &lower.Holding{FromAll: true, Len: kit.SameLength}, Traits: lower.Exact | lower.KeepsDigits | lower.Fills | lower.HandsConstant, Types: kit.VariantToo(TypesT("AddV2")), Shape: addNShape, Lower: addNLower},
	{Name: "AccumulateNV2", Traits: lower.Exact, Types: TypesT("AddV2"), Shape: addNShape, Lower: addNLower},
	{Name: "BiasAdd", Traits: lower.KeepsDigits, Types: TypesT("AddV2"), Shape: biasShape, Lower: biasLower},
	{Name: "BiasAddV1", Types: TypesT("AddV2"), Shape: biasShape, Lower: biasLower},
	{Name: "BiasAddGrad", Types: TypesT("AddV2"), Shape: biasGradShape, Lower: biasGradLower},
}

func addNShape(c *lower.Shaper) error {
	s := c.Shape(0)
	for i := 1; i < c.NumIn(); i++ {
		var err error
		if s, err = kit.MergeShapes(s, c.Shape(i)); err != nil {
			return err
		}
	}
	c.Set(0, c.In(0).DType, s)
	return nil
}

// addNLower adds the inputs in order and rounds after each addition.
func addNLower(b *lower.Builder) error {
	if b.InFact(0).DType == tensor.Variant {
		return kit.VariantLower(b)
	}
	if b.NumIn() == 1 {
		b.Alias(0, 0)
		return nil
	}
	fn, err := ElemKernel("AddV2", b.InFact(0).DType)
	if err != nil {
		return err
	}
	for i := 1; i < b.NumIn(); i++ {
		if err := kit.CheckSame(b, b.InShape(0), b.InShape(i)); err != nil {
			return err
		}
	}
	if lower.Loopable(fn, b.InFact(0).DType, b.OutFact(0).DType) && !b.InLen(0).Is(0) {
		addNLoop(b, fn)
		return nil
	}
	n := []*sym.Expr{b.InLen(0)}
	dims, _, err := kit.BroadcastDims(b, n, n)
	if err != nil {
		return err
	}
	if repeats(b, 0) {
		b.Call(fn, b.Out(0), b.In(0), b.In(1), dims)
	} else {
		b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.In(1), dims)
	}
	for i := 2; i < b.NumIn(); i++ {
		b.Call(fn, b.Out(0), kit.Reads(b.Out(0)), b.In(i), dims)
	}
	return nil
}

// addNLoop appends a loop over the elements that adds the inputs in order. Like addNLower, it
// rounds after each addition.
func addNLoop(b *lower.Builder, fn any) {
	d := b.InFact(0).DType
	l := b.Par(b.OutLen(0), lower.RowSplit(sym.One, (b.NumIn()-1)*b.ElementCost("AddV2", d)))
	dims := plan.Lit(elem.Dims{N: 1}, "A", []*sym.Expr{plan.Count}, "B", []*sym.Expr{plan.Count})
	in := func(i int) plan.View { return lower.Rows(b.In(i), sym.One) }
	out := lower.Rows(b.Out(0), sym.One)
	if repeats(b, 0) {
		l.Call(fn, out, in(0), in(1), dims)
	} else {
		l.CallInPlace(0, 0, fn, out, in(0), in(1), dims)
	}
	out.Mode = plan.Write
	for i := 2; i < b.NumIn(); i++ {
		l.Call(fn, out, kit.Reads(out), in(i), dims)
	}
}

// repeats reports whether input i uses the same buffer as input 2 or a later input. In this case,
// the result of the first addition must not overwrite input i, because a later addition reads it
// again.
func repeats(b *lower.Builder, i int) bool {
	for j := 2; j < b.NumIn(); j++ {
		if b.In(j).Buf.Root() == b.In(i).Buf.Root() {
			return true
		}
	}
	return false
}

// channelAxis returns the dimension that a bias is indexed by (attribute data_format).
func channelAxis(format string, rank int) int {
	if format == "NCHW" || format == "NCDHW" {
		return 1
	}
	return rank - 1
}

func biasShape(c *lower.Shaper) error {
	bias, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	s := c.Shape(0)
	if s.Known {
		if len(s.Dims) < 2 {
			return tensor.Errorf(tensor.InvalidArgument, "the value must have at least two dimensions, not the shape %v", s)
		}
		if bias.Known {
			a := channelAxis(c.Node.Str("data_format"), len(s.Dims))
			x, xok := s.Dims[a].IsInt()
			y, yok := bias.Dims[0].IsInt()
			if xok && yok && x != y {
				return tensor.Errorf(tensor.InvalidArgument, "%d biases for %d channels", y, x)
			}
			if yok {
				s.Dims = append([]*sym.Expr{}, s.Dims...)
				s.Dims[a] = bias.Dims[0]
			}
		}
	}
	c.Set(0, c.In(0).DType, s)
	return nil
}

func biasLower(b *lower.Builder) error {
	fn, err := ElemKernel("AddV2", b.InFact(0).DType)
	if err != nil {
		return err
	}
	s, bias := b.InShape(0), b.InShape(1)
	a := channelAxis(b.Node.Str("data_format"), len(s))
	if err := kit.CheckSame(b, s[a:a+1], bias); err != nil {
		return err
	}
	outer, n, inner := around(s, a)
	x, y := []*sym.Expr{outer, n, inner}, []*sym.Expr{sym.One, n, sym.One}
	if l, out, in, add, dims, same := kit.BroadcastLoop(b, "AddV2", fn, x, y); l != nil {
		if mayOverwrite(b, 0, 1, same) {
			l.CallInPlace(0, 0, fn, out, in, add, dims)
		} else {
			l.Call(fn, out, in, add, dims)
		}
		return nil
	}
	p := plan.Lit(elem.Dims{N: 3}, "A", x, "B", y)
	if b.In(0).Buf.Root() == b.In(1).Buf.Root() {
		b.Call(fn, b.Out(0), b.In(0), b.In(1), p)
	} else {
		b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.In(1), p)
	}
	return nil
}

func biasGradShape(c *lower.Shaper) error {
	s := c.Shape(0)
	d := c.In(0).DType
	if !s.Known {
		c.Set(0, d, s)
		return nil
	}
	if len(s.Dims) < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "the gradient must have at least two dimensions, not the shape %v", s)
	}
	s.Dims = []*sym.Expr{s.Dims[channelAxis(c.Node.Str("data_format"), len(s.Dims))]}
	c.Set(0, d, s)
	return nil
}

func biasGradLower(b *lower.Builder) error {
	s := b.InShape(0)
	drop := make([]bool, len(s))
	for k := range drop {
		drop[k] = k != channelAxis(b.Node.Str("data_format"), len(s))
	}
	r := bytype.Reduce["Sum"][b.InFact(0).DType]
	if r.Fn == nil {
		return NoKernel("BiasAddGrad", b.InFact(0).DType)
	}
	return lowerReduction(b, r, b.Out(0), b.In(0), s, drop)
}
