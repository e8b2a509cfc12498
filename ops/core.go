package ops

import (
	"strconv"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// coreDefs are the ops every graph holds: constants, feeds, and ops that hand
// on what they get.
var coreDefs = []*Def{
	{Name: "Const", Shape: constShape, Lower: nothing},
	{Name: "Placeholder", Level: Source, Flags: Stateful, Shape: placeholderShape, Lower: unfed},
	{Name: "PlaceholderV2", Level: Source, Flags: Stateful, Shape: placeholderShape, Lower: unfed},
	{Name: "Identity", Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "StopGradient", Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "PreventGradient", Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "Snapshot", Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "PlaceholderWithDefault", Flags: Forward, Shape: defaultShape, Lower: forwardLower},
	{Name: "IdentityN", Shape: identityNShape, Lower: identityNLower},
	{Name: "NoOp", Shape: func(*Shaper) error { return nil }, Lower: nothing},
	{Name: "GuaranteeConst", Level: Pure, Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "DebugGradientIdentity", Flags: Forward, Shape: forwardShape, Lower: forwardLower},
	{Name: "FakeParam", Shape: fakeParamShape, Lower: fakeParamLower},
}

func nothing(*Builder) error { return nil }

// constShape: attribute value.
func constShape(c *Shaper) error {
	t := c.Node.Value()
	if t == nil {
		return tensor.Errorf(tensor.InvalidArgument, "attribute value is missing")
	}
	c.Node.Outs[0] = ir.ConstFact(t)
	return nil
}

// ShapeFromAttr turns an attribute's shape into symbols named after name.
func ShapeFromAttr(name string, s ir.PartialShape) ir.Shape {
	if s.UnknownRank {
		return ir.Shape{}
	}
	dims := make([]*sym.Expr, len(s.Dims))
	for i, d := range s.Dims {
		if d >= 0 {
			dims[i] = sym.Int(int(d))
		} else {
			dims[i] = sym.Var(DimName(name, i))
		}
	}
	return ir.ShapeOf(dims...)
}

// DimName names the symbol of dimension axis of a fed tensor.
func DimName(name string, axis int) string {
	return "d_" + ir.Ident(name) + "_" + strconv.Itoa(axis)
}

// FreshDim is the symbol of dimension axis of a fed tensor that none of taken
// has: names of tensors may differ where identifiers made of them do not. It is
// added to taken.
func FreshDim(taken map[string]bool, name string, axis int) *sym.Expr {
	base := DimName(name, axis)
	fresh := base
	for k := 1; taken[fresh]; k++ {
		fresh = base + "_" + strconv.Itoa(k)
	}
	taken[fresh] = true
	return sym.Var(fresh)
}

func placeholderShape(c *Shaper) error {
	s, ok := c.Node.Attrs["shape"].(ir.PartialShape)
	if !ok {
		s.UnknownRank = true
	}
	c.Set(0, c.Node.DType("dtype"), ShapeFromAttr(c.Node.Name, s))
	return nil
}

// unfed is TensorFlow's error for a placeholder that a run reaches without a feed.
func unfed(b *Builder) error {
	return b.Errorf(tensor.InvalidArgument, "the placeholder must be fed: name it with --feed %s", b.Node.Name)
}

func forwardShape(c *Shaper) error {
	c.Node.Outs[0] = *c.In(0)
	return nil
}

func forwardLower(b *Builder) error {
	b.Alias(0, 0)
	return nil
}

// defaultShape: PlaceholderWithDefault that is not fed has its input's value. The attribute
// shape says no more than the input, but must not contradict it.
func defaultShape(c *Shaper) error {
	if err := defaultFits(c.Node, c.Shape(0)); err != nil {
		return err
	}
	return forwardShape(c)
}

// defaultFits compares a default value's shape with the attribute's.
func defaultFits(n *ir.Node, s ir.Shape) error {
	p, ok := n.Attrs["shape"].(ir.PartialShape)
	if !ok {
		return nil
	}
	return fits("the default value", s, "the attribute shape", statedShape(p))
}

// statedShape is a shape that an attribute states, with nil for dimensions that it leaves open.
func statedShape(s ir.PartialShape) ir.Shape {
	if s.UnknownRank {
		return ir.Shape{}
	}
	dims := make([]*sym.Expr, len(s.Dims))
	for i, d := range s.Dims {
		if d >= 0 {
			dims[i] = sym.Int(int(d))
		}
	}
	return ir.ShapeOf(dims...)
}

func identityNShape(c *Shaper) error {
	for i := range c.Node.Ins {
		c.Node.Outs[i] = *c.In(i)
	}
	return nil
}

func identityNLower(b *Builder) error {
	for i := range b.Node.Ins {
		if b.OutUsed(i) {
			b.Alias(i, i)
		}
	}
	return nil
}

// fakeParamShape: what a branch gives in the place of a tensor that only the other one
// has: of attribute shape, unknown sizes 0, an unknown rank a scalar.
func fakeParamShape(c *Shaper) error {
	s, _ := c.Node.Attrs["shape"].(ir.PartialShape)
	dims := make([]int, len(s.Dims))
	for i, d := range s.Dims {
		dims[i] = int(max(0, d))
	}
	c.Set(0, c.Node.DType("dtype"), ir.StaticShape(dims...))
	return nil
}

func fakeParamLower(b *Builder) error {
	d := b.OutFact(0).DType
	fn, err := arrayFillKernels.get(d)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Data: tensor.MakeSlice(d, 1)}))
	return nil
}
