package array

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// shapeArgDefs compute with shapes given as integer vectors.
var shapeArgDefs = []*lower.Def{
	{Name: "BroadcastArgs", Types: IndexAttr("T"), Shape: broadcastArgsShape, Lower: broadcastArgsLower},
	{Name: "ConcatOffset", Types: IndexAttr("shape_type"), Shape: concatOffsetShape, Lower: concatOffsetLower},
}

// twoShapes returns the elements of both inputs, with the shorter one padded with leading ones.
func twoShapes(c *lower.Shaper) (a, b []*sym.Expr, ok bool) {
	if c.In(0).Ints == nil && c.In(1).Ints == nil {
		return nil, nil, false
	}
	a, ok1 := c.Ints(0)
	b, ok2 := c.Ints(1)
	if !ok1 || !ok2 {
		return nil, nil, false
	}
	n := max(len(a), len(b))
	pad := func(s []*sym.Expr) []*sym.Expr {
		var r []*sym.Expr
		for range n - len(s) {
			r = append(r, sym.One)
		}
		return append(r, s...)
	}
	return pad(a), pad(b), true
}

func vectors(c *lower.Shaper) error {
	for i := range c.Node.Ins {
		if _, err := c.WithRank(i, 1); err != nil {
			return err
		}
	}
	return nil
}

// broadcastArgsShape infers the result of BroadcastArgs. The inputs s0 and s1 are shapes, and the
// result is the shape to which both are broadcast.
func broadcastArgsShape(c *lower.Shaper) error {
	if err := vectors(c); err != nil {
		return err
	}
	d := c.In(0).DType
	if a, b, ok := twoShapes(c); ok {
		s, err := lower.BroadcastShapes(ir.ShapeOf(a...), ir.ShapeOf(b...))
		if err != nil {
			return err
		}
		sure := true
		for k := range a {
			sure = sure && (a[k].Equal(b[k]) || a[k].Is(1) || b[k].Is(1))
		}
		c.Set(0, d, ir.StaticShape(len(a)))
		if sure {
			c.SetInts(0, s.Dims)
		}
		return nil
	}
	x, y := c.Shape(0), c.Shape(1)
	if !x.Known || !y.Known {
		c.Set(0, d, ir.ShapeOf(c.NewSize(0)))
		return nil
	}
	c.Set(0, d, ir.ShapeOf(sym.Max(x.Dims[0], y.Dims[0])))
	return nil
}

func broadcastArgsLower(b *lower.Builder) error {
	fn, err := bytype.ArrayBroadcastArgs.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1))
	return nil
}

// concatOffsetShape infers the results of ConcatOffset, whose inputs are concat_dim and the shapes
// of the parts of a concatenation. Result i is the offset of part i.
func concatOffsetShape(c *lower.Shaper) error {
	axis, ok, err := kit.OneInt(c, 0, "concat_dim")
	if err != nil {
		return err
	}
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	n := c.NumIn() - 1
	var shapes [][]*sym.Expr
	rank := -1
	for i := range n {
		s, err := c.WithRank(i+1, 1)
		if err != nil {
			return err
		}
		if s.Known {
			if v, ok := s.Dims[0].IsInt(); ok {
				rank = v
			}
		}
	}
	for i := range n {
		if rank < 0 {
			break
		}
		es, ok := kit.IntsN(c, i+1, rank)
		if !ok {
			break
		}
		if len(es) != rank {
			return tensor.Errorf(tensor.InvalidArgument, "the shapes have %d and %d elements", rank, len(es))
		}
		shapes = append(shapes, es)
	}
	for i := range n {
		c.Set(i, c.In(i+1).DType, c.Shape(i+1))
	}
	if !ok || len(shapes) < n {
		return nil
	}
	a, static := axis.IsInt()
	// same says whether the axis is known and all other dimensions are known to agree. Otherwise
	// the dimensions are checked at run time.
	same := static
	if static {
		if a, err = lower.Axis(a, rank); err != nil {
			return err
		}
		for i := range n {
			for k := range rank {
				if k == a {
					continue
				}
				if _, err := kit.JoinDim(shapes[0][k], shapes[i][k], "the shapes of a concatenation on another axis"); err != nil {
					return err
				}
				same = same && shapes[0][k].Equal(shapes[i][k])
			}
		}
	}
	off := make([]*sym.Expr, rank)
	for i := range n {
		out := make([]*sym.Expr, rank)
		for k := range out {
			if off[k] == nil {
				off[k] = sym.Zero
			}
			switch {
			case !same:
				out[k] = c.NewSizeK(i, k)
			case k == a:
				out[k] = off[k]
				off[k] = off[k].Add(shapes[i][k])
			default:
				out[k] = sym.Zero
			}
		}
		c.Set(i, c.In(i+1).DType, ir.StaticShape(rank))
		if same {
			c.SetInts(i, out)
		}
	}
	return nil
}

// concatOffsetLower is called if the axis is known only at run time, or if the shapes can be compared
// only at run time.
func concatOffsetLower(b *lower.Builder) error {
	axis, ok := b.Ints(0)
	if !ok {
		return b.Errorf(tensor.InvalidArgument, "concat_dim must be a scalar")
	}
	n := b.NumIn() - 1
	var shapes [][]*sym.Expr
	for i := range n {
		es, ok := b.Ints(i + 1)
		if !ok {
			return b.Errorf(tensor.Unimplemented, "the length of the shapes must be known when compiling")
		}
		shapes = append(shapes, es)
	}
	for i := range n {
		for k := range shapes[0] {
			var dims []*sym.Expr
			for _, s := range shapes {
				dims = append(dims, s[k])
			}
			b.CallSizes(array.ConcatOffset, []*sym.Expr{b.NewSizeK(i, k)}, axis[0], len(shapes[0]), k, i, dims)
		}
		storeSizes(b, i, len(shapes[0]))
	}
	return nil
}

// storeSizes stores the values of the symbols NewSizeK(i, 0) to NewSizeK(i, n-1) as the elements of
// output i.
func storeSizes(b *lower.Builder, i, n int) {
	es := make([]*sym.Expr, n)
	for k := range es {
		es[k] = b.NewSizeK(i, k)
	}
	if b.OutFact(i).DType == tensor.Int64 {
		b.Call(shape.SetI64, b.Out(i), es)
	} else {
		b.Call(shape.SetI32, b.Out(i), es)
	}
}
