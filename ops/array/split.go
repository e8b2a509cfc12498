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

// splitDefs split a tensor along an axis. Parts along the outermost axis share the input's storage.
var splitDefs = []*lower.Def{
	{Name: "Split", Traits: lower.KeepsDigits, Types: kit.Moves, Shape: splitShape, Lower: splitLower},
	{Name: "SplitV", Traits: lower.KeepsDigits, Types: kit.Moves, Shape: splitVShape, Lower: splitVLower},
	{Name: "Unpack", Traits: lower.KeepsDigits, Types: kit.Passes, Shape: unpackShape, Lower: unpackLower},
}

// splitShape infers the results of Split, whose inputs are split_dim and value. The attribute
// num_split is the number of results.
func splitShape(c *lower.Shaper) error {
	axis, ok, err := kit.OneInt(c, 0, "split_dim")
	if err != nil {
		return err
	}
	x, n := c.Shape(1), c.Node.Int("num_split")
	if n <= 0 {
		return tensor.Errorf(tensor.InvalidArgument, "num_split is %d", n)
	}
	s := ir.Shape{}
	if ok && x.Known {
		if a, static := axis.IsInt(); !static {
			dims := make([]*sym.Expr, len(x.Dims))
			for k := range dims {
				dims[k] = c.NewSizeK(0, k)
			}
			s = ir.ShapeOf(dims...)
		} else {
			if a, err = lower.Axis(a, len(x.Dims)); err != nil {
				return err
			}
			if v, ok := x.Dims[a].IsInt(); ok && v%n != 0 {
				return tensor.Errorf(tensor.InvalidArgument, "dimension %d of %v cannot be split into %d equal parts", a, x, n)
			}
			s = ir.ShapeOf(kit.DimSet(x.Dims, a, x.Dims[a].Div(sym.Int(n)))...)
		}
	}
	for i := range c.Node.Outs {
		c.Set(i, c.In(1).DType, s)
		// If the axis is known only at run time, the node must run to check it. It would not run if
		// its values were inferred here.
		if es := c.In(1).Ints; ok && kit.IsInt(axis) && es != nil && s.Rank() == 1 && len(es)%n == 0 {
			c.SetInts(i, es[len(es)/n*i:len(es)/n*(i+1)])
		}
	}
	return nil
}

func splitLower(b *lower.Builder) error {
	axis, _, err := kit.OneInt(b.Shaper(), 0, "split_dim")
	if err != nil {
		return err
	}
	kit.CheckLen(b, 0, 1)
	n, dims := b.Node.Int("num_split"), b.InShape(1)
	a, static := axis.IsInt()
	var outer, size, inner *sym.Expr
	if static {
		if a, err = lower.Axis(a, len(dims)); err != nil {
			return err
		}
		if d := dims[a]; !d.Mod(sym.Int(n)).Is(0) {
			b.Check(array.Divides, n, d, "the dimension to be split")
		}
		outer, size, inner = sym.Product(dims[:a]), dims[a].Div(sym.Int(n)), sym.Product(dims[a+1:])
	} else {
		for k := range dims {
			b.CallSizes(array.SplitDim, []*sym.Expr{b.NewSizeK(0, k)}, axis, dims, n, k)
		}
		s := []*sym.Expr{b.NewSizeK(0, lower.ExtraSize), b.NewSizeK(0, lower.ExtraSize+1), b.NewSizeK(0, lower.ExtraSize+2)}
		b.CallSizes(array.AxisSplit, s, axis, b.OutShape(0))
		outer, size, inner = s[0], s[1], s[2]
	}
	sizes := make([]*sym.Expr, n)
	for i := range sizes {
		sizes[i] = size
	}
	return parts(b, 1, outer, inner, size.MulInt(n), sizes)
}

