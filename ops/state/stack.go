package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/container"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// stackDefs describes the ops of stacks. StackV2 creates a stack, which exists until the end of the
// run. The gradients of loops pop from it the values of earlier iterations, beginning with the last
// iteration. In TensorFlow 1, the handle of a stack was a reference to a string; here it is a
// resource. Attribute swap_memory is ignored. An op fails with InvalidArgument if it pushes to a
// full stack, pops from an empty stack, uses a closed stack, or has another element type than the
// stack.
var stackDefs = []*lower.Def{
	{Name: "Stack", Holding: makesHolder, Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Shape: stackMakeShape, Lower: stackMakeLower},
	{Name: "StackV2", Holding: makesHolder, Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Shape: stackMakeShape, Lower: stackMakeLower},
	{Name: "StackPush", Holding: pushes, Flags: lower.Stateful | lower.NoFold, Shape: stackPushShape, Lower: stackPushLower},
	{Name: "StackPushV2", Holding: pushes, Flags: lower.Stateful | lower.NoFold, Shape: stackPushShape, Lower: stackPushLower},
	{Name: "StackPop", Holding: looksInside, Flags: lower.Stateful | lower.NoFold, Shape: stackPopShape, Lower: stackPopLower},
	{Name: "StackPopV2", Holding: looksInside, Flags: lower.Stateful | lower.NoFold, Shape: stackPopShape, Lower: stackPopLower},
	{Name: "StackClose", Flags: lower.Stateful | lower.NoFold, Shape: WithoutOutputs, Lower: stackCloseLower},
	{Name: "StackCloseV2", Flags: lower.Stateful | lower.NoFold, Shape: WithoutOutputs, Lower: stackCloseLower},
}

// Descriptions of how ops on arrays and stacks use their containers.
var (
	makesHolder = &lower.Holding{Makes: true}
	looksInside = &lower.Holding{LooksInside: true}
	pushes      = &lower.Holding{Puts: put(1, lower.Whole)}
)

func stackMakeShape(c *lower.Shaper) error {
	c.Set(0, tensor.Resource, ir.ShapeOf())
	if c.NumIn() > 0 {
		return c.ScalarOr(0, "Stack size")
	}
	return nil
}

func stackMakeLower(b *lower.Builder) error {
	p := plan.Lit(container.StackParams{})
	if b.NumIn() > 0 {
		p = p.With("Most", b.In(0))
	}
	name := b.Node.Str("stack_name")
	if name == "" {
		name = b.Node.Name
	}
	b.Call(container.NewStack, b.Out(0), name, b.Node.DType("elem_type"), p)
	return nil
}

// stackPushShape infers the shape of the output of StackPush, which is the pushed element.
func stackPushShape(c *lower.Shaper) error {
	c.Node.Outs[0] = *c.In(1)
	return nil
}

func stackPushLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 1); err != nil {
		return err
	}
	d := b.InFact(1).DType
	b.Call(lower.ByKind(d, container.StackPushRaw, container.StackPushStr, container.StackPushHnd),
		b.In(0), b.Raw(b.In(1)), b.InShape(1), d)
	b.Alias(0, 1)
	return nil
}

// stackPopShape infers the shape of the output of StackPop, which is the element that was pushed
// last.
func stackPopShape(c *lower.Shaper) error {
	held := c.Held()
	c.SetFound(0, c.Node.DType("elem_type"), held.Shape(ir.Shape{}))
	if es := held.SameInts(); es != nil && c.Node.Outs[0].Shape.Known {
		c.SetInts(0, es)
	}
	return nil
}

func stackPopLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	s := b.OutFact(0).Shape
	if !s.Known && b.OutUsed(0) {
		return lower.UnknownRank(b.Node, 0)
	}
	if !s.Known { // the shape is unknown because the graph contains no push; the result is not used
		b.Call(container.StackDrop, b.In(0), d)
		return nil
	}
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.StackDim, size, b.In(0), d, k)
	})
	b.Call(lower.ByKind(d, container.StackPopRaw, container.StackPopStr, container.StackPopHnd),
		b.Raw(b.Out(0)), b.In(0), b.OutShape(0), d)
	return nil
}

func stackCloseLower(b *lower.Builder) error {
	b.Call(container.StackClose, b.In(0))
	return nil
}
