package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/rt/tensor"
)

// concatDefs join tensors along an axis.
var concatDefs = []*Def{
	{Name: "ConcatV2", Types: moves, Shape: concatV2Shape, Lower: concatV2Lower},
	{Name: "Concat", Types: moves, Shape: concatV1Shape, Lower: concatV1Lower},
	{Name: "Pack", Types: moves, Shape: packShape, Lower: packLower},
	{Name: "ParallelConcat", Types: moves, Shape: parallelConcatShape, Lower: parallelConcatLower},
}

func concatV2Shape(c *Shaper) error { return concatShape(c, 0, c.NumIn()-1, c.NumIn()-1) }
func concatV1Shape(c *Shaper) error { return concatShape(c, 1, c.NumIn(), 0) }
func concatV2Lower(b *Builder) error {
	return concatLower(b, 0, b.NumIn()-1, b.NumIn()-1)
}
func concatV1Lower(b *Builder) error { return concatLower(b, 1, b.NumIn(), 0) }

// extraSize numbers sizes that are no dimension of a result.
const extraSize = 300

// concatShape joins the inputs from lo to hi along the axis that input at tells.
func concatShape(c *Shaper, lo, hi, at int) error {
	d := c.In(lo).DType
	axis, ok, err := c.fedInt(at, "the axis")
	if err != nil {
		return err
	}
	rank := -1
	known := true
	for i := lo; i < hi; i++ {
		r := c.Shape(i).Rank()
		switch {
		case r < 0:
			known = false
		case rank >= 0 && r != rank:
			return tensor.Errorf(tensor.InvalidArgument, "ranks differ: %v against %v", c.Shape(lo), c.Shape(i))
		case r == 0:
			return tensor.Errorf(tensor.InvalidArgument, "scalars cannot be concatenated: pack them")
		default:
			rank = r
		}
	}
	if rank < 0 || !ok {
		c.unknownShape(0, d)
		return nil
	}
	dims := make([]*sym.Expr, rank)
	a, static := axis.IsInt()
	if static {
		if a, err = Axis(a, rank); err != nil {
			return err
		}
	}
	if !known || !static {
		for k := range dims {
			dims[k] = c.NewSizeK(0, k)
		}
		c.Set(0, d, ir.ShapeOf(dims...))
		return nil
	}
	copy(dims, c.Shape(lo).Dims)
	for i := lo + 1; i < hi; i++ {
		for k, e := range c.Shape(i).Dims {
			if k == a {
				dims[k] = dims[k].Add(e)
			} else if dims[k], err = sameDim(dims[k], e, "inputs of a concatenation differ on another axis"); err != nil {
				return err
			}
		}
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	if rank == 1 {
		if es, ok := c.mixedInts(lo, hi); ok {
			c.SetInts(0, es)
		}
	}
	return nil
}

func concatLower(b *Builder, lo, hi, at int) error {
	axis, _, err := b.Shaper().fedInt(at, "the axis")
	if err != nil {
		return err
	}
	out := b.OutShape(0)
	b.checkLen(at, 1)
	a, static := axis.IsInt()
	if !static {
		return concatLate(b, lo, hi, axis)
	}
	if a, err = Axis(a, len(out)); err != nil {
		return err
	}
	for i := lo; i < hi; i++ {
		if !b.InFact(i).Shape.Known {
			return unknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
		}
		for k, e := range b.InShape(i) {
			if k != a && !e.Equal(out[k]) {
				b.Check(shape.Equal, e, out[k], "inputs of a concatenation differ on another axis")
			}
		}
	}
	outer, inner := sym.Product(out[:a]), sym.Product(out[a+1:])
	off := sym.Zero
	for i := lo; i < hi; i++ {
		n := b.InShape(i)[a].Mul(inner)
		x := newBox()
		x.add(outer, out[a].Mul(inner), n)
		x.add(n, sym.One, sym.One)
		x.dstOff = off
		if err := b.move(part(b.Dest(0), i == lo), b.Source(i), x); err != nil {
			return err
		}
		off = off.Add(n)
	}
	return nil
}

// concatLate is a concatenation whose axis only the run tells.
func concatLate(b *Builder, lo, hi int, axis *sym.Expr) error {
	out := b.OutShape(0)
	for i := lo; i < hi; i++ {
		if !b.InFact(i).Shape.Known {
			return unknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
		}
	}
	for k := range out {
		var ds []*sym.Expr
		for i := lo; i < hi; i++ {
			ds = append(ds, b.InShape(i)[k])
		}
		b.CallSizes(array.ConcatDim, []*sym.Expr{b.NewSizeK(0, k)}, axis, len(out), k, ds)
	}
	split := func(k int, dims []*sym.Expr) []*sym.Expr {
		s := []*sym.Expr{b.NewSizeK(0, k), b.NewSizeK(0, k+1), b.NewSizeK(0, k+2)}
		b.CallSizes(array.AxisSplit, s, axis, dims)
		return s
	}
	all := split(extraSize, out)
	off := sym.Zero
	for i := lo; i < hi; i++ {
		s := split(extraSize+3*(i-lo+1), b.InShape(i))
		n := s[1].Mul(s[2])
		x := newBox()
		x.add(s[0], all[1].Mul(all[2]), n)
		x.add(n, sym.One, sym.One)
		x.dstOff = off
		if err := b.move(part(b.Dest(0), i == lo), b.Source(i), x); err != nil {
			return err
		}
		off = off.Add(n)
	}
	return nil
}

// packShape: attribute axis; all inputs have one shape.
func packShape(c *Shaper) error {
	d := c.In(0).DType
	var s ir.Shape
	for i := range c.Node.Ins {
		x := c.Shape(i)
		switch {
		case !x.Known:
		case !s.Known:
			s = ir.ShapeOf(append([]*sym.Expr(nil), x.Dims...)...)
		case len(s.Dims) != len(x.Dims):
			return tensor.Errorf(tensor.InvalidArgument, "shapes of all inputs must match: %v against %v", s, x)
		default:
			for k, e := range x.Dims {
				var err error
				if s.Dims[k], err = sameDim(s.Dims[k], e, "shapes of all inputs must match"); err != nil {
					return err
				}
			}
		}
	}
	if !s.Known {
		c.unknownShape(0, d)
		return nil
	}
	a, err := Axis(c.Node.Int("axis"), len(s.Dims)+1)
	if err != nil {
		return err
	}
	dims := append(append(append([]*sym.Expr(nil), s.Dims[:a]...), sym.Int(c.NumIn())), s.Dims[a:]...)
	c.Set(0, d, ir.ShapeOf(dims...))
	if len(dims) == 1 {
		if es, ok := c.mixedInts(0, c.NumIn()); ok {
			c.SetInts(0, es)
		}
	}
	return nil
}

func packLower(b *Builder) error {
	out := b.OutShape(0)
	a, err := Axis(b.Node.Int("axis"), len(out))
	if err != nil {
		return err
	}
	if b.NumIn() == 1 {
		b.Alias(0, 0)
		return nil
	}
	in := append(append([]*sym.Expr(nil), out[:a]...), out[a+1:]...)
	for i := range b.Node.Ins {
		if !b.InFact(i).Shape.Known {
			return unknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
		}
		for k, e := range b.InShape(i) {
			if !e.Equal(in[k]) {
				b.Check(shape.Equal, e, in[k], "shapes of all inputs must match")
			}
		}
	}
	outer, inner := sym.Product(out[:a]), sym.Product(out[a+1:])
	for i := range b.Node.Ins {
		x := newBox()
		x.add(outer, inner.MulInt(b.NumIn()), inner)
		x.add(inner, sym.One, sym.One)
		x.dstOff = inner.MulInt(i)
		if err := b.move(part(b.Dest(0), i == 0), b.Source(i), x); err != nil {
			return err
		}
	}
	return nil
}

// parallelConcatShape: joins along axis 0; every input's first dimension is 1
// and attribute shape is the result's.
func parallelConcatShape(c *Shaper) error {
	s := ir.Shape{}
	for i := range c.Node.Ins {
		x := c.Shape(i)
		if !x.Known {
			continue
		}
		if len(x.Dims) == 0 || differ(x.Dims[0], sym.One) {
			return tensor.Errorf(tensor.InvalidArgument, "the first dimension of %v must be 1", x)
		}
		if !s.Known {
			s = ir.ShapeOf(dimSet(x.Dims, 0, sym.Int(c.NumIn()))...)
		} else if len(s.Dims) != len(x.Dims) {
			return tensor.Errorf(tensor.InvalidArgument, "ranks differ: %v against %v", s, x)
		}
		for k := 1; k < len(s.Dims); k++ {
			if differ(s.Dims[k], x.Dims[k]) {
				return tensor.Errorf(tensor.InvalidArgument, "shapes of all inputs must match: %v against %v", s, x)
			}
		}
		if _, static := x.Static(); !static && !c.called() { // TensorFlow does not ask where the shapes are the caller's
			return tensor.Errorf(tensor.InvalidArgument, "all input shapes must be fully defined, not %v", x)
		}
	}
	if p, ok := c.Node.Attrs["shape"].(ir.PartialShape); ok && s.Known {
		want := dimSet(s.Dims, 0, sym.Int(c.NumIn()))
		for k := range want {
			if len(p.Dims) != len(want) || k > 0 && differ(want[k], sym.Int(int(p.Dims[k]))) {
				return tensor.Errorf(tensor.InvalidArgument, "attribute shape is %v, the parts make %v", p.Dims, s)
			}
		}
	}
	c.Set(0, c.In(0).DType, s)
	return nil
}

// called reports that the node was in the body of a function.
func (c *Shaper) called() bool {
	l := c.Graph.Library
	return l != nil && l.Functions[c.Node.Origin.File] != nil
}

func parallelConcatLower(b *Builder) error {
	inner := sym.Product(b.OutShape(0)[1:])
	for i := range b.Node.Ins {
		if err := b.sameDim(b.InShape(i)[0], sym.One, "the first dimension of each input"); err != nil {
			return err
		}
		for k, e := range b.InShape(i) {
			if k > 0 && !e.Equal(b.OutShape(0)[k]) {
				b.Check(shape.Equal, e, b.OutShape(0)[k], "shapes of all inputs must match")
			}
		}
		x := newBox()
		x.add(inner, sym.One, sym.One)
		x.dstOff = inner.MulInt(i)
		if err := b.move(part(b.Dest(0), i == 0), b.Source(i), x); err != nil {
			return err
		}
	}
	return nil
}
