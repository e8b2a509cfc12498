package array

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// fillDefs create or repeat elements to fill a shape that is an input.
var fillDefs = []*lower.Def{
	{Name: "Fill", Traits: lower.Fills, Types: kit.Moves, Shape: fillShape, Lower: fillLower},
	{Name: "Empty", Level: lower.Reads, Flags: lower.Stateful, Types: map[string][]tensor.DType{"dtype": kit.DataTypes}, Shape: emptyShape, Lower: emptyLower},
	{Name: "BroadcastTo", Traits: lower.Picks | lower.KeepsDigits | lower.Fills, Types: kit.Moves, Shape: broadcastToShape, Lower: broadcastToLower},
	{Name: "Tile", Traits: lower.Picks | lower.KeepsDigits | lower.Fills, Types: kit.Moves, Shape: tileShape, Lower: tileLower},
}

// fillShape: Fill(dims, value).
func fillShape(c *lower.Shaper) error {
	d := c.In(1).DType
	if s := c.Shape(1); s.Rank() > 0 {
		return tensor.Errorf(tensor.InvalidArgument, "value must be a scalar, not of the shape %v", s)
	}
	dims, err := kit.DimsOf(c, 0)
	if err != nil {
		return err
	}
	if dims == nil {
		c.UnknownShape(0, d)
		return nil
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	es := c.In(1).Ints
	if n, ok := sym.Product(dims).IsInt(); ok && len(es) == 1 && len(dims) <= 1 && n <= ir.MaxInts {
		out := make([]*sym.Expr, n)
		for i := range out {
			out[i] = es[0]
		}
		c.SetInts(0, out)
	}
	return nil
}

func fillLower(b *lower.Builder) error {
	kit.BindDims(b, 0)
	fn, err := bytype.ArrayFill.Get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(1))
	return nil
}

// emptyShape infers the result of Empty, whose input is the shape. The elements of the result are
// zeros, even if the attribute init is false.
func emptyShape(c *lower.Shaper) error {
	dims, err := kit.DimsOf(c, 0)
	if err != nil {
		return err
	}
	if dims == nil {
		c.UnknownShape(0, c.Node.DType("dtype"))
		return nil
	}
	c.Set(0, c.Node.DType("dtype"), ir.ShapeOf(dims...))
	return nil
}

func emptyLower(b *lower.Builder) error {
	kit.BindDims(b, 0)
	d := b.OutFact(0).DType
	fn, err := bytype.ArrayFill.Get(d)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Data: tensor.MakeSlice(d, 1)}))
	return nil
}

// broadcastToShape: BroadcastTo(input, shape).
func broadcastToShape(c *lower.Shaper) error {
	dims, err := kit.DimsOf(c, 1)
	if err != nil {
		return err
	}
	if dims == nil {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if x := c.Shape(0); x.Known {
		if len(x.Dims) > len(dims) {
			return tensor.Errorf(tensor.InvalidArgument, "%v cannot be broadcast to %d axes", x, len(dims))
		}
		for k, e := range x.Dims {
			v, vok := e.IsInt()
			w, wok := dims[len(dims)-len(x.Dims)+k].IsInt()
			if vok && wok && v != w && v != 1 {
				return tensor.Errorf(tensor.InvalidArgument, "%v cannot be broadcast to %v", x, ir.ShapeOf(dims...))
			}
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	return nil
}

func broadcastToLower(b *lower.Builder) error {
	kit.BindDims(b, 1)
	in, out := b.InShape(0), b.OutShape(0)
	same := len(in) == len(out)
	for k := range in {
		same = same && in[k].Equal(out[k])
	}
	if same {
		b.Alias(0, 0)
		return nil
	}
	padded := make([]*sym.Expr, len(out))
	for k := range out {
		padded[k] = sym.One
	}
	copy(padded[len(out)-len(in):], in)
	fn, err := bytype.ArrayBroadcast.Get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	if len(out) > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "a broadcast over %d axes; at most %d are supported", len(out), array.MaxRank)
	}
	b.Call(fn, b.Out(0), b.In(0), out, padded)
	return nil
}

// multiples returns Tile's second input.
func multiples(c *lower.Shaper) ([]*sym.Expr, error) {
	x := c.Shape(0)
	if c.Shape(1).Rank() > 1 || c.Shape(1).Rank() == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "multiples must be a vector, not of the shape %v", c.Shape(1))
	}
	if !x.Known {
		return nil, nil
	}
	es, ok := kit.IntsN(c, 1, len(x.Dims))
	if !ok {
		return nil, nil
	}
	if x.Known && len(es) != len(x.Dims) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "multiples has %d elements for the shape %v", len(es), x)
	}
	for k, e := range es {
		if v, ok := e.IsInt(); ok && v < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "multiples[%d] is %d; at least 0 is required", k, v)
		}
	}
	return es, nil
}

// tileShape: Tile(input, multiples).
func tileShape(c *lower.Shaper) error {
	x := c.Shape(0)
	es, err := multiples(c)
	if err != nil {
		return err
	}
	if es == nil || !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	dims := make([]*sym.Expr, len(es))
	for k, e := range es {
		if lower.MayBeNegative(e) {
			e = c.NewSizeK(0, k)
		}
		m, mok := e.IsInt()
		if d, ok := x.Dims[k].IsInt(); ok && mok && mem.Mul(m, d) == math.MaxInt {
			return tensor.Errorf(tensor.InvalidArgument, "multiplying dimension %d, %d, by %d overflows", k, d, m)
		}
		dims[k] = e.Mul(x.Dims[k])
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	if in := c.In(0).Ints; in != nil && len(dims) == 1 {
		if m, ok := es[0].IsInt(); ok && m*len(in) <= ir.MaxInts {
			out := []*sym.Expr{}
			for range m {
				out = append(out, in...)
			}
			c.SetInts(0, out)
		}
	}
	return nil
}

func tileLower(b *lower.Builder) error {
	x, err := tileBox(b)
	if err != nil {
		return err
	}
	if x.Len().Equal(b.InLen(0)) {
		b.Alias(0, 0)
		return nil
	}
	return kit.Move(b, b.Out(0), b.In(0), x)
}

// tileBox returns Tile as a strided copy (a kit.Box). It binds sizes known only at run time.
func tileBox(b *lower.Builder) (*kit.Box, error) {
	es, err := multiples(b.Shaper())
	if err != nil {
		return nil, err
	}
	in := b.InShape(0)
	kit.CheckLen(b, 1, len(in))
	src, dst := kit.Strides(in), kit.Strides(b.OutShape(0))
	x := kit.NewBox()
	for k, e := range es {
		if lower.MayBeNegative(e) {
			kit.BindSize(b, 0, k, e, "an element of multiples")
			e = b.NewSizeK(0, k)
		}
		x.Add(e, dst[k].Mul(in[k]), sym.Zero)
		x.Add(in[k], dst[k], src[k])
	}
	return x, nil
}
