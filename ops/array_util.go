package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// kernelTable lists the variants of a kernel by element type and, where it has
// one, index type.
type kernelTable map[[2]tensor.DType]any

// plainType is the type whose kernels serve d: quantized integers move as plain ones.
func plainType(d tensor.DType) tensor.DType { return scalar.Plain(d) }

// get returns the variant for the types, Unimplemented when there is none.
func (t kernelTable) get(ds ...tensor.DType) (any, error) {
	var key [2]tensor.DType
	for i, d := range ds {
		key[i] = plainType(d)
	}
	if fn := t[key]; fn != nil {
		return fn, nil
	}
	return nil, tensor.Errorf(tensor.Unimplemented, "no kernel for the types %v", ds)
}

// dataTypes are the element types that are only moved.
var dataTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16,
	tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
	tensor.Bool, tensor.String, tensor.Complex64, tensor.Complex128,
	tensor.QInt8, tensor.QUint8, tensor.QInt16, tensor.QUint16, tensor.QInt32}

// moves is the Types of an op that moves elements of type attribute T.
var moves = map[string][]tensor.DType{"T": dataTypes}

// strides returns the row-major strides of dims.
func strides(dims []*sym.Expr) []*sym.Expr { return scalar.Rows(dims) }

// box is a copy between two strided places; see array.MoveF32.
type box struct {
	dims, dst, src []*sym.Expr
	dstOff, srcOff *sym.Expr
}

func newBox() *box { return &box{dstOff: sym.Zero, srcOff: sym.Zero} }

// add appends an inner loop.
func (x *box) add(n, dst, src *sym.Expr) {
	x.dims, x.dst, x.src = append(x.dims, n), append(x.dst, dst), append(x.src, src)
}

// simplify joins loops that continue each other and drops those of one step.
func (x *box) simplify() {
	y := newBox()
	for k, n := range x.dims {
		if n.Is(1) {
			continue
		}
		d, s := x.dst[k], x.src[k]
		if m := len(y.dims); m > 0 && y.dst[m-1].Equal(n.Mul(d)) && y.src[m-1].Equal(n.Mul(s)) {
			n = n.Mul(y.dims[m-1])
			y.dims, y.dst, y.src = y.dims[:m-1], y.dst[:m-1], y.src[:m-1]
		}
		y.add(n, d, s)
	}
	x.dims, x.dst, x.src = y.dims, y.dst, y.src
}

// contiguous reports that the box is one run of elements at both places.
func (x *box) contiguous() bool {
	return len(x.dims) == 0 || len(x.dims) == 1 && x.dst[0].Is(1) && x.src[0].Is(1)
}

// len is the number of elements.
func (x *box) len() *sym.Expr { return sym.Product(x.dims) }

// move appends the copy of the box x.
func (b *Builder) move(dst, src plan.View, x *box) error {
	x.simplify()
	if dst.Buf.Place.OnDevice() {
		b.devBox(dst, src, x)
		return nil
	}
	if x.contiguous() {
		b.Copy(dst.At(runStart(x.dstOff, x.len(), dst), x.len()), src.At(runStart(x.srcOff, x.len(), src), x.len()))
		return nil
	}
	if len(x.dims) > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "a copy over %d axes; at most %d are supported", len(x.dims), array.MaxRank)
	}
	fn, err := arrayMoveKernels.get(dst.Buf.DType)
	if err != nil {
		return err
	}
	n, d0, s0 := x.dims[0], x.dst[0], x.src[0]
	if dst.Buf.DType == tensor.String || !dst.Len.Equal(n.Mul(d0)) || !s0.NonNegative() || !loopable(fn) {
		b.Call(fn, dst, src, x.dims, x.dst, x.dstOff, x.src, x.srcOff)
		return nil
	}
	l := b.Par(n, rowSplit(sym.Product(x.dims[1:]), cheap))
	from := x.srcOff
	if src.Len.Equal(n.Mul(s0)) {
		src = rows(src, s0)
	} else {
		from = from.Add(plan.Lo.Mul(s0))
	}
	l.Call(fn, rows(dst, d0), src, append([]*sym.Expr{plan.Count}, x.dims[1:]...), x.dst, x.dstOff, x.src, from)
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

