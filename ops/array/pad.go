package array

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// padDefs surround a tensor with margins.
var padDefs = []*lower.Def{
	{Name: "Pad", Traits: lower.KeepsDigits | lower.Fills, Types: kit.Moves, Shape: PadShape, Lower: padLower},
	{Name: "PadV2", Traits: lower.KeepsDigits | lower.Fills, Types: kit.Moves, Shape: PadShape, Lower: padLower},
	{Name: "MirrorPad", Traits: lower.KeepsDigits, Types: kit.Moves, Shape: PadShape, Lower: mirrorPadLower},
	{Name: "MirrorPadGrad", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: mirrorPadGradShape, Lower: mirrorPadGradLower},
}

// Margins returns how many elements to add before and after each axis. Each row of input 1 holds
// the two numbers for one axis. The third result is true if the numbers are known only at run time.
func Margins(c *lower.Shaper, rank int) (before, after []*sym.Expr, late bool, err error) {
	p := c.Shape(1)
	if p.Known {
		if len(p.Dims) != 2 {
			return nil, nil, false, tensor.Errorf(tensor.InvalidArgument, "paddings must have the shape [%d,2], not %v", rank, p)
		}
		n, nok := p.Dims[0].IsInt()
		m, mok := p.Dims[1].IsInt()
		if nok && n != rank || mok && m != 2 {
			return nil, nil, false, tensor.Errorf(tensor.InvalidArgument, "paddings must have the shape [%d,2], not %v", rank, p)
		}
	}
	return marginsOf(c, 1, rank, func(x, y, k int) error {
		return tensor.Errorf(tensor.InvalidArgument, "paddings must be non-negative: %d and %d for axis %d", x, y, k)
	})
}

// marginsOf returns the elements of input at, which has n rows of two margins. A margin that is unknown, or that might
// be negative, is a symbol whose value the lowering reads; then the third result is true. The function negative makes
// the error for the margins x and y of row k of which one is negative.
func marginsOf(c *lower.Shaper, at, n int, negative func(x, y, k int) error) (before, after []*sym.Expr, late bool, err error) {
	es, ok := c.Elements(at)
	ok = ok && len(es) == 2*n
	_, static := c.Shape(at).Static()
	late = !ok || !static // then the lowering checks the shape
	margin := func(i int) *sym.Expr {
		if ok && es[i].NonNegative() {
			return es[i]
		}
		late = true
		return lateMargin(c, i)
	}
	for k := range n {
		if ok {
			x, ok1 := es[2*k].IsInt()
			y, ok2 := es[2*k+1].IsInt()
			if ok1 && ok2 && (x < 0 || y < 0) {
				err = negative(x, y, k)
			} else if ok1 && ok2 {
				err = marginsFit(x, y)
			}
			if err != nil {
				return nil, nil, false, err
			}
		}
		before, after = append(before, margin(2*k)), append(after, margin(2*k+1))
	}
	return before, after, late, nil
}

// lateMargin returns the symbol for element i of the margins.
func lateMargin(c *lower.Shaper, i int) *sym.Expr { return c.NewSizeK(0, lower.ExtraSize+i) }

// bindMargins appends the check that input at, called what, has a row of two margins for each axis. It also appends
// the steps that read those margins that lateMargin made from this input.
func bindMargins(b *lower.Builder, at int, what string, before, after []*sym.Expr) {
	for i, want := range []int{len(before), 2} {
		if d := b.InShape(at)[i]; !d.Is(want) {
			b.Check(shape.Equal, d, want, "the shape of "+what)
		}
	}
	for k := range before {
		for j, e := range []*sym.Expr{before[k], after[k]} {
			if !e.Equal(lateMargin(b.Shaper(), 2*k+j)) {
				continue
			}
			fn := any(array.Pick32)
			if b.InFact(at).DType == tensor.Int64 {
				fn = array.Pick64
			}
			b.CallSizes(fn, []*sym.Expr{e}, b.In(at), 2*k+j)
		}
	}
}

// marginsFit returns InvalidArgument if the sum of two paddings and a dimension may overflow. The
// paddings must not be negative.
func marginsFit(before, after int) error {
	if before > math.MaxInt/2-after {
		return tensor.Errorf(tensor.InvalidArgument, "paddings of %d and %d overflow a dimension", before, after)
	}
	return nil
}

// BindMargins returns how many elements to add before and after each axis, as Margins does. For
// numbers known only at run time, it appends the steps that read them from input 1.
func BindMargins(b *lower.Builder, rank int) (before, after []*sym.Expr, err error) {
	before, after, late, err := Margins(b.Shaper(), rank)
	if err != nil || !late {
		return before, after, err
	}
	bindMargins(b, 1, "paddings", before, after)
	return before, after, nil
}

// PadShape infers the result of Pad, PadV2 and MirrorPad. Input 1, the paddings, has the shape
// [rank, 2].
func PadShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	before, after, _, err := Margins(c, len(x.Dims))
	if err != nil {
		return err
	}
	if c.Node.Op == "PadV2" {
		if s := c.Shape(2); s.Rank() > 0 {
			return tensor.Errorf(tensor.InvalidArgument, "constant_values must be a scalar, not of the shape %v", s)
		}
	}
	dims := make([]*sym.Expr, len(x.Dims))
	for k, d := range x.Dims {
		dims[k] = d.Add(before[k]).Add(after[k])
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	return nil
}

