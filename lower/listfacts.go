package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Contents returns an empty description of the contents of a container that the node c.Node reads.
func (c *Shaper) Contents() *Contents {
	return &Contents{G: c.Graph, Reader: c.Node, Table: c.Table}
}

// ContentsOf returns the possible contents of the list o, which the node reads.
func (c *Shaper) ContentsOf(o ir.Out) *Contents {
	k := c.Contents()
	k.list(o, map[ir.Out]bool{})
	return k
}

func (c *Contents) list(o ir.Out, seen map[ir.Out]bool) {
	if seen[o] {
		return
	}
	seen[o] = true
	if from, ok := c.Table.HandedOn(o); ok {
		c.loopOf(o)
		for _, i := range from {
			c.list(i, seen)
		}
		return
	}
	n := o.Node
	makes, lists := c.Table.holding(n.Op).Makes, c.Table.listFrom(o)
	if d, ok := n.Attrs["element_dtype"]; ok && (makes || lists != nil) {
		if e, ok := c.Reader.Attrs["element_dtype"]; ok && e != d {
			return // a list of another type: the reader rejects it
		}
	}
	for _, w := range c.Table.puts(n) {
		c.items = append(c.items, w.element())
	}
	for _, i := range lists {
		c.list(i, seen)
	}
	if lists != nil {
		return
	}
	if at := c.Table.AskInput(n.Op); at >= 0 && makes {
		dims, known, _ := PartialInput(c.G, n.Ins[at])
		s := Sure(dims, known)
		for _, p := range c.Table.holding(n.Op).Puts {
			if p.Part == RowGroups && len(s.Dims) > 0 { // each element may have a different number of rows
				s.Dims[0] = nil
			}
		}
		c.made = append(c.made, s)
		return
	}
	if holder, ok := c.Table.ListHolder(o); ok { // o is a list that was an element of another list
		for _, w := range c.Table.ListItems(holder) {
			if w.Fact().DType == tensor.Variant {
				c.list(w, seen)
			}
		}
	}
	c.other, c.made = true, append(c.made, ir.Shape{})
}

// ListItems returns all tensors that were put into the list o.
func (t *Table) ListItems(o ir.Out) []ir.Out {
	var items []ir.Out
	seen := map[ir.Out]bool{}
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if seen[o] {
			return
		}
		seen[o] = true
		from, ok := t.HandedOn(o)
		if !ok {
			for _, w := range t.puts(o.Node) {
				items = append(items, w.o)
			}
			from = t.listFrom(o)
		}
		for _, i := range from {
			visit(i)
		}
	}
	visit(o)
	return items
}

// ListLen returns the number of elements of the list o. It returns nil if the number is unknown, or
// contains sizes that are not valid where the node is.
func (c *Shaper) ListLen(o ir.Out) *sym.Expr {
	k := c.Contents()
	e := k.len(o, map[ir.Out]*sym.Expr{}, 0)
	if e == nil || !k.Constant(e) || MayBeNegative(e) {
		return nil
	}
	return e
}

func (c *Contents) len(o ir.Out, vars map[ir.Out]*sym.Expr, depth int) *sym.Expr {
	if depth > 1000 {
		return nil
	}
	if e, ok := vars[o]; ok {
		return e
	}
	if from, ok := c.Table.HandedOn(o); ok {
		c.loopOf(o)
		e := c.len(from[0], vars, depth+1)
		if e == nil {
			return nil
		}
		vars[o] = e
		for _, i := range from[1:] {
			if f := c.len(i, vars, depth+1); f == nil || !f.Equal(e) {
				return nil
			}
		}
		return e
	}
	h := c.Table.holding(o.Node.Op)
	if h.Len == nil || o.Index != 0 {
		return nil
	}
	return h.Len(&Length{o.Node, c.G, func(o ir.Out) *sym.Expr { return c.len(o, vars, depth+1) }})
}

// Declared returns the element shape with which the list o was created, and its rank (-1 if
// unknown). A nil dimension is unknown. ok is false if o may be one of several lists with different
// element shapes.
func (c *Contents) Declared(o ir.Out) (dims []*sym.Expr, rank int, ok bool) {
	rank = -2
	seen := map[ir.Out]bool{}
	agree := true
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if seen[o] || !agree {
			return
		}
		seen[o] = true
		from, handed := c.Table.HandedOn(o)
		if !handed {
			from = c.Table.listFrom(o)
		}
		if from != nil {
			for _, i := range from {
				visit(i)
			}
			return
		}
		if holder, ok := c.Table.ListHolder(o); ok {
			if items := c.Table.ListItems(holder); len(items) > 0 {
				for _, i := range items {
					if i.Fact().DType == tensor.Variant {
						visit(i)
					}
				}
				return
			}
		}
		if !c.Table.holding(o.Node.Op).Makes {
			agree = false
			return
		}
		es, known, okay := PartialInput(c.G, o.Node.Ins[c.Table.AskInput(o.Node.Op)])
		r := len(es)
		if !known {
			r = -1
		}
		if !okay || rank != -2 && r != rank {
			agree = false
			return
		}
		if rank == -2 {
			rank, dims = r, append([]*sym.Expr(nil), es...)
		}
		for k, e := range es {
			if dims[k] != nil && (!dims[k].Equal(e) || !c.Constant(e)) {
				dims[k] = nil
			}
		}
	}
	visit(o)
	return dims, rank, agree && rank != -2
}