// parts appends the copies for a split. Input j is viewed as a tensor [outer, total, inner]. Output
// i gets the next sizes[i] rows along the middle axis, and has the shape [outer, sizes[i], inner].
func parts(b *lower.Builder, j int, outer, inner, total *sym.Expr, sizes []*sym.Expr) error {
	off := sym.Zero
	for i, n := range sizes {
		n = n.Mul(inner)
		if b.OutUsed(i) {
			x := kit.NewBox()
			x.Add(outer, n, total.Mul(inner))
			x.Add(n, sym.One, sym.One)
			x.SrcOff = off
			if err := cutBox(b, i, j, x); err != nil {
				return err
			}
		}
		off = off.Add(n)
	}
	return nil
}

// splitVSizes returns the parts' lengths along an axis of size total. late reports whether they are
// computed at run time.
func splitVSizes(c *lower.Shaper, total *sym.Expr) (sizes []*sym.Expr, late bool, err error) {
	n := len(c.Node.Outs)
	es, ok := kit.IntsN(c, 1, n)
	if !ok {
		return nil, false, tensor.Errorf(tensor.Unimplemented, "the number of size_splits must be known when compiling")
	}
	if len(es) != n {
		return nil, false, tensor.Errorf(tensor.InvalidArgument, "size_splits has %d elements for %d outputs", len(es), n)
	}
	sizes = append([]*sym.Expr(nil), es...)
	rest, sum := -1, sym.Zero
	for k, e := range es {
		v, static := e.IsInt()
		switch {
		case static && v == -1 && n == 1: // TensorFlow's kernel rejects this, too
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "if there is only one output, it must have the same size as the input, not -1")
		case static && v == -1 && rest >= 0:
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "there can only be one -1 in size_splits")
		case static && v == -1:
			rest = k
			continue
		case static && v < 0:
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "size_splits[%d] is %d", k, v)
		case lower.MayBeNegative(e):
			late = true
		}
		sum = sum.Add(e)
	}
	if late {
		for k := range sizes {
			sizes[k] = c.NewSizeK(0, lower.ExtraSize+k)
		}
		return sizes, true, nil
	}
	left := total.Sub(sum)
	if v, ok := left.IsInt(); ok && (v < 0 || v != 0 && rest < 0) {
		return nil, false, tensor.Errorf(tensor.InvalidArgument, "size_splits add up to %v, but the dimension is %v", sum, total)
	}
	if rest >= 0 {
		if !left.NonNegative() {
			left = sym.Max(left, sym.Zero)
		}
		sizes[rest] = left
	}
	return sizes, false, nil
}

// splitVShape infers the results of SplitV, whose inputs are value, size_splits and split_dim.
func splitVShape(c *lower.Shaper) error {
	axis, ok, err := kit.FedInt(c, 2, "split_dim")
	if err != nil {
		return err
	}
	x := c.Shape(0)
	if !ok || !x.Known {
		for i := range c.Node.Outs {
			c.UnknownShape(i, c.In(0).DType)
		}
		return nil
	}
	a, static := axis.IsInt()
	if !static {
		switch es, ok := kit.IntsN(c, 1, len(c.Node.Outs)); {
		case !ok:
			return tensor.Errorf(tensor.Unimplemented, "the number of size_splits must be known when compiling")
		case len(es) != len(c.Node.Outs):
			return tensor.Errorf(tensor.InvalidArgument, "size_splits has %d elements for %d outputs", len(es), len(c.Node.Outs))
		}
		for i := range c.Node.Outs {
			dims := make([]*sym.Expr, len(x.Dims))
			for k := range dims {
				dims[k] = c.NewSizeK(i, k)
			}
			c.Set(i, c.In(0).DType, ir.ShapeOf(dims...))
		}
		return nil
	}
	if a, err = lower.Axis(a, len(x.Dims)); err != nil {
		return err
	}
	sizes, _, err := splitVSizes(c, x.Dims[a])
	if err != nil {
		return err
	}
	off := 0
	for i, n := range sizes {
		c.Set(i, c.In(0).DType, ir.ShapeOf(kit.DimSet(x.Dims, a, n)...))
		if v, ok := n.IsInt(); ok && off >= 0 {
			if es := c.In(0).Ints; es != nil && x.Rank() == 1 && off+v <= len(es) {
				c.SetInts(i, es[off:off+v])
			}
			off += v
		} else {
			off = -1
		}
	}
	return nil
}

