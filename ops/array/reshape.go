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

// reshapeDefs are ops that change only the shape; none of them copies.
var reshapeDefs = []*lower.Def{
	{Name: "Reshape", Flags: lower.HostSide, Traits: lower.Picks | lower.Renames | lower.KeepsDigits | lower.Fills, Types: kit.Passes, Shape: ReshapeShape, Lower: ReshapeLower,
		Limits: "if several sizes beside -1 are unknown and one is 0 at run time, -1 is computed as for other sizes; TensorFlow leaves sizes of 0 out on both sides"},
	{Name: "ExpandDims", Flags: lower.HostSide, Traits: lower.Picks | lower.Renames | lower.KeepsDigits | lower.Fills, Types: kit.Passes, Shape: expandDimsShape, Lower: expandDimsLower},
	{Name: "Squeeze", Flags: lower.HostSide, Traits: lower.Picks | lower.Renames | lower.KeepsDigits | lower.Fills, Types: kit.Passes, Shape: squeezeShape, Lower: squeezeLower,
		Limits: "without axes, a dimension of unknown size is assumed not to be 1; a run where it is 1 fails"},
	{Name: "EnsureShape", Flags: lower.HostSide, Traits: lower.Picks | lower.Renames, Types: kit.Passes, Shape: ensureShape, Lower: ensureLower},
	{Name: "DeepCopy", Flags: lower.Forward, Shape: kit.ForwardShape, Lower: kit.ForwardLower},
	{Name: "Bitcast", Flags: lower.HostSide, Traits: lower.RoundsNumbers | lower.SeesZeroSign0, Types: map[string][]tensor.DType{"T": bitcastTypes, "type": bitcastTypes}, Shape: bitcastShape, Lower: bitcastLower},
}

// reshapePlan describes the new dimensions of a Reshape, as far as they are known.
type reshapePlan struct {
	dims  []*sym.Expr // of the result
	given []*sym.Expr // the elements of the shape input, possibly with -1
	late  []int       // numbers of the dimensions known only at run time
	sure  bool        // whether the old and new numbers of elements are known to be equal
}

// planReshape infers the new dimensions. A dimension that is given as -1 is the number of elements
// divided by the product of the other dimensions. A dimension that may or may not be given as -1 at
// run time is computed in the same way, because it must equal this quotient in both cases.
func planReshape(c *lower.Shaper) (*reshapePlan, error) {
	if r := c.Shape(1).Rank(); r > 1 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the new shape must be a vector, not of the shape %v", c.Shape(1))
	}
	es, ok := c.Ints(1)
	if !ok || c.Shape(1).Rank() == 0 {
		if c.Shape(1).Rank() == 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the new shape must be a vector, not a scalar")
		}
		return nil, nil
	}
	p := &reshapePlan{dims: make([]*sym.Expr, len(es)), given: es}
	rest, minus, wild := sym.One, -1, 0
	for k, e := range es {
		v, known := e.IsInt()
		switch {
		case known && v < -1:
			return nil, tensor.Errorf(tensor.InvalidArgument, "dimension %d of the new shape is %d", k, v)
		case known && v == -1 && minus >= 0:
			return nil, tensor.Errorf(tensor.InvalidArgument, "only one dimension of the new shape may be -1, not both %d and %d", minus, k)
		case known && v == -1:
			minus = k
			wild++
		case lower.MayBeNegative(e):
			wild++
			p.late = append(p.late, k)
		default:
			p.dims[k] = e
			rest = rest.Mul(e)
		}
	}
	if minus >= 0 {
		p.late = append(p.late, minus)
	}
	x := c.Shape(0)
	if !x.Known {
		return p.leave(c), nil
	}
	total := x.Len()
	t, tok := total.IsInt()
	r, rok := rest.IsInt()
	switch {
	case wild == 0:
		if d, ok := total.Sub(rest).IsInt(); ok && d != 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "a tensor of the shape %v does not fit the shape %v", x, ir.ShapeOf(es...))
		}
		if known, open := knownSizes(x.Dims); rok && open == 1 && known > 0 && r%known != 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "a tensor of the shape %v cannot have %d elements", x, r)
		}
		p.sure = total.Equal(rest)
		return p, nil
	case rok && r == 0 && minus >= 0 && wild == 1:
		if from, ok := x.Static(); ok {
			if to, ok := ir.ShapeOf(es...).Static(); ok {
				n, err := array.ReshapeDim(from, to, minus)
				p.dims[minus], p.late, p.sure = sym.Int(n), nil, true
				return p, err
			}
		}
		return p.leave(c), nil
	case rok && r != 0 && tok && t%r != 0 && wild == 1:
		return nil, tensor.Errorf(tensor.InvalidArgument, "a tensor of the shape %v does not fit the shape %v", x, ir.ShapeOf(es...))
	case wild > 1 || rok && r == 0:
		return p.leave(c), nil
	}
	k := p.late[0]
	if q := total.Div(rest); q.Mul(rest).Equal(total) {
		p.dims[k], p.sure = q.Add(emptyRest(x.Dims, es, q)), minus >= 0
	} else {
		p.dims[k] = total.Div(sym.Max(rest, sym.One))
	}
	p.late = nil
	return p, nil
}

