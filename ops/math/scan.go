package math

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/cast"
	"github.com/graphc/graphc/kernels/reduce"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// scanDefs are ops along one axis: positions of extremes, cumulative sums. The axis may be known
// only at run time.
var scanDefs = []*lower.Def{
	{Name: "ArgMax", Types: map[string][]tensor.DType{"T": tableTypes(bytype.Arg["ArgMax"]), "output_type": {tensor.Int32, tensor.Int16, tensor.Int64, tensor.Uint16}},
		Shape: argShape, Lower: argLower},
	{Name: "ArgMin", Types: map[string][]tensor.DType{"T": tableTypes(bytype.Arg["ArgMin"])}, Shape: argShape, Lower: argLower},
	{Name: "Cumsum", Traits: lower.KeepsDigits, Types: map[string][]tensor.DType{"T": tableTypes(bytype.Scan["Cumsum"])}, Shape: scanShape, Lower: scanLower},
	{Name: "Cumprod", Types: map[string][]tensor.DType{"T": tableTypes(bytype.Scan["Cumprod"])}, Shape: scanShape, Lower: scanLower},
	{Name: "CumulativeLogsumexp", Types: map[string][]tensor.DType{"T": tableTypes(bytype.Scan["CumulativeLogsumexp"])}, Shape: scanShape, Lower: scanLower},
}

// tableTypes returns the element types of a table of kernels.
func tableTypes(t map[tensor.DType]any) []tensor.DType {
	var ds []tensor.DType
	for d := tensor.DType(1); d.Valid(); d++ {
		if t[d] != nil {
			ds = append(ds, d)
		}
	}
	return ds
}

// axisInput returns the axis in input i, normalised to be non-negative, or false if it is unknown.
func axisInput(c *lower.Shaper, i, rank int) (int, bool, error) {
	if s, err := c.WithRank(i, 0); err != nil {
		return 0, false, tensor.Errorf(tensor.InvalidArgument, "the axis must be a scalar, not of shape %v", s)
	}
	v, ok := c.StaticInts(i)
	if !ok || len(v) != 1 {
		if rank == 0 {
			return 0, false, tensor.Errorf(tensor.InvalidArgument, "a scalar has no axis")
		}
		return 0, false, nil
	}
	a, err := lower.Axis(v[0], rank)
	return a, true, err
}

// around returns the product of the dimensions before an axis, the length of the axis, and the
// product of the dimensions after the axis.
func around(dims []*sym.Expr, axis int) (outer, n, inner *sym.Expr) {
	return sym.Product(dims[:axis]), dims[axis], sym.Product(dims[axis+1:])
}

// argShape infers the shape of the output of ArgMax or ArgMin. The type of the output is the value
// of attribute output_type, or int64 if the node does not have this attribute.
func argShape(c *lower.Shaper) error {
	d := c.Node.DType("output_type")
	if d == tensor.Invalid {
		d = tensor.Int64
	}
	in := c.Shape(0)
	if !in.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	axis, ok, err := axisInput(c, 1, len(in.Dims))
	switch {
	case err != nil:
		return err
	case ok:
		out := append(append([]*sym.Expr{}, in.Dims[:axis]...), in.Dims[axis+1:]...)
		c.Set(0, d, ir.ShapeOf(out...))
		return nil
	}
	out := make([]*sym.Expr, len(in.Dims)-1) // bound by bindLeft
	for k := range out {
		out[k] = c.NewSizeK(0, k)
	}
	c.Set(0, d, ir.ShapeOf(out...))
	return nil
}

// splitAxis divides the dimensions of input 0 at the axis in input 1. It returns the length of the
// axis, n, and the products of the sizes before and after the axis. If the axis is known only at
// run time, splitAxis appends the call that computes these sizes, and open is true.
func splitAxis(b *lower.Builder) (outer, n, inner *sym.Expr, open bool, err error) {
	dims := b.InShape(0)
	axis, ok, err := axisInput(b.Shaper(), 1, len(dims))
	if err != nil {
		return nil, nil, nil, false, err
	}
	if ok {
		outer, n, inner = around(dims, axis)
		return outer, n, inner, false, nil
	}
	var fn any
	switch b.InFact(1).DType {
	case tensor.Int16:
		fn = reduce.AroundI16
	case tensor.Int32:
		fn = reduce.AroundI32
	default:
		fn = reduce.AroundI64
	}
	r := len(dims)
	outer, n, inner = b.NewSizeK(0, r), b.NewSizeK(0, r+1), b.NewSizeK(0, r+2)
	b.CallSizes(fn, []*sym.Expr{outer, n, inner}, b.In(1), dims)
	return outer, n, inner, true, nil
}

