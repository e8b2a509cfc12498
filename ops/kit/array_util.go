package kit

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// DataTypes are the element types that are only moved.
var DataTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16,
	tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
	tensor.Bool, tensor.String, tensor.Complex64, tensor.Complex128,
	tensor.QInt8, tensor.QUint8, tensor.QInt16, tensor.QUint16, tensor.QInt32}

// Moves is the Types of an op that moves elements of type attribute T.
var Moves = map[string][]tensor.DType{"T": DataTypes}

// Passes is the Types of an op that hands on whole tensors of type attribute T, handles among them.
var Passes = map[string][]tensor.DType{"T": append(slices.Clone(DataTypes), tensor.Resource, tensor.Variant)}

// Strides returns the row-major strides of dims.
func Strides(dims []*sym.Expr) []*sym.Expr { return scalar.Rows(dims) }

// Box is a copy between two strided places; see array.MoveF32.
type Box struct {
	Dims, Dst, Src []*sym.Expr
	DstOff, SrcOff *sym.Expr
}

// NewBox returns a copy of one element.
func NewBox() *Box { return &Box{DstOff: sym.Zero, SrcOff: sym.Zero} }

// Add appends an inner loop.
func (x *Box) Add(n, dst, src *sym.Expr) {
	x.Dims, x.Dst, x.Src = append(x.Dims, n), append(x.Dst, dst), append(x.Src, src)
}

// Simplify joins loops that continue each other and drops those of one step.
func (x *Box) Simplify() {
	y := NewBox()
	for k, n := range x.Dims {
		if n.Is(1) {
			continue
		}
		d, s := x.Dst[k], x.Src[k]
		if m := len(y.Dims); m > 0 && y.Dst[m-1].Equal(n.Mul(d)) && y.Src[m-1].Equal(n.Mul(s)) {
			n = n.Mul(y.Dims[m-1])
			y.Dims, y.Dst, y.Src = y.Dims[:m-1], y.Dst[:m-1], y.Src[:m-1]
		}
		y.Add(n, d, s)
	}
	x.Dims, x.Dst, x.Src = y.Dims, y.Dst, y.Src
}

// Contiguous reports that the box is one run of elements at both places.
func (x *Box) Contiguous() bool {
	return len(x.Dims) == 0 || len(x.Dims) == 1 && x.Dst[0].Is(1) && x.Src[0].Is(1)
}

// Len is the number of elements.
func (x *Box) Len() *sym.Expr { return sym.Product(x.Dims) }

// Move appends the copy of the box x.
func Move(b *lower.Builder, dst, src plan.View, x *Box) error {
	x.Simplify()
	if dst.Buf.Place.OnDevice() {
		DevBox(b, dst, src, x)
		return nil
	}
	if x.Contiguous() {
		b.Copy(dst.At(runStart(x.DstOff, x.Len(), dst), x.Len()), src.At(runStart(x.SrcOff, x.Len(), src), x.Len()))
		return nil
	}
	if len(x.Dims) > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "a copy over %d axes; at most %d are supported", len(x.Dims), array.MaxRank)
	}
	fn, err := bytype.ArrayMove.Get(dst.Buf.DType)
	if err != nil {
		return err
	}
	n, d0, s0 := x.Dims[0], x.Dst[0], x.Src[0]
	if dst.Buf.DType == tensor.String || !dst.Len.Equal(n.Mul(d0)) || !s0.NonNegative() || !lower.Loopable(fn) {
		b.Call(fn, dst, src, x.Dims, x.Dst, x.DstOff, x.Src, x.SrcOff)
		return nil
	}
	l := b.Par(n, lower.RowSplit(sym.Product(x.Dims[1:]), lower.CostCheap))
	from := x.SrcOff
	if src.Len.Equal(n.Mul(s0)) {
		src = lower.Rows(src, s0)
	} else {
		from = from.Add(plan.Lo.Mul(s0))
	}
	l.Call(fn, lower.Rows(dst, d0), src, append([]*sym.Expr{plan.Count}, x.Dims[1:]...), x.Dst, x.DstOff, x.Src, from)
	return nil
}

// runStart returns where a run of n elements begins in v, which is off unless the
// run is empty: a slice of nothing may begin behind the end.
func runStart(off, n *sym.Expr, v plan.View) *sym.Expr {
	if k, ok := n.IsInt(); ok && k > 0 || off.Is(0) || v.Len == nil || v.Len.Sub(off.Add(n)).NonNegative() {
		return off
	}
	return sym.Min(off, v.Len)
}

// Part is a view written in several calls: all but the first add to it.
func Part(v plan.View, first bool) plan.View {
	if !first {
		v.Mode = plan.ReadWrite
	}
	return v
}

// SizeOf returns e as a dimension of output i: e itself where it is known to
// be non-negative, else the size numbered k, which BindSize binds.
func SizeOf(c *lower.Shaper, i, k int, e *sym.Expr) (*sym.Expr, error) {
	if v, ok := e.IsInt(); ok && v < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "dimension %d of the result would be %d", k, v)
	}
	if lower.MayBeNegative(e) {
		return c.NewSizeK(i, k), nil
	}
	return e, nil
}

// BindSize binds what SizeOf left to the run.
func BindSize(b *lower.Builder, i, k int, e *sym.Expr, what string) {
	if lower.MayBeNegative(e) {
		b.CallSizes(array.Size, []*sym.Expr{b.NewSizeK(i, k)}, e, what)
	}
}

