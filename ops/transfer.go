package ops

import (
	"strings"

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
//   - _Sizes is a vector of sizes that its input's node finds: attribute names;
//   - _SendControl and _RecvControl do the same without a tensor.
//
// They are effects: no pass moves, merges or leaves one out.
var transferDefs = []*Def{
	{Name: "_Send", Flags: Stateful | Effect | NoFold, Shape: noOutputs, Lower: sendLower},
	{Name: "_Recv", Flags: Stateful | Effect | NoFold, Shape: recvShape, Lower: recvLower},
	{Name: "_Sizes", Flags: NoFold, Shape: sizesShape, Lower: nothing},
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

// ShapesAttr states the shapes of a node's outputs, each as "[n,4]" or "" for one that is not
// known, for nodes whose own do not tell: those of a partition that reads what
// another puts into a container.
const ShapesAttr = "_shapes"

// StateShapes writes what is known of a node's outputs, and of the sparse matrices it
// takes, into its attributes.
func StateShapes(n *ir.Node) {
	texts := make([]string, len(n.Outs))
	for i := range n.Outs {
		if s := n.Outs[i].Shape; s.Known {
			texts[i] = s.String()
		}
	}
	n.Attrs[ShapesAttr] = texts
	stateMatrices(n)
}

// stated gives outputs the shapes that ShapesAttr states, also where the node's own tell
// more: what other partitions send may mention the sizes that this node is to find.
func (c *Shaper) stated() error {
	texts, ok := c.Node.Attrs[ShapesAttr].([]string)
	if !ok {
		return nil
	}
	for i := range c.Node.Outs {
		f := &c.Node.Outs[i]
		if i >= len(texts) || texts[i] == "" {
			continue
		}
		dims, err := dimsOf(texts[i])
		if err != nil {
			return err
		}
		known := f.Ints // what the node itself tells of its elements holds still
		c.Set(i, f.DType, ir.ShapeOf(dims...))
		if known != nil && f.Shape.Len().Is(len(known)) {
			c.SetInts(i, known)
		}
	}
	return nil
}

// dimsOf reads the text of a shape.
func dimsOf(text string) ([]*sym.Expr, error) {
	list := strings.Trim(text, "[]")
	if list == "" {
		return nil, nil
	}
	return parseAll(splitDims(list))
}

// splitDims divides a list at the commas outside of parentheses.
func splitDims(list string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range list {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out, from = append(out, list[from:i]), i+1
			}
		}
	}
	return append(out, list[from:])
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

func sizesShape(c *Shaper) error {
	names, _ := c.Node.Attrs["names"].([]string)
	es := make([]*sym.Expr, len(names))
	for i, name := range names {
		if _, ok := c.Graph.Symbols[name]; !ok {
			return tensor.Errorf(tensor.Internal, "nothing tells the size %s any more", name)
		}
		es[i] = sym.Var(name)
	}
	c.Set(0, tensor.Int64, ir.StaticShape(len(es)))
	c.SetInts(0, es)
	return nil
}

func sendLower(b *Builder) error {
	if b.onDevice(0) {
		again := len(b.l.lists) > 1 // what is sent may be made anew while the message is on its way
		b.send(plan.RouteStaged, b.DevIn(0), again)
		return nil
	}
	if rendezvous.SendOf(b.InFact(0).DType) == nil {
		return tensor.Errorf(tensor.Unimplemented, "a %v cannot be sent to another device", b.InFact(0).DType)
	}
	b.send(plan.RouteHost, b.In(0), false)
	return nil
}

func (b *Builder) send(r plan.Route, src plan.View, reused bool) {
	b.l.step(&plan.Send{Node: b.Node.Name, Op: b.Node.OpName(), Slot: b.Node.Int("slot"), Route: r, Src: src, Reused: reused})
}

func (b *Builder) recv(r plan.Route, dst plan.View) {
	b.l.step(&plan.Recv{Node: b.Node.Name, Op: b.Node.OpName(), Slot: b.Node.Int("slot"), Route: r, Dst: dst})
}

func recvLower(b *Builder) error {
	if d := b.OutFact(0).DType; b.l.gpu && d != tensor.String && !d.Opaque() && b.l.devReads(ir.Out{Node: b.Node}) {
		b.recv(plan.RouteStaged, b.DevOut(0))
		return nil
	}
	if rendezvous.RecvOf(b.OutFact(0).DType) == nil {
		return tensor.Errorf(tensor.Unimplemented, "a %v cannot be received from another device", b.OutFact(0).DType)
	}
	b.recv(plan.RouteHost, b.Out(0))
	return nil
}

func sendControlLower(b *Builder) error {
	b.send(plan.RouteControl, plan.View{}, false)
	return nil
}

func recvControlLower(b *Builder) error {
	b.recv(plan.RouteControl, plan.View{})
	return nil
}