// knownSizes returns the product of the known sizes, and the number of unknown ones.
func knownSizes(dims []*sym.Expr) (product, open int) {
	product = 1
	for _, d := range dims {
		if v, ok := d.IsInt(); ok {
			product *= v
		} else {
			open++
		}
	}
	return product, open
}

// emptyRest returns an expression to add to q, the size of the dimension that is given as -1. The
// expression is 0 unless the old shape and the new shape have exactly one unknown size each, not
// counting the dimension given as -1, and both sizes are 0 at run time. TensorFlow then ignores these
// sizes of 0, and the dimension given as -1 has another size. For example, [B,2] reshaped to [2·B,-1]
// is [2·B,1], but if B is 0, the result is [0,2].
func emptyRest(from, to []*sym.Expr, q *sym.Expr) *sym.Expr {
	open := func(ds []*sym.Expr) (d *sym.Expr, known int, ok bool) {
		known = 1
		for _, e := range ds {
			switch v, isInt := e.IsInt(); {
			case isInt && v == -1:
			case isInt && v > 0:
				known *= v
			case isInt || d != nil:
				return nil, 0, false
			default:
				d = e
			}
		}
		return d, known, d != nil
	}
	d, n, ok1 := open(from)
	e, m, ok2 := open(to)
	v, ok3 := q.IsInt()
	if !ok1 || !ok2 || !ok3 || d.Equal(e) || n%m != 0 || n/m == v || !inProportion(d, e) {
		return sym.Zero
	}
	return sym.One.Sub(sym.Min(e, sym.One)).MulInt(n/m - v)
}

// inProportion reports whether one of two sizes is a constant multiple of the other.
func inProportion(a, b *sym.Expr) bool {
	if a.Div(b).Mul(b).Equal(a) {
		_, ok := a.Div(b).IsInt()
		return ok
	}
	_, ok := b.Div(a).IsInt()
	return ok && b.Div(a).Mul(a).Equal(b)
}

// leave replaces the dimensions listed in p.late by sizes that are bound at run time.
func (p *reshapePlan) leave(c *lower.Shaper) *reshapePlan {
	for _, k := range p.late {
		p.dims[k] = c.NewSizeK(0, k)
	}
	return p
}

// ReshapeShape infers the result of Reshape. The inputs are named tensor and shape.
func ReshapeShape(c *lower.Shaper) error {
	p, err := planReshape(c)
	if err != nil {
		return err
	}
	if p == nil {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(p.dims...))
	if p.sure {
		kit.Keep(c, 0, 0)
	}
	return nil
}

// ReshapeLower lowers Reshape. The output shares the input's storage.
func ReshapeLower(b *lower.Builder) error {
	p, err := planReshape(b.Shaper())
	if err != nil {
		return err
	}
	for _, k := range p.late {
		b.CallSizes(array.ReshapeDim, []*sym.Expr{b.NewSizeK(0, k)}, b.InShape(0), p.given, k)
	}
	if len(p.late) == 0 && !p.sure {
		b.Check(array.ReshapeFits, b.InShape(0), p.given)
	}
	b.Alias(0, 0)
	return nil
}

// expandDimsShape infers the result of ExpandDims, which adds an axis of size 1. The input dim, the
// number of the new axis, is a scalar or a vector of one element.
func expandDimsShape(c *lower.Shaper) error {
	e, ok, err := kit.OneElement(c, 1, "dim")
	if err != nil {
		return err
	}
	x := c.Shape(0)
	if !ok || !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	at, static := e.IsInt()
	rank := len(x.Dims) + 1
	dims := make([]*sym.Expr, 0, rank)
	if !static {
		for k := range rank {
			dims = append(dims, c.NewSizeK(0, k))
		}
	} else {
		if at, err = lower.Axis(at, rank); err != nil {
			return err
		}
		dims = append(append(append(dims, x.Dims[:at]...), sym.One), x.Dims[at:]...)
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	kit.Keep(c, 0, 0)
	return nil
}

func expandDimsLower(b *lower.Builder) error {
	c := b.Shaper()
	if e, ok, _ := kit.OneElement(c, 1, "dim"); ok {
		kit.CheckLen(b, 1, 1)
		if _, static := e.IsInt(); !static {
			for k := range b.OutShape(0) {
				b.CallSizes(array.ExpandDim, []*sym.Expr{b.NewSizeK(0, k)}, e, b.InShape(0), k)
			}
		}
	}
	b.Alias(0, 0)
	return nil
}

// squeezeAxes returns which axes of input 0 are removed. Without axes in the attribute, these are
// the dimensions known to be 1.
func squeezeAxes(c *lower.Shaper) (drop []bool, err error) {
	dims := c.Shape(0).Dims
	drop = make([]bool, len(dims))
	axes := c.Node.Ints("squeeze_dims")
	for _, a := range axes {
		k, err := lower.Axis(a, len(dims))
		if err != nil {
			return nil, err
		}
		if v, ok := dims[k].IsInt(); ok && v != 1 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "dimension %d of %v is to be squeezed but is not 1", k, c.Shape(0))
		}
		drop[k] = true
	}
	if len(axes) == 0 {
		for k, d := range dims {
			drop[k] = d.Is(1)
		}
	}
	return drop, nil
}

