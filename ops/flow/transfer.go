package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	sparseops "github.com/graphc/graphc/ops/sparse"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// transferDefs describe the ops that connect the partitions of a graph. Package partition inserts
// them; see docs/partitions.md.
//
//   - _Send passes its input to the _Recv with the same slot. It never waits.
//   - _Recv waits for the tensor of its _Send. The attribute dims holds the tensor's shape, and the
//     attribute ints holds its elements if they are known integers.
//   - _Sizes returns a vector of sizes. The names of the sizes are in the attribute names. The node
//     that computes the input of _Sizes determines the sizes at run time.
//   - _SendControl and _RecvControl work like _Send and _Recv, but do not transfer a tensor.
//
// All of these ops except _Sizes have effects, so no pass moves, merges or removes them.
var transferDefs = []*lower.Def{
	{Name: "_Send", Flags: lower.Stateful | lower.Effect | lower.NoFold, Shape: noOutputs, Lower: sendLower},
	{Name: "_Recv", Flags: lower.Stateful | lower.Effect | lower.NoFold, Shape: recvShape, Lower: recvLower},
	{Name: "_Sizes", Flags: lower.NoFold, Shape: sizesShape, Lower: kit.LowerNothing},
	{Name: "_SendControl", Flags: lower.Stateful | lower.Effect | lower.NoFold, Shape: noOutputs, Lower: sendControlLower},
	{Name: "_RecvControl", Flags: lower.Stateful | lower.Effect | lower.NoFold, Shape: noOutputs, Lower: recvControlLower},
}

func noOutputs(*lower.Shaper) error { return nil }

func recvShape(c *lower.Shaper) error {
	d := c.Node.DType("tensor_type")
	texts, ok := c.Node.Attrs["dims"].([]string)
	if !ok {
		// In a graph that was printed and parsed, an empty list has no element type.
		if l, empty := c.Node.Attrs["dims"].([]int64); !empty || len(l) > 0 {
			c.Set(0, d, ir.Shape{})
			return nil
		}
	}
	dims, err := lower.ParseShapes(texts)
	if err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	if texts, ok := c.Node.Attrs["ints"].([]string); ok {
		ints, err := lower.ParseShapes(texts)
		if err != nil {
			return err
		}
		c.SetInts(0, ints)
	}
	return nil
}

// StateShapes writes the known shapes of a node's outputs, and of its sparse matrix inputs, into
// the node's attributes.
func StateShapes(n *ir.Node) {
	texts := make([]string, len(n.Outs))
	for i := range n.Outs {
		if s := n.Outs[i].Shape; s.Known {
			texts[i] = s.String()
		}
	}
	n.Attrs[lower.ShapesAttr] = texts
	sparseops.StateMatrices(n)
}

func sizesShape(c *lower.Shaper) error {
	names, _ := c.Node.Attrs["names"].([]string)
	es := make([]*sym.Expr, len(names))
	for i, name := range names {
		if _, ok := c.Graph.Symbols[name]; !ok {
			return tensor.Errorf(tensor.Internal, "no node determines the size %s any more", name)
		}
		es[i] = sym.Var(name)
	}
	c.Set(0, tensor.Int64, ir.StaticShape(len(es)))
	c.SetInts(0, es)
	return nil
}

func sendLower(b *lower.Builder) error {
	if b.OnDevice(0) {
		again := b.Repeated() // whether the tensor may be overwritten while the message is in transit
		send(b, plan.RouteStaged, b.DevIn(0), again)
		return nil
	}
	if rendezvous.SendOf(b.InFact(0).DType) == nil {
		return tensor.Errorf(tensor.Unimplemented, "a %v cannot be sent to another device", b.InFact(0).DType)
	}
	send(b, plan.RouteHost, b.In(0), false)
	return nil
}

func send(b *lower.Builder, r plan.Route, src plan.View, reused bool) {
	b.Step(&plan.Send{Node: b.Node.Name, Op: b.Node.OpName(), Slot: b.Node.Int("slot"), Route: r, Src: src, Reused: reused})
}

func recv(b *lower.Builder, r plan.Route, dst plan.View) {
	b.Step(&plan.Recv{Node: b.Node.Name, Op: b.Node.OpName(), Slot: b.Node.Int("slot"), Route: r, Dst: dst})
}

func recvLower(b *lower.Builder) error {
	if d := b.OutFact(0).DType; b.OnGPU() && d != tensor.String && !d.Opaque() && b.DevReads(0) {
		recv(b, plan.RouteStaged, b.DevOut(0))
		return nil
	}
	if rendezvous.RecvOf(b.OutFact(0).DType) == nil {
		return tensor.Errorf(tensor.Unimplemented, "a %v cannot be received from another device", b.OutFact(0).DType)
	}
	recv(b, plan.RouteHost, b.Out(0))
	return nil
}

func sendControlLower(b *lower.Builder) error {
	send(b, plan.RouteControl, plan.View{}, false)
	return nil
}

func recvControlLower(b *lower.Builder) error {
	recv(b, plan.RouteControl, plan.View{})
	return nil
}
