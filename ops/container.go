package ops

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Tensors in lists, arrays and stacks lie where only a run can look. What is known
// of their shapes comes from the graph: from what the container was made for and
// from the tensors that the writers put in, found by going back from its reader
// through joins of regions. A dimension that writers do not agree on, or that is a
// size of another iteration than the reader's, is one that the reader finds out.

// contents is what may be in the container that a reader reads.
type contents struct {
	g      *ir.Graph
	reader *ir.Node
	// made holds the element shapes that containers were made for, nil for an
	// unknown dimension; items the shapes of what is written.
	made, items []ir.Shape
	loops       []*ir.Region // whose variables the container passes through
	// home is the region a changing container is made in: sizes of loops that do
	// not enclose it may differ from write to write.
	home    *ir.Region
	changes bool
	// other says that not all writers are known.
	other bool
	// whole says that the reader gets a tensor as it was put in, whatever shape it asks for.
	whole bool
	ints  []*sym.Expr // the elements that all that is written has, nil where that is not known
	mixed bool        // and there are none
}

// elements notes what is known of the elements of a tensor that is put in.
func (c *contents) elements(w listWrite) {
	es := w.o.Fact().Ints
	switch {
	case w.part != 0 || es == nil || c.ints != nil && !slices.EqualFunc(es, c.ints, (*sym.Expr).Equal):
		c.mixed = true
	default:
		c.ints = es
	}
}

// sameInts returns the elements of whatever was put in, nil where they are not known.
func (c *contents) sameInts() []*sym.Expr {
	if c.other || c.mixed || slices.ContainsFunc(c.ints, func(e *sym.Expr) bool { return !c.constant(e) }) {
		return nil
	}
	return c.ints
}