// IntsN is Ints of an input that must have n elements: where their number is
// not known when compiling they become symbols, and CheckLen checks the number.
func IntsN(c *lower.Shaper, i, n int) ([]*sym.Expr, bool) {
	if es, ok := c.Ints(i); ok {
		return es, true
	}
	f := c.In(i)
	if f.DType != tensor.Int32 && f.DType != tensor.Int64 || f.Shape.Rank() != 1 || n > ir.MaxInts {
		return nil, false
	}
	if _, static := f.Shape.Dims[0].IsInt(); static {
		return nil, false
	}
	f.Ints = make([]*sym.Expr, n)
	for k := range f.Ints {
		f.Ints[k] = c.Graph.FreshSymbol(c.Node.Ins[i], k)
	}
	return f.Ints, true
}

// Ranked is the error of a lowering that needs the ranks of inputs, of which nobody knows one.
func Ranked(b *lower.Builder, is ...int) error {
	for _, i := range is {
		if o := b.Node.Ins[i]; !o.Fact().Shape.Known {
			return lower.UnknownRank(o.Node, o.Index)
		}
	}
	return nil
}

// CheckLen checks the number of elements that IntsN took for granted.
func CheckLen(b *lower.Builder, i, n int) {
	if s := b.InFact(i).Shape; s.Rank() == 1 && !s.Dims[0].Is(n) {
		b.Check(shape.Equal, s.Dims[0], n, "the number of elements of an integer input")
	}
}

// OneInt returns the element of input i, a scalar, as an expression: InvalidArgument
// when it is none, ok false when its rank is unknown.
func OneInt(c *lower.Shaper, i int, what string) (e *sym.Expr, ok bool, err error) {
	if err := c.ScalarOr(i, what); err != nil {
		return nil, false, err
	}
	return OneElement(c, i, what)
}

// FedInt is OneInt where TensorFlow's kernel takes any tensor of one element, but its shape
// function wants a scalar: a constant vector is refused, one that is fed is not.
func FedInt(c *lower.Shaper, i int, what string) (e *sym.Expr, ok bool, err error) {
	if c.In(i).Const != nil {
		return OneInt(c, i, what)
	}
	return OneElement(c, i, what)
}

// OneElement returns the one element of input i as an expression: InvalidArgument
// when it has another number of elements, ok false when its rank is unknown. A
// vector of unknown length is taken to have one element, which CheckLen checks.
func OneElement(c *lower.Shaper, i int, what string) (e *sym.Expr, ok bool, err error) {
	es, ok := IntsN(c, i, 1)
	if !ok {
		if s := c.Shape(i); s.Rank() > 1 {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "%s must be a scalar, not of the shape %v", what, s)
		}
		return nil, false, nil
	}
	if len(es) != 1 {
		return nil, false, tensor.Errorf(tensor.InvalidArgument, "%s must have one element, not %d", what, len(es))
	}
	return es[0], true, nil
}

// MixedInts returns the elements of the inputs from lo to hi one after the
// other, when at least one of them is known; others become symbols.
func MixedInts(c *lower.Shaper, lo, hi int) ([]*sym.Expr, bool) {
	any := false
	for i := lo; i < hi; i++ {
		any = any || c.In(i).Ints != nil
	}
	if !any {
		return nil, false
	}
	var out []*sym.Expr
	for i := lo; i < hi; i++ {
		es, ok := c.Ints(i)
		if !ok || len(out)+len(es) > ir.MaxInts {
			return nil, false
		}
		out = append(out, es...)
	}
	return out, true
}

// Keep passes on the values of input j to output i, which has the same elements
// in the same order and whose shape Set has stated.
func Keep(c *lower.Shaper, i, j int) {
	in, out := c.In(j), &c.Node.Outs[i]
	if r := out.Shape.Rank(); in.Ints != nil && (r == 0 || r == 1) {
		out.Ints = in.Ints
	}
	if in.Const == nil {
		return
	}
	if s, ok := out.Shape.Static(); ok {
		if n, err := s.Len(); err == nil && n == in.Const.Len() {
			out.Const = &tensor.Tensor{DType: in.Const.DType, Shape: s, Data: in.Const.Data}
		}
	}
}

// JoinDim joins two dimensions that must be equal, preferring the constant;
// InvalidArgument when they are known to differ.
func JoinDim(a, b *sym.Expr, what string) (*sym.Expr, error) {
	if a.Equal(b) {
		return a, nil
	}
	if v, ok := a.Sub(b).IsInt(); ok && v != 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s: %v against %v", what, a, b)
	}
	if _, ok := b.IsInt(); ok {
		return b, nil
	}
	return a, nil
}

// DimSet copies dims with dimension k replaced.
func DimSet(dims []*sym.Expr, k int, e *sym.Expr) []*sym.Expr {
	r := append([]*sym.Expr(nil), dims...)
	r[k] = e
	return r
}

// inRows has the loops in the order in which the elements of the destination lie, where
// those are all in rows.
func (x *Box) inRows() *Box {
	y, left, step := NewBox(), len(x.Dims), sym.One
	y.DstOff, y.SrcOff = x.DstOff, x.SrcOff
	used := make([]bool, len(x.Dims))
	for ; left > 0; left-- {
		k := -1
		for i := range x.Dims {
			if !used[i] && (x.Dims[i].Is(1) || k < 0 && x.Dst[i].Equal(step)) {
				k = i
			}
		}
		if k < 0 {
			return x
		}
		used[k] = true
		step = step.Mul(x.Dims[k])
		y.Add(x.Dims[k], x.Dst[k], x.Src[k])
	}
	slices.Reverse(y.Dims)
	slices.Reverse(y.Dst)
	slices.Reverse(y.Src)
	return y
}
