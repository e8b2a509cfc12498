package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// PartialAttr returns the shape that is the value of the attribute with the given name. Unknown
// dimensions are nil.
func PartialAttr(n *ir.Node, name string) ir.Shape {
	p, ok := n.Attrs[name].(ir.PartialShape)
	if !ok {
		return ir.Shape{}
	}
	return statedShape(p)
}

// PartialInts returns the shape that is the value of the attribute with the given name, as
// arguments for a kernel that accepts a partly known shape. In dims, -1 is an unknown dimension.
// The second result is false if the rank is unknown.
func PartialInts(n *ir.Node, name string) (dims []*sym.Expr, known bool) {
	s := PartialAttr(n, name)
	return OrMinusOne(s.Dims), s.Known
}

// OrMinusOne returns a copy of dims in which each nil is replaced by -1.
func OrMinusOne(dims []*sym.Expr) []*sym.Expr {
	out := make([]*sym.Expr, len(dims))
	for k, d := range dims {
		if out[k] = d; d == nil {
			out[k] = sym.Int(-1)
		}
	}
	return out
}

// PartialInput returns a shape that is the value of an input. The input is a vector in which -1 is
// an unknown dimension, or the scalar -1 for a shape of unknown rank. The second result is false if
// the rank is unknown. The third result is false if not even the number of elements of the vector is
// known at compile time. An element of dims that is known only at run time may be -1.
func PartialInput(g *ir.Graph, o ir.Out) (dims []*sym.Expr, known, ok bool) {
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

// Sure returns a shape that PartialInput returned, with nil for each dimension that may be
// negative.
func Sure(dims []*sym.Expr, known bool) ir.Shape {
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

// SetFound sets the type of output i to d. It sets the shape to the dimensions in the variadic
// argument, followed by the dimensions of s. The values of dimensions that are nil in s are
// determined at run time by the node's step.
func (c *Shaper) SetFound(i int, d tensor.DType, s ir.Shape, lead ...*sym.Expr) {
	if !s.Known {
		c.UnknownShape(i, d)
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

// FindSizes calls the given function for each dimension of output i that SetFound left to the node's
// step. The arguments of the function are the dimension's number and a slice with the dimension's
// symbol.
func (b *Builder) FindSizes(i int, call func(k int, size []*sym.Expr)) {
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

// Raw returns a view in the form that kernels of package container accept: plain elements as their
// bytes.
func (b *Builder) Raw(v plan.View) plan.View {
	d := v.Buf.DType
	if !d.IsData() || d == tensor.String || d == tensor.Uint8 || d == tensor.QUint8 {
		return v
	}
	n := v.Len.MulInt(d.Size())
	f := &ir.Fact{DType: tensor.Uint8, Shape: ir.ShapeOf(v.Buf.Len.MulInt(d.Size()))}
	r := plan.View{Buf: b.AliasOf(v.Buf, f), Len: n, Mode: v.Mode}
	if v.Off != nil {
		r.Off = v.Off.MulInt(d.Size())
	}
	return r
}

// ByKind chooses one of three forms of a kernel by the element type d. It returns the parameter str
// if d is the type of strings, hnd if d is opaque, and raw for all other types.
func ByKind(d tensor.DType, raw, str, hnd any) any {
	switch {
	case d == tensor.String:
		return str
	case d.Opaque():
		return hnd
	}
	return raw
}

// ScalarOr returns an error if input i is known not to be a scalar. The error uses the given name for
// the input.
func (c *Shaper) ScalarOr(i int, what string) error {
	if s := c.Shape(i); s.Known && len(s.Dims) != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%s must be a scalar, not of the shape %v", what, s)
	}
	return nil
}