// squeezeShape infers the result of Squeeze, which removes axes of size 1. The attribute
// squeeze_dims lists these axes. If it is empty, all axes of size 1 are removed.
func squeezeShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	drop, err := squeezeAxes(c)
	if err != nil {
		return err
	}
	dims := []*sym.Expr{}
	for k, d := range x.Dims {
		if !drop[k] {
			dims = append(dims, d)
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	kit.Keep(c, 0, 0)
	return nil
}

func squeezeLower(b *lower.Builder) error {
	drop, err := squeezeAxes(b.Shaper())
	if err != nil {
		return err
	}
	all := len(b.Node.Ints("squeeze_dims")) == 0
	for k, d := range b.InShape(0) {
		if _, static := d.IsInt(); static {
			continue
		}
		if drop[k] {
			b.Check(shape.Equal, d, 1, "a dimension to be squeezed is not 1")
		} else if all {
			b.Check(array.NotOne, d)
		}
	}
	b.Alias(0, 0)
	return nil
}

// ensureShape infers the result of EnsureShape. The error is InvalidArgument if the input's shape
// is known not to agree with the attribute shape.
func ensureShape(c *lower.Shaper) error {
	want, _ := c.Node.Attrs["shape"].(ir.PartialShape)
	x := c.Shape(0)
	if _, ok := c.Node.Attrs["shape"]; !ok || want.UnknownRank {
		c.Set(0, c.In(0).DType, x)
		kit.Keep(c, 0, 0)
		return nil
	}
	if x.Known && len(x.Dims) != len(want.Dims) {
		return tensor.Errorf(tensor.InvalidArgument, "the shape %v does not have the required rank %d", x, len(want.Dims))
	}
	dims := make([]*sym.Expr, len(want.Dims))
	for k, w := range want.Dims {
		switch {
		case w < 0 && x.Known:
			dims[k] = x.Dims[k]
		case w < 0:
			dims[k] = c.NewSizeK(0, k)
		default:
			dims[k] = sym.Int(int(w))
			if x.Known {
				if v, ok := x.Dims[k].IsInt(); ok && int64(v) != w {
					return tensor.Errorf(tensor.InvalidArgument, "dimension %d of %v must be %d", k, x, w)
				}
			}
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	kit.Keep(c, 0, 0)
	return nil
}

func ensureLower(b *lower.Builder) error {
	for k, d := range b.InShape(0) {
		if o := b.OutShape(0)[k]; !o.Equal(d) {
			b.Check(shape.Equal, d, o, "a dimension differs from EnsureShape's")
		}
	}
	b.Alias(0, 0)
	return nil
}

var bitcastTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16,
	tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
	tensor.Complex64, tensor.Complex128, tensor.QInt8, tensor.QUint8, tensor.QInt16, tensor.QUint16, tensor.QInt32}

// bitcastShape infers the result of Bitcast. The attribute type is the new element type. If the new
// type is smaller than the old one, the result has an additional last axis. If the new type is
// larger, the last axis of the input must have the size ratio of the two types, and is removed.
func bitcastShape(c *lower.Shaper) error {
	from, to := c.In(0).DType, c.Node.DType("type")
	if from.Size() == 0 || to.Size() == 0 || from == tensor.String || to == tensor.String {
		return tensor.Errorf(tensor.InvalidArgument, "%v cannot be read as %v", from, to)
	}
	x := c.Shape(0)
	if !x.Known {
		c.UnknownShape(0, to)
		return nil
	}
	dims := x.Dims
	switch {
	case from.Size() > to.Size():
		dims = append(append([]*sym.Expr(nil), dims...), sym.Int(from.Size()/to.Size()))
	case from.Size() < to.Size():
		ratio := to.Size() / from.Size()
		if len(dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "a scalar %v cannot be read as %v", from, to)
		}
		last := dims[len(dims)-1]
		if v, ok := last.IsInt(); ok && v != ratio {
			return tensor.Errorf(tensor.InvalidArgument, "the last dimension of %v must be %d to read %v as %v", x, ratio, from, to)
		}
		dims = dims[:len(dims)-1]
	}
	c.Set(0, to, ir.ShapeOf(dims...))
	return nil
}

func bitcastLower(b *lower.Builder) error {
	if from, to := b.InFact(0).DType.Size(), b.OutFact(0).DType.Size(); from < to {
		if last := b.InShape(0)[len(b.InShape(0))-1]; !last.Is(to / from) {
			b.Check(shape.Equal, last, to/from, "the last dimension of a bitcast")
		}
	}
	b.Alias(0, 0)
	return nil
}