func padLower(b *lower.Builder) error {
	dims := b.InShape(0)
	before, after, err := BindMargins(b, len(dims))
	if err != nil {
		return err
	}
	d := b.InFact(0).DType
	fn, err := bytype.ArrayPad.Get(d)
	if err != nil {
		return err
	}
	if len(dims) > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "padding over %d axes; at most %d are supported", len(dims), array.MaxRank)
	}
	none := true
	for k := range dims {
		none = none && before[k].Is(0) && after[k].Is(0)
	}
	if none {
		b.Alias(0, 0)
		return nil
	}
	p := plan.Lit(kit.ParamsOf(fn))
	if b.NumIn() > 2 {
		p = p.With("Value", b.In(2))
	}
	if padLoop(b, fn, dims, before, after) {
		l, row := padRows(b, dims)
		l.Call(fn, lower.Rows(b.Out(0), row), lower.Rows(b.In(0), sym.Product(dims[1:])), chunk(dims), before, after, p)
		return nil
	}
	b.Call(fn, b.Out(0), b.In(0), dims, before, after, p)
	return nil
}

// None returns a view without elements.
func None(b *lower.Builder, d tensor.DType) plan.View {
	t := &tensor.Tensor{DType: d, Shape: tensor.Shape{0}, Data: tensor.MakeSlice(d, 0)}
	return b.Const("", t)
}

// mirror returns 1 for REFLECT, which does not repeat the border itself, and 0 for SYMMETRIC.
func mirror(n *ir.Node) (int, error) {
	switch m := n.Str("mode"); m {
	case "REFLECT":
		return 1, nil
	case "SYMMETRIC":
		return 0, nil
	default:
		return 0, tensor.Errorf(tensor.InvalidArgument, "mode must be either REFLECT or SYMMETRIC, not %q", m)
	}
}

func mirrorPadLower(b *lower.Builder) error {
	before, after, err := BindMargins(b, len(b.InShape(0)))
	if err != nil {
		return err
	}
	return MirrorPad(b, before, after)
}

// MirrorPad appends the call that pads input 0 with mirrored elements.
func MirrorPad(b *lower.Builder, before, after []*sym.Expr) error {
	dims := b.InShape(0)
	off, err := mirror(b.Node)
	if err != nil {
		return err
	}
	fn, err := bytype.ArrayMirrorPad.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	if len(dims) > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "padding over %d axes; at most %d are supported", len(dims), array.MaxRank)
	}
	b.Check(array.MirrorFits, dims, before, after, off)
	if padLoop(b, fn, dims, before, after) {
		l, row := padRows(b, dims)
		l.Call(fn, lower.Rows(b.Out(0), row), lower.Rows(b.In(0), sym.Product(dims[1:])), chunk(dims), before, after, off)
		return nil
	}
	b.Call(fn, b.Out(0), b.In(0), dims, before, after, off)
	return nil
}

// padLoop reports whether padding can be a loop over the first axis, which must have no margins.
func padLoop(b *lower.Builder, fn any, dims, before, after []*sym.Expr) bool {
	return len(dims) > 1 && before[0].Is(0) && after[0].Is(0) && !dims[0].Is(1) && lower.Loopable(fn, b.OutFact(0).DType)
}

// padRows begins the loop over the first axis; see padLoop. row is the number of elements that one
// item of the loop writes.
func padRows(b *lower.Builder, dims []*sym.Expr) (l *lower.Loop, row *sym.Expr) {
	row = sym.Product(b.OutShape(0)[1:])
	return b.Par(dims[0], lower.RowSplit(row, lower.CostCheap)), row
}

// chunk returns dims with the first dimension replaced by the number of rows in a chunk of the
// loop.
func chunk(dims []*sym.Expr) []*sym.Expr { return kit.DimSet(dims, 0, plan.Count) }

// mirrorPadGradShape infers the result of MirrorPadGrad, which removes the margins of a padded
// gradient. The gradients of the margins are added to the gradients of those elements that the
// margins mirror.
func mirrorPadGradShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	before, after, _, err := Margins(c, len(x.Dims))
	if err != nil {
		return err
	}
	dims := make([]*sym.Expr, len(x.Dims))
	for k, d := range x.Dims {
		dims[k] = d.Sub(before[k]).Sub(after[k])
		if v, ok := dims[k].IsInt(); ok && v < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "paddings of axis %d exceed the dimension %v", k, d)
		}
		if !dims[k].NonNegative() {
			dims[k] = sym.Max(dims[k], sym.Zero)
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	return nil
}

func mirrorPadGradLower(b *lower.Builder) error {
	dims := b.OutShape(0)
	before, after, err := BindMargins(b, len(dims))
	if err != nil {
		return err
	}
	off, err := mirror(b.Node)
	if err != nil {
		return err
	}
	fn, err := bytype.ArrayMirrorPadGrad.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	if len(dims) > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "padding over %d axes; at most %d are supported", len(dims), array.MaxRank)
	}
	for k, d := range b.InShape(0) {
		b.Check(shape.AtLeast, d, before[k].Add(after[k]).AddInt(1), "a padded dimension")
	}
	b.Check(array.MirrorFits, dims, before, after, off)
	b.Call(fn, b.Out(0), b.In(0), dims, before, after, off)
	return nil
}
