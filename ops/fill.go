package ops

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/rt/budget"
	"github.com/graphc/graphc/rt/tensor"
)

// fillDefs make or repeat elements to a shape that an input gives.
var fillDefs = []*Def{
	{Name: "Fill", Types: moves, Shape: fillShape, Lower: fillLower},
	{Name: "Empty", Level: Reads, Flags: Stateful, Types: map[string][]tensor.DType{"dtype": dataTypes}, Shape: emptyShape, Lower: emptyLower},
	{Name: "BroadcastTo", Types: moves, Shape: broadcastToShape, Lower: broadcastToLower},
	{Name: "Tile", Types: moves, Shape: tileShape, Lower: tileLower},
}

// dimsOf reads input i as the dimensions of output 0: what may be negative
// becomes sizes that bindDims checks. nil without an error means unknown.
func (c *Shaper) dimsOf(i int) ([]*sym.Expr, error) {
	if r := c.Shape(i).Rank(); r == 0 || r > 1 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "dimensions must be a vector, not of the shape %v", c.Shape(i))
	}
	es, ok := c.Ints(i)
	if !ok {
		return nil, nil
	}
	dims := make([]*sym.Expr, len(es))
	for k, e := range es {
		var err error
		if dims[k], err = c.sizeOf(0, k, e); err != nil {
			return nil, err
		}
	}
	return dims, nil
}

// bindDims binds what dimsOf left to the run.
func (b *Builder) bindDims(i int) {
	es, _ := b.Ints(i)
	for k, e := range es {
		b.bindSize(0, k, e, "a dimension")
	}
}

// fillShape: Fill(dims, value).
func fillShape(c *Shaper) error {
	d := c.In(1).DType
	if s := c.Shape(1); s.Rank() > 0 {
		return tensor.Errorf(tensor.InvalidArgument, "value must be a scalar, not of the shape %v", s)
	}
	dims, err := c.dimsOf(0)
	if err != nil {
		return err
	}
	if dims == nil {
		c.unknownShape(0, d)
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

func fillLower(b *Builder) error {
	b.bindDims(0)
	fn, err := arrayFillKernels.get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(1))
	return nil
}

// emptyShape: Empty(shape). The elements are zeros whatever attribute init says.
func emptyShape(c *Shaper) error {
	dims, err := c.dimsOf(0)
	if err != nil {
		return err
	}
	if dims == nil {
		c.unknownShape(0, c.Node.DType("dtype"))
		return nil
	}
	c.Set(0, c.Node.DType("dtype"), ir.ShapeOf(dims...))
	return nil
}

func emptyLower(b *Builder) error {
	b.bindDims(0)
	d := b.OutFact(0).DType
	fn, err := arrayFillKernels.get(d)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Data: tensor.MakeSlice(d, 1)}))
	return nil
}

// broadcastToShape: BroadcastTo(input, shape).
func broadcastToShape(c *Shaper) error {
	dims, err := c.dimsOf(1)
	if err != nil {
		return err
	}
	if dims == nil {
		c.unknownShape(0, c.In(0).DType)
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

func broadcastToLower(b *Builder) error {
	b.bindDims(1)
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
	fn, err := arrayBroadcastKernels.get(b.OutFact(0).DType)
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
func multiples(c *Shaper) ([]*sym.Expr, error) {
	x := c.Shape(0)
	if c.Shape(1).Rank() > 1 || c.Shape(1).Rank() == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "multiples must be a vector, not of the shape %v", c.Shape(1))
	}
	if !x.Known {
		return nil, nil
	}
	es, ok := c.intsN(1, len(x.Dims))
	if !ok {
		return nil, nil
	}
	if x.Known && len(es) != len(x.Dims) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "multiples has %d elements for the shape %v", len(es), x)
	}
	for k, e := range es {
		if v, ok := e.IsInt(); ok && v < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "multiples[%d] is %d, at least 0 is required", k, v)
		}
	}
	return es, nil
}

// tileShape: Tile(input, multiples).
func tileShape(c *Shaper) error {
	x := c.Shape(0)
	es, err := multiples(c)
	if err != nil {
		return err
	}
	if es == nil || !x.Known {
		c.unknownShape(0, c.In(0).DType)
		return nil
	}
	dims := make([]*sym.Expr, len(es))
	for k, e := range es {
		if signed(e) {
			e = c.NewSizeK(0, k)
		}
		m, mok := e.IsInt()
		if d, ok := x.Dims[k].IsInt(); ok && mok && budget.Mul(m, d) == math.MaxInt {
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

func tileLower(b *Builder) error {
	x, err := b.tileBox()
	if err != nil {
		return err
	}
	if x.len().Equal(b.InLen(0)) {
		b.Alias(0, 0)
		return nil
	}
	return b.move(b.Out(0), b.In(0), x)
}

// tileBox is the copy, binding what a run decides.
func (b *Builder) tileBox() (*box, error) {
	es, err := multiples(b.Shaper())
	if err != nil {
		return nil, err
	}
	in := b.InShape(0)
	b.checkLen(1, len(in))
	src, dst := strides(in), strides(b.OutShape(0))
	x := newBox()
	for k, e := range es {
		if signed(e) {
			b.bindSize(0, k, e, "an element of multiples")
			e = b.NewSizeK(0, k)
		}
		x.add(e, dst[k].Mul(in[k]), sym.Zero)
		x.add(in[k], dst[k], src[k])
	}
	return x, nil
}
