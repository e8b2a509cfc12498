package array

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// concatDefs join tensors along an axis.
var concatDefs = []*lower.Def{
	{Name: "ConcatV2", Traits: lower.KeepsDigits | lower.Fills | lower.HandsConstant, Types: kit.Moves, Shape: concatV2Shape, Lower: concatV2Lower},
	{Name: "Concat", Types: kit.Moves, Shape: concatV1Shape, Lower: concatV1Lower},
	{Name: "Pack", Traits: lower.KeepsDigits | lower.Fills | lower.HandsConstant, Types: kit.Passes, Shape: packShape, Lower: packLower},
	{Name: "ParallelConcat", Types: kit.Moves, Shape: parallelConcatShape, Lower: parallelConcatLower},
}

func concatV2Shape(c *lower.Shaper) error { return ConcatShape(c, 0, c.NumIn()-1, c.NumIn()-1) }

func concatV1Shape(c *lower.Shaper) error { return ConcatShape(c, 1, c.NumIn(), 0) }

func concatV2Lower(b *lower.Builder) error {
	return concatLower(b, 0, b.NumIn()-1, b.NumIn()-1)
}

func concatV1Lower(b *lower.Builder) error { return concatLower(b, 1, b.NumIn(), 0) }

// ConcatShape infers the shape of the inputs [lo, hi) concatenated along an axis. The last argument
// is the number of the input that holds the axis.
func ConcatShape(c *lower.Shaper, lo, hi, at int) error {
	d := c.In(lo).DType
	axis, ok, err := kit.FedInt(c, at, "the axis")
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
		c.UnknownShape(0, d)
		return nil
	}
	dims := make([]*sym.Expr, rank)
	a, static := axis.IsInt()
	if static {
		if a, err = lower.Axis(a, rank); err != nil {
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
			} else if dims[k], err = kit.JoinDim(dims[k], e, "inputs of a concatenation differ on another axis"); err != nil {
				return err
			}
		}
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	joinInts(c, lo, hi, rank, a)
	return nil
}

func concatLower(b *lower.Builder, lo, hi, at int) error {
	axis, _, err := kit.FedInt(b.Shaper(), at, "the axis")
	if err != nil {
		return err
	}
	out := b.OutShape(0)
	kit.CheckLen(b, at, 1)
	a, static := axis.IsInt()
	if !static {
		return concatLate(b, lo, hi, axis)
	}
	if a, err = lower.Axis(a, len(out)); err != nil {
		return err
	}
	for i := lo; i < hi; i++ {
		if !b.InFact(i).Shape.Known {
			return lower.UnknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
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
		x := kit.NewBox()
		x.Add(outer, out[a].Mul(inner), n)
		x.Add(n, sym.One, sym.One)
		x.DstOff = off
		if err := kit.Move(b, kit.Part(b.Dest(0), i == lo), b.Source(i), x); err != nil {
			return err
		}
		off = off.Add(n)
	}
	return nil
}

// concatLate appends a concatenation along an axis that is known only at run time.
func concatLate(b *lower.Builder, lo, hi int, axis *sym.Expr) error {
	out := b.OutShape(0)
	for i := lo; i < hi; i++ {
		if !b.InFact(i).Shape.Known {
			return lower.UnknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
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
	all := split(lower.ExtraSize, out)
	off := sym.Zero
	for i := lo; i < hi; i++ {
		s := split(lower.ExtraSize+3*(i-lo+1), b.InShape(i))
		n := s[1].Mul(s[2])
		x := kit.NewBox()
		x.Add(s[0], all[1].Mul(all[2]), n)
		x.Add(n, sym.One, sym.One)
		x.DstOff = off
		if err := kit.Move(b, kit.Part(b.Dest(0), i == lo), b.Source(i), x); err != nil {
			return err
		}
		off = off.Add(n)
	}
	return nil
}

// packShape infers the result of Pack, which stacks inputs of the same shape along a new axis. The
// attribute axis is the number of the new axis.
func packShape(c *lower.Shaper) error {
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
				if s.Dims[k], err = kit.JoinDim(s.Dims[k], e, "shapes of all inputs must match"); err != nil {
					return err
				}
			}
		}
	}
	if !s.Known {
		c.UnknownShape(0, d)
		return nil
	}
	a, err := lower.Axis(c.Node.Int("axis"), len(s.Dims)+1)
	if err != nil {
		return err
	}
	dims := append(append(append([]*sym.Expr(nil), s.Dims[:a]...), sym.Int(c.NumIn())), s.Dims[a:]...)
	c.Set(0, d, ir.ShapeOf(dims...))
	joinInts(c, 0, c.NumIn(), len(dims), a)
	return nil
}