// part is a view written in several calls: all but the first add to it.
func part(v plan.View, first bool) plan.View {
	if !first {
		v.Mode = plan.ReadWrite
	}
	return v
}

// unknownShape sets output i to d with an unknown shape.
func (c *Shaper) unknownShape(i int, d tensor.DType) { c.Set(i, d, ir.Shape{}) }

// signed reports elements whose sign only a run tells.
func signed(e *sym.Expr) bool {
	if _, ok := e.IsInt(); ok {
		return false
	}
	return !e.NonNegative()
}

// sizeOf returns e as a dimension of output i: e itself where it is known to
// be non-negative, else the size numbered k, which bindSize binds.
func (c *Shaper) sizeOf(i, k int, e *sym.Expr) (*sym.Expr, error) {
	if v, ok := e.IsInt(); ok && v < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "dimension %d of the result would be %d", k, v)
	}
	if signed(e) {
		return c.NewSizeK(i, k), nil
	}
	return e, nil
}

// bindSize binds what sizeOf left to the run.
func (b *Builder) bindSize(i, k int, e *sym.Expr, what string) {
	if signed(e) {
		b.CallSizes(array.Size, []*sym.Expr{b.NewSizeK(i, k)}, e, what)
	}
}

// intsN is Ints of an input that must have n elements: where their number is
// not known when compiling they become symbols, and checkLen checks the number.
func (c *Shaper) intsN(i, n int) ([]*sym.Expr, bool) {
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

// ranked is the error of a lowering that needs the ranks of inputs, of which nobody knows one.
func (b *Builder) ranked(is ...int) error {
	for _, i := range is {
		if o := b.Node.Ins[i]; !o.Fact().Shape.Known {
			return unknownRank(o.Node, o.Index)
		}
	}
	return nil
}

// checkLen checks the number of elements that intsN took for granted.
func (b *Builder) checkLen(i, n int) {
	if s := b.InFact(i).Shape; s.Rank() == 1 && !s.Dims[0].Is(n) {
		b.Check(shape.Equal, s.Dims[0], n, "the number of elements of an integer input")
	}
}

// oneInt returns the element of input i, a scalar, as an expression: InvalidArgument
// when it is none, ok false when its rank is unknown.
func (c *Shaper) oneInt(i int, what string) (e *sym.Expr, ok bool, err error) {
	if err := c.scalarOr(i, what); err != nil {
		return nil, false, err
	}
	return c.oneElement(i, what)
}

// fedInt is oneInt where TensorFlow's kernel takes any tensor of one element, but its shape
// function wants a scalar: a constant vector is refused, one that is fed is not.
func (c *Shaper) fedInt(i int, what string) (e *sym.Expr, ok bool, err error) {
	if c.In(i).Const != nil {
		return c.oneInt(i, what)
	}
	return c.oneElement(i, what)
}

// oneElement returns the one element of input i as an expression: InvalidArgument
// when it has another number of elements, ok false when its rank is unknown. A
// vector of unknown length is taken to have one element, which checkLen checks.
func (c *Shaper) oneElement(i int, what string) (e *sym.Expr, ok bool, err error) {
	es, ok := c.intsN(i, 1)
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

// mixedInts returns the elements of the inputs from lo to hi one after the
// other, when at least one of them is known; others become symbols.
func (c *Shaper) mixedInts(lo, hi int) ([]*sym.Expr, bool) {
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

// keep passes on the values of input j to output i, which has the same elements
// in the same order and whose shape Set has stated.
func (c *Shaper) keep(i, j int) {
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

// sameDim joins two dimensions that must be equal, preferring the constant;
// InvalidArgument when they are known to differ.
func sameDim(a, b *sym.Expr, what string) (*sym.Expr, error) {
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

// dimSet copies dims with dimension k replaced.
func dimSet(dims []*sym.Expr, k int, e *sym.Expr) []*sym.Expr {
	r := append([]*sym.Expr(nil), dims...)
	r[k] = e
	return r
}
