package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// transferDefs are the ops that join the partitions of a graph, which package
// partition puts in: docs/partitions.md.
//
//   - _Send hands its input to the _Recv of the same slot, and never waits;
//   - _Recv waits for it; attributes dims and ints are what is known of it;
//   - _SendControl and _RecvControl do the same without a tensor.
//
// They are effects: no pass moves, merges or leaves one out.
var transferDefs = []*Def{
	{Name: "_Send", Flags: Stateful | Effect | NoFold, Shape: noOutputs, Lower: sendLower},
	{Name: "_Recv", Flags: Stateful | Effect | NoFold, Shape: recvShape, Lower: recvLower},
	{Name: "_SendControl", Flags: Stateful | Effect | NoFold, Shape: noOutputs, Lower: sendControlLower},
	{Name: "_RecvControl", Flags: Stateful | Effect | NoFold, Shape: noOutputs, Lower: recvControlLower},
}

func noOutputs(*Shaper) error { return nil }

func recvShape(c *Shaper) error {
	d := c.Node.DType("tensor_type")
	texts, ok := c.Node.Attrs["dims"].([]string)
	if !ok {
		if l, empty := c.Node.Attrs["dims"].([]int64); !empty || len(l) > 0 { // a list without elements has no kind once it was printed
			c.Set(0, d, ir.Shape{})
			return nil
		}
	}
	dims, err := parseAll(texts)
	if err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	if texts, ok := c.Node.Attrs["ints"].([]string); ok {
		ints, err := parseAll(texts)
		if err != nil {
			return err
		}
		c.SetInts(0, ints)
	}
	return nil
}

func parseAll(texts []string) ([]*sym.Expr, error) {
	es := make([]*sym.Expr, len(texts))
	for i, t := range texts {
		e, err := sym.Parse(t)
		if err != nil {
			return nil, tensor.Errorf(tensor.Internal, "%q is no size: %v", t, err)
		}
		es[i] = e
	}
	return es, nil
}

func sendLower(b *Builder) error {
	fn := rendezvous.SendOf(b.InFact(0).DType)
	if fn == nil {
		return tensor.Errorf(tensor.Unimplemented, "a %v cannot be sent to another device", b.InFact(0).DType)
	}
	b.Call(fn, plan.Exchange{}, b.Node.Int("slot"), b.In(0))
	return nil
}

func recvLower(b *Builder) error {
	fn := rendezvous.RecvOf(b.OutFact(0).DType)
	if fn == nil {
		return tensor.Errorf(tensor.Unimplemented, "a %v cannot be received from another device", b.OutFact(0).DType)
	}
	b.Call(fn, b.Out(0), plan.Exchange{}, b.Node.Int("slot"))
	return nil
}

func sendControlLower(b *Builder) error {
	b.Call(rendezvous.Signal, plan.Exchange{}, b.Node.Int("slot"))
	return nil
}

func recvControlLower(b *Builder) error {
	b.Call(rendezvous.Wait, plan.Exchange{}, b.Node.Int("slot"))
	return nil
}