// bindLeft appends the calls that compute the dimensions of the result for an axis that is known
// only at run time. The result has the dimensions of input 0, except for the dimension of the axis.
func bindLeft(b *lower.Builder) {
	var fn any
	switch b.InFact(1).DType {
	case tensor.Int16:
		fn = reduce.LeftI16
	case tensor.Int32:
		fn = reduce.LeftI32
	default:
		fn = reduce.LeftI64
	}
	for k, e := range b.OutShape(0) {
		b.CallSizes(fn, []*sym.Expr{e}, b.In(1), b.InShape(0), sym.Int(k))
	}
}

func argLower(b *lower.Builder) error {
	fn := bytype.Arg[b.Node.Op][b.InFact(0).DType]
	if fn == nil {
		return NoKernel(b.Node.Op, b.InFact(0).DType)
	}
	outer, n, inner, open, err := splitAxis(b)
	if err != nil {
		return err
	}
	if open {
		bindLeft(b)
	}
	b.Check(shape.AtLeast, n, 1, "the length of the reduced axis")
	var narrow any
	switch b.OutFact(0).DType {
	case tensor.Int64:
	case tensor.Int32:
		narrow = cast.I64ToI32
	case tensor.Int16:
		narrow = cast.I64ToI16
	case tensor.Uint16:
		narrow = cast.I64ToU16
	default:
		return tensor.Errorf(tensor.InvalidArgument, "%s has no kernel for output_type %s", b.Node.Op, b.OutFact(0).DType)
	}
	p := plan.Lit(reduce.Axis{}, "Outer", outer, "N", n, "Inner", inner)
	at := b.Out(0)
	if narrow != nil {
		at = kit.Writes(b.Temp(tensor.Int64, b.OutLen(0)))
	}
	if open || outer.Is(1) {
		b.Call(fn, at, b.In(0), p)
		if narrow != nil {
			b.Call(narrow, b.Out(0), kit.Reads(at))
		}
		return nil
	}
	l := b.Par(outer, lower.RowSplit(n.Mul(inner), lower.CostModerate))
	l.Call(fn, lower.Rows(at, inner), lower.Rows(b.In(0), n.Mul(inner)), p.With("Outer", plan.Count))
	if narrow != nil {
		l.Call(narrow, lower.Rows(b.Out(0), inner), lower.Rows(kit.Reads(at), inner))
	}
	return nil
}

func scanShape(c *lower.Shaper) error {
	c.Same(0, 0)
	in := c.Shape(0)
	if !in.Known {
		return nil
	}
	_, _, err := axisInput(c, 1, len(in.Dims))
	return err
}

// scanLower lowers the cumulative ops such as Cumsum. If attribute exclusive is set, a result does
// not include its own element. If attribute reverse is set, the results are computed from the end
// of the axis.
func scanLower(b *lower.Builder) error {
	fn := bytype.Scan[b.Node.Op][b.InFact(0).DType]
	if fn == nil {
		return NoKernel(b.Node.Op, b.InFact(0).DType)
	}
	outer, n, inner, open, err := splitAxis(b)
	if err != nil {
		return err
	}
	exclusive := b.Node.Bool("exclusive")
	p := plan.Lit(reduce.Scan{Exclusive: exclusive, Reverse: b.Node.Bool("reverse")}, "Outer", outer, "N", n, "Inner", inner)
	if open || outer.Is(1) {
		b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), p)
		return nil
	}
	row := n.Mul(inner)
	l := b.Par(outer, lower.RowSplit(row, lower.CostModerate))
	l.CallInPlace(0, 0, fn, lower.Rows(b.Out(0), row), lower.Rows(b.In(0), row), p.With("Outer", plan.Count))
	return nil
}