// joinInts infers the elements of the result that joins the inputs [lo, hi) along an axis.
func joinInts(c *lower.Shaper, lo, hi, rank, axis int) {
	var es []*sym.Expr
	var ok bool
	switch rank {
	case 1:
		es, ok = kit.MixedInts(c, lo, hi)
	case 2:
		es, ok = kit.RowInts(c, lo, hi, axis)
	}
	if ok {
		c.SetInts(0, es)
	}
}

func packLower(b *lower.Builder) error {
	out := b.OutShape(0)
	a, err := lower.Axis(b.Node.Int("axis"), len(out))
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
			return lower.UnknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
		}
		for k, e := range b.InShape(i) {
			if !e.Equal(in[k]) {
				b.Check(shape.Equal, e, in[k], "shapes of all inputs must match")
			}
		}
	}
	outer, inner := sym.Product(out[:a]), sym.Product(out[a+1:])
	for i := range b.Node.Ins {
		x := kit.NewBox()
		x.Add(outer, inner.MulInt(b.NumIn()), inner)
		x.Add(inner, sym.One, sym.One)
		x.DstOff = inner.MulInt(i)
		if err := kit.Move(b, kit.Part(b.Dest(0), i == 0), b.Source(i), x); err != nil {
			return err
		}
	}
	return nil
}

// parallelConcatShape infers the result of ParallelConcat, a concatenation along axis 0. The first
// dimension of each input is 1. The attribute shape is the shape of the result.
func parallelConcatShape(c *lower.Shaper) error {
	s := ir.Shape{}
	for i := range c.Node.Ins {
		x := c.Shape(i)
		if !x.Known {
			continue
		}
		if len(x.Dims) == 0 || lower.Differ(x.Dims[0], sym.One) {
			return tensor.Errorf(tensor.InvalidArgument, "the first dimension of %v must be 1", x)
		}
		if !s.Known {
			s = ir.ShapeOf(kit.DimSet(x.Dims, 0, sym.Int(c.NumIn()))...)
		} else if len(s.Dims) != len(x.Dims) {
			return tensor.Errorf(tensor.InvalidArgument, "ranks differ: %v against %v", s, x)
		}
		for k := 1; k < len(s.Dims); k++ {
			if lower.Differ(s.Dims[k], x.Dims[k]) {
				return tensor.Errorf(tensor.InvalidArgument, "shapes of all inputs must match: %v against %v", s, x)
			}
		}
		if _, static := x.Static(); !static && !called(c) { // inside function bodies, TensorFlow does not check this
			return tensor.Errorf(tensor.InvalidArgument, "all input shapes must be fully defined, not %v", x)
		}
	}
	if p, ok := c.Node.Attrs["shape"].(ir.PartialShape); ok && s.Known {
		want := kit.DimSet(s.Dims, 0, sym.Int(c.NumIn()))
		for k := range want {
			if len(p.Dims) != len(want) || k > 0 && lower.Differ(want[k], sym.Int(int(p.Dims[k]))) {
				return tensor.Errorf(tensor.InvalidArgument, "attribute shape is %v, but the concatenation has the shape %v", p.Dims, s)
			}
		}
	}
	c.Set(0, c.In(0).DType, s)
	return nil
}

// called reports whether the node comes from the body of a function.
func called(c *lower.Shaper) bool {
	l := c.Graph.Library
	return l != nil && l.Functions[c.Node.Origin.File] != nil
}

func parallelConcatLower(b *lower.Builder) error {
	inner := sym.Product(b.OutShape(0)[1:])
	for i := range b.Node.Ins {
		if err := kit.RequireSame(b, b.InShape(i)[0], sym.One, "the first dimension of each input"); err != nil {
			return err
		}
		for k, e := range b.InShape(i) {
			if k > 0 && !e.Equal(b.OutShape(0)[k]) {
				b.Check(shape.Equal, e, b.OutShape(0)[k], "shapes of all inputs must match")
			}
		}
		x := kit.NewBox()
		x.Add(inner, sym.One, sym.One)
		x.DstOff = inner.MulInt(i)
		if err := kit.Move(b, kit.Part(b.Dest(0), i == 0), b.Source(i), x); err != nil {
			return err
		}
	}
	return nil
}
