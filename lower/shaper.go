package lower

import (
	"errors"
	"fmt"
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Shaper is the argument of a shape function. Its methods read the facts of a node's inputs and set
// the facts of the node's outputs.
type Shaper struct {
	Graph *ir.Graph
	Node  *ir.Node
	Table *Table
}

// Of returns the Shaper of another node of the graph.
func (c *Shaper) Of(n *ir.Node) *Shaper { return &Shaper{c.Graph, n, c.Table} }

// Op returns the description of an op, or nil if it is unknown.
func (c *Shaper) Op(op string) *Def { return c.Table.Lookup(op) }

// NumIn returns the number of data inputs.
func (c *Shaper) NumIn() int { return len(c.Node.Ins) }

// In returns the fact of input i.
func (c *Shaper) In(i int) *ir.Fact { return c.Node.Ins[i].Fact() }

// Shape returns what is known of the shape of input i.
func (c *Shaper) Shape(i int) ir.Shape { return c.In(i).Shape }

// Const returns input i's value, or nil if it is not completely known.
func (c *Shaper) Const(i int) *tensor.Tensor { return c.In(i).Const }

// Ints returns the elements of input i, an integer scalar or vector, as expressions. Elements that
// are known only at run time become symbols. Ints returns false if the number of elements is
// unknown or exceeds ir.MaxInts.
func (c *Shaper) Ints(i int) ([]*sym.Expr, bool) { return IntsOf(c.Graph, c.Node.Ins[i]) }

// IntsOf is Shaper.Ints for a tensor o of the graph g.
func IntsOf(g *ir.Graph, o ir.Out) ([]*sym.Expr, bool) {
	f := o.Fact()
	if f.Ints != nil && f.Shape.Rank() <= 1 {
		return f.Ints, true
	}
	if (f.DType == tensor.Int16 || f.DType == tensor.Int8) && f.Const != nil && f.Shape.Rank() <= 1 { // int16 and int8 are the index types of a few ops
		return ir.Elements(f.Const)
	}
	if f.DType != tensor.Int32 && f.DType != tensor.Int64 || f.Shape.Rank() < 0 || f.Shape.Rank() > 1 {
		return nil, false
	}
	n, ok := f.Shape.Len().IsInt()
	if !ok || n > ir.MaxInts {
		return nil, false
	}
	f.Ints = make([]*sym.Expr, n)
	for k := range f.Ints {
		f.Ints[k] = g.FreshSymbol(o, k)
	}
	return f.Ints, true
}

// Elements returns the elements of input i, an int32 or int64 tensor of rank 0 to 2, row by row, as far
// as expressions for them are known. Unlike Ints, it makes no symbols.
func (c *Shaper) Elements(i int) ([]*sym.Expr, bool) {
	f := c.In(i)
	if f.Ints != nil {
		return f.Ints, true
	}
	if f.Const == nil || f.DType != tensor.Int32 && f.DType != tensor.Int64 || f.Const.Rank() > 2 {
		return nil, false
	}
	return ir.Elements(f.Const)
}

// StaticInts returns the elements of input i if all are constants.
func (c *Shaper) StaticInts(i int) ([]int, bool) {
	es := c.In(i).Ints
	if es == nil {
		if t := c.Const(i); t != nil {
			if vs, ok := t.Ints(); ok {
				r := make([]int, len(vs))
				for k, v := range vs {
					r[k] = int(v)
				}
				return r, true
			}
		}
		return nil, false
	}
	r := make([]int, len(es))
	for k, e := range es {
		v, ok := e.IsInt()
		if !ok {
			return nil, false
		}
		r[k] = v
	}
	return r, true
}

// Set sets output i's element type and shape.
func (c *Shaper) Set(i int, d tensor.DType, s ir.Shape) {
	c.Node.Outs[i] = ir.Fact{DType: d, Shape: s}
}

// SetInts sets the known elements of output i, an integer tensor of rank 0 to 2. It must be called after
// Set. If there are more than ir.MaxInts elements, SetInts does nothing.
func (c *Shaper) SetInts(i int, es []*sym.Expr) {
	if d := c.Node.Outs[i].DType; len(es) <= ir.MaxInts && (d == tensor.Invalid || d == tensor.Int32 || d == tensor.Int64) {
		c.Node.Outs[i].Ints = es
	}
}

// Same sets the type and shape of output i to those of input j.
func (c *Shaper) Same(i, j int) { c.Set(i, c.In(j).DType, c.Shape(j)) }

// NewSize returns the symbol for a size of output i that is unknown until the step that computes
// the output has run. Builder.CallSizes appends such steps.
func (c *Shaper) NewSize(i int) *sym.Expr {
	return c.Graph.FreshSymbol(ir.Out{Node: c.Node, Index: i}, -1)
}

// NewSizeK is NewSize for an output with several such sizes. The number k ≥ 0 identifies the size.
func (c *Shaper) NewSizeK(i, k int) *sym.Expr {
	return c.Graph.FreshSymbol(ir.Out{Node: c.Node, Index: i}, -1-k)
}

// WithRank returns input i's shape. The error is InvalidArgument if the shape has another rank. A
// shape of unknown rank is returned without error.
func (c *Shaper) WithRank(i, rank int) (ir.Shape, error) {
	s := c.Shape(i)
	if s.Known && len(s.Dims) != rank {
		return s, tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v, rank %d is required", i, s, rank)
	}
	return s, nil
}

// Axis normalizes a negative axis for rank r. The error is InvalidArgument if the axis is out of
// range.
func Axis(axis, r int) (int, error) {
	if axis < -r || axis >= r {
		return 0, tensor.Errorf(tensor.InvalidArgument, "axis %d is out of range for rank %d", axis, r)
	}
	if axis < 0 {
		axis += r
	}
	return axis, nil
}

// BroadcastShapes returns the common shape to which two shapes are broadcast. The result is unknown
// if one of the ranks is unknown. The error is InvalidArgument if known dimensions cannot be
// broadcast.
func BroadcastShapes(a, b ir.Shape) (ir.Shape, error) {
	if !a.Known || !b.Known {
		return ir.Shape{}, nil
	}
	if len(a.Dims) < len(b.Dims) {
		a, b = b, a
	}
	out := make([]*sym.Expr, len(a.Dims))
	copy(out, a.Dims)
	off := len(a.Dims) - len(b.Dims)
	for i, d := range b.Dims {
		x, xok := a.Dims[off+i].IsInt()
		y, yok := d.IsInt()
		if xok && yok && x != y && x != 1 && y != 1 {
			return ir.Shape{}, tensor.Errorf(tensor.InvalidArgument, "shapes %v and %v do not broadcast: %d against %d", a, b, x, y)
		}
		out[off+i] = sym.Broadcast(a.Dims[off+i], d)
	}
	return ir.Shape{Known: true, Dims: out}, nil
}

// InferNode computes the facts of the outputs of n from those of its inputs.
func (t *Table) InferNode(g *ir.Graph, n *ir.Node) (err error) {
	d := t.Lookup(n.Op)
	if d == nil || d.Shape == nil {
		for i := range n.Outs { // keep the element type that the frontend set
			n.Outs[i] = ir.Fact{DType: n.Outs[i].DType}
		}
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = tensor.Errorf(tensor.Internal, "panic in the shape function: %v", r)
		}
	}()
	if err := checkInt32Attrs(n); err != nil {
		return err
	}
	c := &Shaper{g, n, t}
	if err := d.Shape(c); err != nil {
		return err
	}
	if err := c.stated(); err != nil {
		return err
	}
	for i := range n.Outs {
		if err := countable(n.Outs[i].Shape); err != nil {
			return tensor.Errorf(tensor.InvalidArgument, "output %d would have the shape %v: %v", i, n.Outs[i].Shape, err)
		}
		if k := n.Outs[i].Ints; k != nil && n.Outs[i].Const == nil {
			n.Outs[i].Const = constOf(&n.Outs[i])
		}
	}
	return nil
}