func splitVLower(b *lower.Builder) error {
	c := b.Shaper()
	axis, _, err := kit.FedInt(c, 2, "split_dim")
	if err != nil {
		return err
	}
	dims := b.InShape(0)
	given, _ := kit.IntsN(c, 1, len(b.Node.Outs))
	kit.CheckLen(b, 1, len(given))
	kit.CheckLen(b, 2, 1)
	a, static := axis.IsInt()
	if !static {
		return splitVLate(b, axis, given)
	}
	if a, err = lower.Axis(a, len(dims)); err != nil {
		return err
	}
	sizes, late, err := splitVSizes(c, dims[a])
	if err != nil {
		return err
	}
	if late {
		for k := range sizes {
			b.CallSizes(array.SplitSize, []*sym.Expr{sizes[k]}, dims[a], given, k)
		}
	} else if _, static := dims[a].IsInt(); !static {
		b.Check(array.SplitFits, dims[a], given)
	}
	return parts(b, 0, sym.Product(dims[:a]), sym.Product(dims[a+1:]), dims[a], sizes)
}

// splitVLate appends a SplitV whose axis is known only at run time.
func splitVLate(b *lower.Builder, axis *sym.Expr, given []*sym.Expr) error {
	dims := b.InShape(0)
	s := []*sym.Expr{b.NewSizeK(0, lower.ExtraSize), b.NewSizeK(0, lower.ExtraSize+1), b.NewSizeK(0, lower.ExtraSize+2)}
	b.CallSizes(array.AxisSplit, s, axis, dims)
	sizes := make([]*sym.Expr, len(given))
	for i := range sizes {
		sizes[i] = b.NewSizeK(i, 2*lower.ExtraSize)
		b.CallSizes(array.SplitSize, []*sym.Expr{sizes[i]}, s[1], given, i)
		for k := range dims {
			b.CallSizes(array.SplitVDim, []*sym.Expr{b.NewSizeK(i, k)}, axis, dims, sizes[i], k)
		}
	}
	return parts(b, 0, s[0], s[2], s[1], sizes)
}

// unpackShape infers the results of Unpack. The attribute axis is the axis that is removed, and the
// attribute num is the size of this axis and the number of results.
func unpackShape(c *lower.Shaper) error {
	x := c.Shape(0)
	s := ir.Shape{}
	if x.Known {
		a, err := lower.Axis(c.Node.Int("axis"), len(x.Dims))
		if err != nil {
			return err
		}
		if v, ok := x.Dims[a].IsInt(); ok && v != len(c.Node.Outs) {
			return tensor.Errorf(tensor.InvalidArgument, "dimension %d of %v is unpacked into %d outputs", a, x, len(c.Node.Outs))
		}
		s = ir.ShapeOf(append(append([]*sym.Expr{}, x.Dims[:a]...), x.Dims[a+1:]...)...)
	}
	for i := range c.Node.Outs {
		c.Set(i, c.In(0).DType, s)
		if es := c.In(0).Ints; es != nil && x.Rank() == 1 {
			c.SetInts(i, es[i:i+1])
		}
	}
	return nil
}

func unpackLower(b *lower.Builder) error {
	dims := b.InShape(0)
	a, err := lower.Axis(b.Node.Int("axis"), len(dims))
	if err != nil {
		return err
	}
	n := len(b.Node.Outs)
	if _, static := dims[a].IsInt(); !static {
		b.Check(shape.Equal, dims[a], n, "the dimension to be unpacked")
	}
	sizes := make([]*sym.Expr, n)
	for i := range sizes {
		sizes[i] = sym.One
	}
	return parts(b, 0, sym.Product(dims[:a]), sym.Product(dims[a+1:]), sym.Int(n), sizes)
}
