package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// identityDefs are the basic ops of graphs: constants, feeds, and ops that pass on their inputs.
var identityDefs = []*lower.Def{
	{Name: "Const", Flags: lower.HostSide, Traits: lower.NoGradient, Shape: constShape, Lower: kit.LowerNothing},
	{Name: "Placeholder", Level: lower.Source, Flags: lower.HostSide | lower.Stateful, Shape: placeholderShape, Lower: unfed},
	{Name: "PlaceholderV2", Level: lower.Source, Flags: lower.Stateful, Shape: placeholderShape, Lower: unfed},
	{Name: "Identity", Flags: lower.HostSide | lower.Forward, Traits: lower.Picks | lower.Renames | lower.KeepsDigits | lower.Fills, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "StopGradient", Flags: lower.HostSide | lower.Forward, Traits: lower.Renames | lower.Fills | lower.NoGradient, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "PreventGradient", Flags: lower.HostSide | lower.Forward, Traits: lower.Renames, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "Snapshot", Flags: lower.HostSide | lower.Forward, Traits: lower.Picks | lower.Renames | lower.Fills, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "PlaceholderWithDefault", Flags: lower.HostSide | lower.Forward, Contradicts: defaultContradicts, Shape: defaultShape, Lower: kit.ForwardLower},
	{Name: "IdentityN", Flags: lower.HostSide | lower.Forward, Traits: lower.KeepsDigits, Shape: identityNShape, Lower: identityNLower},
	{Name: "NoOp", Flags: lower.HostSide, Shape: func(*lower.Shaper) error { return nil }, Lower: kit.LowerNothing},
	{Name: "GuaranteeConst", Level: lower.Pure, Flags: lower.Forward, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "DebugGradientIdentity", Flags: lower.Forward, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "FakeParam", Shape: fakeParamShape, Lower: fakeParamLower},
}

// constShape: attribute value.
func constShape(c *lower.Shaper) error {
	t := c.Node.Value()
	if t == nil {
		return tensor.Errorf(tensor.InvalidArgument, "attribute value is missing")
	}
	c.Node.Outs[0] = ir.ConstFact(t)
	return nil
}

func placeholderShape(c *lower.Shaper) error {
	s, ok := c.Node.Attrs["shape"].(ir.PartialShape)
	if !ok {
		s.UnknownRank = true
	}
	c.Set(0, c.Node.DType("dtype"), lower.ShapeFromAttr(c.Node.Name, s))
	return nil
}

// unfed returns TensorFlow's error for a placeholder that a run needs but that is not fed.
func unfed(b *lower.Builder) error {
	return b.Errorf(tensor.InvalidArgument, "the placeholder must be fed: name it with --feed %s", b.Node.Name)
}

// defaultShape infers the result of PlaceholderWithDefault. If this op is not fed, its result is
// its input. The attribute shape must not contradict the input's shape, and has no other effect.
func defaultShape(c *lower.Shaper) error {
	if err := lower.DefaultFits(c.Node, c.Shape(0)); err != nil {
		return err
	}
	return kit.ForwardShape(c)
}

func identityNShape(c *lower.Shaper) error {
	for i := range c.Node.Ins {
		c.Node.Outs[i] = *c.In(i)
	}
	return nil
}

func identityNLower(b *lower.Builder) error {
	for i := range b.Node.Ins {
		if b.OutUsed(i) {
			b.Alias(i, i)
		}
	}
	return nil
}

// fakeParamShape infers the result of FakeParam. In one branch of a conditional, this op is a
// placeholder for a tensor that only another branch computes. The result has the shape in the
// attribute shape, with 0 for unknown sizes. If the rank is unknown, the result is a scalar.
func fakeParamShape(c *lower.Shaper) error {
	s, _ := c.Node.Attrs["shape"].(ir.PartialShape)
	dims := make([]int, len(s.Dims))
	for i, d := range s.Dims {
		dims[i] = int(max(0, d))
	}
	c.Set(0, c.Node.DType("dtype"), ir.StaticShape(dims...))
	return nil
}

func fakeParamLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	fn, err := bytype.ArrayFill.Get(d)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Data: tensor.MakeSlice(d, 1)}))
	return nil
}

// defaultContradicts checks a constant default value's shape against attribute shape.
func defaultContradicts(n *ir.Node) error {
	if t, ok := n.Ins[0].Node.Attrs["value"].(*tensor.Tensor); ok && n.Ins[0].Node.Op == "Const" {
		return lower.DefaultFits(n, ir.StaticShape(t.Shape...))
	}
	return nil
}