// countable returns an error if a dimension is negative, or if the product of the known dimensions
// other than 0 exceeds the range of int64.
func countable(s ir.Shape) error {
	n := 1
	for _, e := range s.Dims {
		switch v, ok := e.IsInt(); {
		case !ok || v == 0:
		case v < 0:
			return errors.New("a dimension is negative")
		case n > math.MaxInt64/v:
			return errors.New("there would be too many elements")
		default:
			n *= v
		}
	}
	return nil
}

// constOf returns a tensor whose elements are the Ints of the fact f. It returns nil unless all of
// them are constants.
func constOf(f *ir.Fact) *tensor.Tensor {
	s, ok := f.Shape.Static()
	if !ok {
		return nil
	}
	vs := make([]int64, len(f.Ints))
	for i, e := range f.Ints {
		v, ok := e.IsInt()
		if !ok {
			return nil
		}
		vs[i] = int64(v)
	}
	switch f.DType {
	case tensor.Int64:
		return &tensor.Tensor{DType: f.DType, Shape: s, Data: vs}
	case tensor.Int32:
		w := make([]int32, len(vs))
		for i, v := range vs {
			w[i] = int32(v)
		}
		return &tensor.Tensor{DType: f.DType, Shape: s, Data: w}
	}
	return nil
}

// UnknownRank returns the error for a node whose lowering needs the rank of input i, which is
// unknown.
func UnknownRank(n *ir.Node, i int) error {
	return tensor.Errorf(tensor.Unimplemented, "the rank of %s is not known when compiling: give the feeds' shapes, for example --shape x=1,?,3", fmt.Sprintf("%s:%d", n.Name, i))
}
