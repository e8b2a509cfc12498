package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/container"
	"github.com/graphc/graphc/rt/tensor"
)

// stackDefs are the ops of stacks: resources of a run, made each time StackV2
// runs, in which the gradients of loops find the values of earlier iterations,
// last ones first. Of the older form the handle, there a reference to a string,
// is a resource too. Attribute swap_memory means nothing. Errors are
// InvalidArgument: a full stack, an empty one, a closed one, an element of another type.
var stackDefs = []*Def{
	{Name: "Stack", Level: Reads, Flags: Stateful | NoFold, Shape: stackMakeShape, Lower: stackMakeLower},
	{Name: "StackV2", Level: Reads, Flags: Stateful | NoFold, Shape: stackMakeShape, Lower: stackMakeLower},
	{Name: "StackPush", Flags: Stateful | NoFold, Shape: stackPushShape, Lower: stackPushLower},
	{Name: "StackPushV2", Flags: Stateful | NoFold, Shape: stackPushShape, Lower: stackPushLower},
	{Name: "StackPop", Flags: Stateful | NoFold, Shape: stackPopShape, Lower: stackPopLower},
	{Name: "StackPopV2", Flags: Stateful | NoFold, Shape: stackPopShape, Lower: stackPopLower},
	{Name: "StackClose", Flags: Stateful | NoFold, Shape: withoutOutputs, Lower: stackCloseLower},
	{Name: "StackCloseV2", Flags: Stateful | NoFold, Shape: withoutOutputs, Lower: stackCloseLower},
}

func stackMakeShape(c *Shaper) error {
	c.Set(0, tensor.Resource, ir.ShapeOf())
	if c.NumIn() > 0 {
		return c.scalarOr(0, "Stack size")
	}
	return nil
}

func stackMakeLower(b *Builder) error {
	most := b.none(tensor.Int32)
	if b.NumIn() > 0 {
		most = b.In(0)
	}
	name := b.Node.Str("stack_name")
	if name == "" {
		name = b.Node.Name
	}
	b.Call(container.NewStack, b.Out(0), most, name, b.Node.DType("elem_type"))
	return nil
}

// stackPushShape: the element, handed on.
func stackPushShape(c *Shaper) error {
	c.Node.Outs[0] = *c.In(1)
	return nil
}

func stackPushLower(b *Builder) error {
	if err := b.ranked(1); err != nil {
		return err
	}
	d := b.InFact(1).DType
	b.Call(byKind(d, container.StackPushRaw, container.StackPushStr, container.StackPushHnd),
		b.In(0), b.raw(b.In(1)), b.InShape(1), d)
	b.Alias(0, 1)
	return nil
}

// stackPopShape: the element that was pushed last.
func stackPopShape(c *Shaper) error {
	held := heldBy(c.Graph, c.Node)
	c.setFound(0, c.Node.DType("elem_type"), held.shape(ir.Shape{}))
	if es := held.sameInts(); es != nil && c.Node.Outs[0].Shape.Known {
		c.SetInts(0, es)
	}
	return nil
}

func stackPopLower(b *Builder) error {
	d := b.OutFact(0).DType
	s := b.OutFact(0).Shape
	if !s.Known && b.OutUsed(0) {
		return unknownRank(b.Node, 0)
	}
	if !s.Known { // nobody reads what is popped, and nobody pushes
		b.Call(container.StackDrop, b.In(0), d)
		return nil
	}
	b.findSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.StackDim, size, b.In(0), d, k)
	})
	b.Call(byKind(d, container.StackPopRaw, container.StackPopStr, container.StackPopHnd),
		b.raw(b.Out(0)), b.In(0), b.OutShape(0), d)
	return nil
}

func stackCloseLower(b *Builder) error {
	b.Call(container.StackClose, b.In(0))
	return nil
}
