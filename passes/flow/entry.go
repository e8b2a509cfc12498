package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// mostEntry bounds the number of nodes that are evaluated to find a loop's condition in the first
// iteration.
const mostEntry = 64

// endsAtOnce reports whether the condition of loop r is false in the first iteration. In this
// iteration, the loop variables have their initial values.
func endsAtOnce(s *edit.State, r *ir.Region) bool {
	tried := "condition " + r.Name
	if s.O.Eval == nil || s.NoFold[tried] != "" {
		return false
	}
	g := ir.NewGraph("condition")
	g.Library, g.Producer = s.G.Library, s.G.Producer
	c := &entry{s: s, g: g, loop: r, copies: map[*ir.Node]*ir.Node{}}
	o, ok := c.copy(r.Cond)
	if !ok {
		return false
	}
	g.Fetches = []ir.Fetch{{Name: o.String(), Key: o.String(), Out: o}}
	sub := &algebra.Subgraph{F: &algebra.Folder{S: s}, G: g}
	ts, err := sub.Run(1)
	if err != nil || ts[0].DType != tensor.Bool || ts[0].Len() != 1 || tensor.Data[bool](ts[0])[0] {
		s.NoFold[tried] = "the condition is not false in the first iteration"
		return false
	}
	return true
}

// entry builds a graph that computes the condition of a loop in the first iteration.
type entry struct {
	s      *edit.State
	g      *ir.Graph
	loop   *ir.Region
	copies map[*ir.Node]*ir.Node
}

// copy returns the copy of the tensor o in the new graph. It returns false if the tensor depends on
// a value that is not known at compile time.
func (c *entry) copy(o ir.Out) (ir.Out, bool) {
	n := o.Node
	if t := o.Fact().Const; t != nil && t.Len() <= ir.MaxInts {
		return c.g.NewConst(n.Name, t), true
	}
	if n.Op == ir.LoopVarOp && n.Region == c.loop {
		return c.copy(n.Ins[0])
	}
	if m := c.copies[n]; m != nil {
		return ir.Out{Node: m, Index: o.Index}, true
	}
	d := c.s.O.Ops.Lookup(n.Op)
	if n.Region != c.loop || len(n.Ins) == 0 || len(n.Controls) > 0 || len(c.copies) >= mostEntry || edit.IsFlow(c.s.O.Ops, n) || ir.Joins(n.Op) || c.s.Levels.Of(n) != lower.Pure ||
		d == nil || d.Lower == nil || d.Has(lower.NoFold) {
		return ir.Out{}, false
	}
	for i := range n.Outs {
		if size, ok := algebra.BytesOf(&n.Outs[i]); !ok || size > algebra.FoldCheap {
			return ir.Out{}, false
		}
	}
	ins := make([]ir.Out, len(n.Ins))
	for i, in := range n.Ins {
		var ok bool
		if ins[i], ok = c.copy(in); !ok {
			return ir.Out{}, false
		}
	}
	m := c.g.NewNode(n.Name, n.Op, n.Attrs, len(n.Outs), ins...)
	for i := range m.Outs {
		m.Outs[i].DType = n.Outs[i].DType
	}
	c.copies[n] = m
	return ir.Out{Node: m, Index: o.Index}, true
}