// constant reports that e has one value for all that is in the container, and
// that the reader may use it.
func (c *contents) constant(e *sym.Expr) bool {
	set := map[string]bool{}
	e.Vars(set)
	for v := range set {
		s, ok := c.g.Symbols[v]
		if !ok {
			continue
		}
		at := s.Out.Node.Region
		if !at.Encloses(c.reader.Region) || c.changes && !at.InnerLoop().Encloses(c.home) {
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

// commonShape returns what shapes have in common, nil for other dimensions; no known
// shape where ranks differ or there is none.
func commonShape(shapes []ir.Shape) ir.Shape {
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

// shape returns the shape of a tensor of the container, of which the reader
// expects ask: nil for dimensions that it must find out.
func (c *contents) shape(ask ir.Shape) ir.Shape {
	made := commonShape(c.made)
	for _, s := range c.made {
		if !s.Known {
			made = ir.Shape{}
		}
	}
	items := commonShape(c.items)
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
			if out.Dims[k] == nil && d != nil && c.constant(d) {
				out.Dims[k] = d
			}
		}
	}
	if !out.Known && len(c.items) == 0 && !c.other {
		return ir.ShapeOf() // nobody writes: every read fails
	}
	if c.whole && !c.other && items.Known {
		out = c.found(out, items)
	}
	return out
}

// found is s without the dimensions that items contradict, which the reader must find out.
func (c *contents) found(s, items ir.Shape) ir.Shape {
	rank := len(s.Dims) == len(items.Dims)
	dims := make([]*sym.Expr, len(items.Dims))
	for k, d := range items.Dims {
		if rank && (s.Dims[k] == nil || d == nil || !differ(s.Dims[k], d)) {
			dims[k] = s.Dims[k]
		}
	}
	return ir.ShapeOf(dims...)
}

// partialAttr is an attribute's shape, nil for unknown dimensions.
func partialAttr(n *ir.Node, name string) ir.Shape {
	p, ok := n.Attrs[name].(ir.PartialShape)
	if !ok || p.UnknownRank {
		return ir.Shape{}
	}
	dims := make([]*sym.Expr, len(p.Dims))
	for k, d := range p.Dims {
		if d >= 0 {
			dims[k] = sym.Int(int(d))
		}
	}
	return ir.ShapeOf(dims...)
}

// partialInts is attribute name as the arguments of a kernel that takes a shape
// of which not all is known.
func partialInts(n *ir.Node, name string) (dims []*sym.Expr, known bool) {
	s := partialAttr(n, name)
	return orMinusOne(s.Dims), s.Known
}

func orMinusOne(dims []*sym.Expr) []*sym.Expr {
	out := make([]*sym.Expr, len(dims))
	for k, d := range dims {
		if out[k] = d; d == nil {
			out[k] = sym.Int(-1)
		}
	}
	return out
}

// partialInput is a shape that an input states: a vector with -1 for unknown
// dimensions, or the scalar -1. ok is false where not even its rank is known; in
// dims an element that only the run tells may be -1.
func partialInput(g *ir.Graph, o ir.Out) (dims []*sym.Expr, known, ok bool) {
	f := o.Fact()
	es, have := IntsOf(g, o)
	if !have {
		return nil, false, false
	}
	if f.Shape.Rank() == 0 {
		return nil, false, true
	}
	return es, true, true
}

// sure turns a shape that partialInput returned into what is known of it.
func sure(dims []*sym.Expr, known bool) ir.Shape {
	if !known {
		return ir.Shape{}
	}
	out := make([]*sym.Expr, len(dims))
	for k, d := range dims {
		if v, ok := d.IsInt(); ok && v >= 0 || !ok && d.NonNegative() {
			out[k] = d
		}
	}
	return ir.ShapeOf(out...)
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

// handedOn returns the tensors that o may be without a change, false for one that
// its node makes.
func handedOn(o ir.Out) ([]ir.Out, bool) {
	switch n := o.Node; n.Op {
	case ir.LoopVarOp:
		return n.Ins, true
	case ir.MergeOp:
		if o.Index == 0 {
			return n.Ins, true
		}
	case "IdentityN":
		if o.Index < len(n.Ins) {
			return n.Ins[o.Index : o.Index+1], true
		}
	case ir.YieldOp, ir.NextOp, "RefIdentity", "Identity", "StopGradient", "PreventGradient", "Snapshot", "PlaceholderWithDefault":
		return n.Ins[:min(1, len(n.Ins))], true
	}
	return nil, false
}

// loopOf notes the loop whose variable o is.
func (c *contents) loopOf(o ir.Out) {
	if o.Node.Op == ir.LoopVarOp && o.Node.Region != nil {
		c.loops = append(c.loops, o.Node.Region)
	}
}

// looksInside reports the ops whose results' shapes depend on what others put
// into the container that they read.
func looksInside(op string) bool {
	switch op {
	case "TensorListGetItem", "TensorListPopBack", "TensorListStack", "TensorListGather", "TensorListConcat", "TensorListConcatV2",
		"TensorArrayRead", "TensorArrayReadV2", "TensorArrayReadV3", "TensorArrayGather", "TensorArrayGatherV2", "TensorArrayGatherV3",
		"TensorArrayPack", "TensorArrayConcat", "TensorArrayConcatV2", "TensorArrayConcatV3", "StackPop", "StackPopV2":
		return true
	}
	return false
}

// setFound sets output i to d with a shape whose nil dimensions the step finds
// out, behind the dimensions of lead.
func (c *Shaper) setFound(i int, d tensor.DType, s ir.Shape, lead ...*sym.Expr) {
	if !s.Known {
		c.unknownShape(i, d)
		return
	}
	dims := append(append([]*sym.Expr(nil), lead...), s.Dims...)
	for k, e := range dims {
		if e == nil {
			dims[k] = c.NewSizeK(i, k)
		}
	}
	c.Set(i, d, ir.ShapeOf(dims...))
}

// findSizes binds the dimensions of output i that setFound left to the step:
// call gets the number of one and the symbol.
func (b *Builder) findSizes(i int, call func(k int, size []*sym.Expr)) {
	for k, e := range b.OutShape(i) {
		name, ok := e.IsVar()
		if !ok {
			continue
		}
		if s, ok := b.Graph.Symbols[name]; ok && s.Out == (ir.Out{Node: b.Node, Index: i}) && s.Index == -1-k {
			call(k, []*sym.Expr{e})
		}
	}
}

// raw is a view as kernels of package container take it: plain elements as their bytes.
func (b *Builder) raw(v plan.View) plan.View {
	d := v.Buf.DType
	if !d.IsData() || d == tensor.String || d == tensor.Uint8 || d == tensor.QUint8 {
		return v
	}
	n := v.Len.MulInt(d.Size())
	f := &ir.Fact{DType: tensor.Uint8, Shape: ir.ShapeOf(v.Buf.Len.MulInt(d.Size()))}
	r := plan.View{Buf: b.l.alias(v.Buf.Name, f, v.Buf, nil), Len: n, Mode: v.Mode}
	if v.Off != nil {
		r.Off = v.Off.MulInt(d.Size())
	}
	return r
}

// byKind chooses the form of a kernel of package container.
func byKind(d tensor.DType, raw, str, hnd any) any {
	switch {
	case d == tensor.String:
		return str
	case d.Opaque():
		return hnd
	}
	return raw
}

// scalarOr refuses input i where it is known to be no scalar.
func (c *Shaper) scalarOr(i int, what string) error {
	if s := c.Shape(i); s.Known && len(s.Dims) != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%s must be a scalar, not of the shape %v", what, s)
	}
	return nil
}
