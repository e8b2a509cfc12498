package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
)

// Tensors in lists, arrays and stacks lie where only a run can look. What is known
// of their shapes comes from the graph: from what the container was made for and
// from the tensors that the writers put in, found by going back from its reader
// through joins of regions. A dimension that writers do not agree on, or that is a
// size of another iteration than the reader's, is one that the reader finds out.

// Contents is what may be in the container that a reader reads.
type Contents struct {
	G      *ir.Graph
	Reader *ir.Node
	Table  *Table
	// made holds the element shapes that containers were made for, nil for an
	// unknown dimension; items the shapes of what is written.
	made, items []ir.Shape
	loops       []*ir.Region // whose variables the container passes through
	// Home is the region a changing container is made in: sizes of loops that do
	// not enclose it may differ from write to write.
	Home    *ir.Region
	Changes bool
	// other says that not all writers are known.
	other bool
	// Whole says that the reader gets a tensor as it was put in, whatever shape it asks for.
	Whole bool
	ints  []*sym.Expr // the elements that all that is written has, nil where that is not known
	mixed bool        // and there are none
}

// elements notes what is known of the elements of a tensor that is put in.
func (c *Contents) elements(w listWrite) {
	es := w.o.Fact().Ints
	switch {
	case w.part != 0 || es == nil || c.ints != nil && !slices.EqualFunc(es, c.ints, (*sym.Expr).Equal):
		c.mixed = true
	default:
		c.ints = es
	}
}

// SameInts returns the elements of whatever was put in, nil where they are not known.
func (c *Contents) SameInts() []*sym.Expr {
	if c.other || c.mixed || slices.ContainsFunc(c.ints, func(e *sym.Expr) bool { return !c.Constant(e) }) {
		return nil
	}
	return c.ints
}

// Constant reports whether e has one value for all that is in the container, and
// that the reader may use it.
func (c *Contents) Constant(e *sym.Expr) bool {
	set := map[string]bool{}
	e.Vars(set)
	for v := range set {
		s, ok := c.G.Symbols[v]
		if !ok {
			continue
		}
		at := s.Out.Node.Region
		if !at.Encloses(c.Reader.Region) || c.Changes && !at.InnerLoop().Encloses(c.Home) {
			return false
		}
		for _, l := range c.loops {
			if l.Encloses(at) {
				return false
			}
		}
	}
	return true
}

// CommonShape returns what shapes have in common, nil for other dimensions; no known
// shape where ranks differ or there is none.
func CommonShape(shapes []ir.Shape) ir.Shape {
	var r ir.Shape
	for _, s := range shapes {
		switch {
		case !s.Known:
		case !r.Known:
			r = ir.ShapeOf(append([]*sym.Expr(nil), s.Dims...)...)
		case len(r.Dims) != len(s.Dims):
			return ir.Shape{}
		default:
			for k, d := range s.Dims {
				if r.Dims[k] != nil && (d == nil || !d.Equal(r.Dims[k])) {
					r.Dims[k] = nil
				}
			}
		}
	}
	return r
}

// Shape returns the shape of a tensor of the container, of which the reader
// expects ask: nil for dimensions that it must find out.
func (c *Contents) Shape(ask ir.Shape) ir.Shape {
	made := CommonShape(c.made)
	for _, s := range c.made {
		if !s.Known {
			made = ir.Shape{}
		}
	}
	items := CommonShape(c.items)
	out := ask
	for _, s := range []ir.Shape{made, items} {
		switch {
		case !s.Known:
			continue
		case !out.Known:
			out = ir.ShapeOf(make([]*sym.Expr, len(s.Dims))...)
		case len(out.Dims) != len(s.Dims):
			continue
		default:
			out = ir.ShapeOf(append([]*sym.Expr(nil), out.Dims...)...)
		}
		for k, d := range s.Dims {
			if out.Dims[k] == nil && d != nil && c.Constant(d) {
				out.Dims[k] = d
			}
		}
	}
	if !out.Known && len(c.items) == 0 && !c.other {
		return ir.ShapeOf() // nobody writes: every read fails
	}
	if c.Whole && !c.other && items.Known {
		out = c.found(out, items)
	}
	return out
}

// found is s without the dimensions that items contradict, which the reader must find out.
func (c *Contents) found(s, items ir.Shape) ir.Shape {
	rank := len(s.Dims) == len(items.Dims)
	dims := make([]*sym.Expr, len(items.Dims))
	for k, d := range items.Dims {
		if rank && (s.Dims[k] == nil || d == nil || !Differ(s.Dims[k], d)) {
			dims[k] = s.Dims[k]
		}
	}
	return ir.ShapeOf(dims...)
}

// rowsOf is the shape of the rows of a tensor; unknown where that is.
func rowsOf(s ir.Shape) ir.Shape {
	if !s.Known || len(s.Dims) == 0 {
		return ir.Shape{}
	}
	return ir.ShapeOf(s.Dims[1:]...)
}

// partsOf is rowsOf for parts of several rows.
func partsOf(s ir.Shape) ir.Shape {
	if !s.Known || len(s.Dims) == 0 {
		return ir.Shape{}
	}
	return ir.ShapeOf(append([]*sym.Expr{nil}, s.Dims[1:]...)...)
}

// loopOf notes the loop whose variable o is.
func (c *Contents) loopOf(o ir.Out) {
	if o.Node.Op == ir.LoopVarOp && o.Node.Region != nil {
		c.loops = append(c.loops, o.Node.Region)
	}
}
