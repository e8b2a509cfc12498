package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
)

// The contents of lists, arrays and stacks of tensors are known only at run time. Facts about the
// shapes of their tensors come from two places in the graph at compile time: the shape for
// which the container was created, and the tensors that other nodes (the writers) put in. The
// writers are found by going back from the reader, also through the nodes that join loops and
// branches with the graph around them. If writers disagree on a dimension, or if the dimension is a
// size that belongs to another iteration than the reader's, the reader must determine the dimension
// at run time.

// Contents describes the possible contents of a container that one node, the reader, reads.
type Contents struct {
	G      *ir.Graph
	Reader *ir.Node
	Table  *Table
	// made holds the element shapes for which containers were created, with nil for unknown
	// dimensions. items holds the shapes of written tensors.
	made, items []ir.Shape
	loops       []*ir.Region // loops that have the container as the value of a variable
	// Home is the region in which the container was created, if the container can change after its
	// creation. A size of a loop that does not enclose Home may have different values at two writes
	// to the container.
	Home    *ir.Region
	Changes bool
	// other means that some writers are unknown.
	other bool
	// Whole means that the reader gets a tensor exactly as it was put in, whatever shape the reader
	// expects.
	Whole bool
	// ints holds the elements of the written tensors if they are known and are the same for all
	// tensors. Otherwise it is nil.
	ints  []*sym.Expr
	mixed bool // whether the elements of the written tensors differ or are unknown
}

// elements compares the known elements of a written tensor with those of the tensors before it, and
// updates ints and mixed.
func (c *Contents) elements(w listWrite) {
	es := w.o.Fact().Ints
	switch {
	case w.part != 0 || es == nil || w.o.Fact().Shape.Rank() > 1 || c.ints != nil && !slices.EqualFunc(es, c.ints, (*sym.Expr).Equal):
		c.mixed = true
	default:
		c.ints = es
	}
}

// SameInts returns the elements of a tensor in the container if all tensors in the container have
// the same elements. It returns nil if the elements differ or are unknown.
func (c *Contents) SameInts() []*sym.Expr {
	if c.other || c.mixed || slices.ContainsFunc(c.ints, func(e *sym.Expr) bool { return !c.Constant(e) }) {
		return nil
	}
	return c.ints
}

// Constant reports whether the reader may use e as a value that is the same for all tensors in the
// container.
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

// CommonShape returns the common dimensions of shapes, with nil for each dimension in which they
// differ. The result is unknown if ranks differ or no shape is known.
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

// Shape returns the shape of a tensor of the container. ask is the shape that the reader expects.
// In the result, nil is a dimension that the reader must determine at run time.
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
		return ir.ShapeOf() // no writers: every read fails
	}
	if c.Whole && !c.other && items.Known {
		out = c.found(out, items)
	}
	return out
}

// found returns s with nil for the dimensions that are known to differ from those of items. The
// reader must determine these dimensions at run time.
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

// rowsOf returns the shape of a tensor's rows, or an unknown shape if the tensor's is unknown.
func rowsOf(s ir.Shape) ir.Shape {
	if !s.Known || len(s.Dims) == 0 {
		return ir.Shape{}
	}
	return ir.ShapeOf(s.Dims[1:]...)
}

// partsOf returns the shape of a part of a tensor, where a part consists of several rows. The
// number of rows is unknown. If the shape s of the tensor is unknown, so is the result.
func partsOf(s ir.Shape) ir.Shape {
	if !s.Known || len(s.Dims) == 0 {
		return ir.Shape{}
	}
	return ir.ShapeOf(append([]*sym.Expr{nil}, s.Dims[1:]...)...)
}

// loopOf records the loop to which o belongs, if o is a loop variable.
func (c *Contents) loopOf(o ir.Out) {
	if o.Node.Op == ir.LoopVarOp && o.Node.Region != nil {
		c.loops = append(c.loops, o.Node.Region)
	}
}
