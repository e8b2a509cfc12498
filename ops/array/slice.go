package array

import (
	"math"
	"math/bits"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// sliceDefs copy boxes out of a tensor. A contiguous slice shares the input's storage.
var sliceDefs = []*lower.Def{
	{Name: "StridedSlice", Traits: lower.Picks | lower.KeepsDigits, Types: kit.Moves, Shape: stridedSliceShape, Lower: stridedSliceLower},
	{Name: "Slice", Traits: lower.Picks | lower.KeepsDigits, Types: kit.Moves, Shape: sliceShape, Lower: sliceLower},
}

// cut is the part of one input axis that is in a slice: the n elements with the indices
// first + k·step, for k from 0 to n-1.
type cut struct {
	first, n, step *sym.Expr
	drop           bool // whether the axis is removed
	// stride is the stride of a removed axis, if it is known only at run time and must be checked
	// then. Otherwise it is nil.
	stride *sym.Expr
	check  *sym.Expr
	// If late is set, the cut is computed at run time from the following fields.
	late       bool
	begin, end *sym.Expr
	flags      array.SliceFlags
}

// slicePlan describes a StridedSlice. cuts has an element for each input axis. out holds, for each
// axis of the result, the number of the input axis, or -1 for a new axis.
type slicePlan struct {
	cuts []cut
	out  []int
}

func (p *slicePlan) shape() ir.Shape {
	dims := make([]*sym.Expr, len(p.out))
	for i, k := range p.out {
		dims[i] = sym.One
		if k >= 0 {
			dims[i] = p.cuts[k].n
		}
	}
	return ir.ShapeOf(dims...)
}

// box returns the box of elements that the slice copies from a tensor with the given dimensions.
func (p *slicePlan) box(in []*sym.Expr) *kit.Box {
	x := kit.NewBox()
	src, dst := kit.Strides(in), kit.Strides(p.shape().Dims)
	for k, c := range p.cuts {
		x.SrcOff = x.SrcOff.Add(c.first.Mul(src[k]))
	}
	for i, k := range p.out {
		if k >= 0 {
			x.Add(p.cuts[k].n, dst[i], src[k].Mul(p.cuts[k].step))
		}
	}
	return x
}

// OneEllipsis rejects slices with more than one ellipsis.
func OneEllipsis(c *lower.Shaper) error {
	if m := c.Node.Int("ellipsis_mask"); m&(m-1) != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "several ellipses in a slice are not allowed")
	}
	return nil
}

// planStrided applies StridedSlice's masks to begin, end and strides, which are three inputs
// beginning with input lo. It returns nil without an error if the shape is unknown.
func planStrided(c *lower.Shaper, dims []*sym.Expr, lo int) (*slicePlan, error) {
	for i := lo; i < lo+3; i++ {
		if s := c.Shape(i); s.Known && len(s.Dims) != 1 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "begin, end and strides must be vectors, not of the shape %v", s)
		}
	}
	if err := OneEllipsis(c); err != nil {
		return nil, err
	}
	n := spread(c, lo, len(dims))
	begin, ok1 := kit.IntsN(c, lo, n)
	end, ok2 := kit.IntsN(c, lo+1, n)
	step, ok3 := kit.IntsN(c, lo+2, n)
	if !ok1 || !ok2 || !ok3 {
		return nil, nil
	}
	if len(begin) != len(end) || len(begin) != len(step) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "begin, end and strides have %d, %d and %d elements", len(begin), len(end), len(step))
	}
	bit := func(name string, i int) bool { return i < 32 && c.Node.Int(name)>>i&1 != 0 }
	ellipsis, used := -1, 0
	for i := range begin {
		switch {
		case bit("ellipsis_mask", i):
			if ellipsis >= 0 {
				return nil, tensor.Errorf(tensor.InvalidArgument, "several ellipses in a slice are not allowed")
			}
			ellipsis = i
		case !bit("new_axis_mask", i):
			used++
		}
	}
	if used > len(dims) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "a slice of %d axes of a tensor of rank %d", used, len(dims))
	}
	p := &slicePlan{cuts: make([]cut, len(dims))}
	k := 0
	whole := func(n int) {
		for range n {
			p.cuts[k] = cut{first: sym.Zero, n: dims[k], step: sym.One}
			p.out = append(p.out, k)
			k++
		}
	}
	for i := range begin {
		switch {
		case i == ellipsis:
			whole(len(dims) - used)
			continue
		case bit("new_axis_mask", i):
			p.out = append(p.out, -1)
			continue
		}
		var err error
		if bit("shrink_axis_mask", i) {
			p.cuts[k], err = indexCut(c, begin[i], step[i], dims[k], k)
		} else {
			f := array.SliceFlags{NoBegin: bit("begin_mask", i), NoEnd: bit("end_mask", i)}
			p.cuts[k], err = rangeCut(c, begin[i], end[i], step[i], dims[k], k, f)
			p.out = append(p.out, k)
		}
		if err != nil {
			return nil, err
		}
		k++
	}
	whole(len(dims) - k)
	return p, nil
}

// spread returns the common length of the inputs begin, end and strides. If none of them has a
// known length, spread assumes a length, and a run with another length fails.
//
// The assumed length is at least the number of entries up to the last one that is set in a mask.
// Without an ellipsis, it is also at least the number of axes of the input plus the number of new
// axes. The parameter rank is the number of axes of the input.
func spread(c *lower.Shaper, lo, rank int) int {
	for i := lo; i < lo+3; i++ {
		if s := c.Shape(i); s.Rank() == 1 {
			if n, ok := s.Dims[0].IsInt(); ok {
				return n
			}
		}
	}
	last := 0
	for _, mask := range []string{"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"} {
		last = max(last, bits.Len32(uint32(c.Node.Int(mask))))
	}
	if c.Node.Int("ellipsis_mask") != 0 {
		return last
	}
	return max(last, rank+bits.OnesCount32(uint32(c.Node.Int("new_axis_mask"))))
}

// indexCut returns the cut for index i of axis k. The axis is removed from the result.
func indexCut(c *lower.Shaper, i, step, d *sym.Expr, k int) (cut, error) {
	r := cut{n: sym.One, step: sym.One, drop: true}
	if s, ok := step.IsInt(); ok && s <= 0 {
		return r, tensor.Errorf(tensor.InvalidArgument, "only a positive stride is allowed with a single index, not %d", s)
	}
	if _, static := step.IsInt(); !static {
		r.stride = step
	}
	v, known := i.IsInt()
	size, sized := d.IsInt()
	switch {
	case known && sized:
		if v < -size || v >= size {
			return r, tensor.Errorf(tensor.InvalidArgument, "slice index %d of dimension %d out of bounds", v, k)
		}
		if v < 0 {
			v += size
		}
		r.first = sym.Int(v)
	case known && v < 0:
		r.first, r.check = d.AddInt(v), i
	case known || !lower.MayBeNegative(i):
		r.first, r.check = i, i
	default:
		r.first, r.late, r.begin = c.NewSizeK(0, 2*k), true, i
	}
	return r, nil
}

// rangeCut returns the cut begin:end:step of axis k.
func rangeCut(c *lower.Shaper, begin, end, step, d *sym.Expr, k int, f array.SliceFlags) (cut, error) {
	if b, ok := begin.IsInt(); ok && b <= math.MinInt32 {
		f.NoBegin = true
	}
	s, static := step.IsInt()
	if static && s == 0 {
		return cut{}, tensor.Errorf(tensor.InvalidArgument, "strides[%d] must not be 0", k)
	}
	if e, ok := end.IsInt(); ok && (s > 0 && e >= math.MaxInt32 || s < 0 && e <= math.MinInt32) {
		f.NoEnd = true
	}
	if !static || !f.NoBegin && lower.MayBeNegative(begin) || !f.NoEnd && lower.MayBeNegative(end) {
		return cut{first: c.NewSizeK(0, 2*k), n: c.NewSizeK(0, 2*k+1), step: step, late: true, begin: begin, end: end, flags: f}, nil
	}
	wrap := func(e *sym.Expr) (*sym.Expr, bool) {
		if v, ok := e.IsInt(); ok && v < 0 {
			return d.AddInt(v), true
		}
		return e, false
	}
	b, bneg := wrap(begin)
	e, eneg := wrap(end)
	var n *sym.Expr
	if s > 0 {
		switch {
		case f.NoBegin:
			b = sym.Zero
		case bneg:
			b = sym.Max(b, sym.Zero)
		}
		switch {
		case f.NoEnd:
			e = d
		case !eneg:
			e = sym.Min(e, d)
		}
		n = e.Sub(b).CeilDiv(sym.Int(s))
	} else {
		switch {
		case f.NoBegin:
			b = d.AddInt(-1)
		case !bneg:
			b = sym.Min(b, d.AddInt(-1))
		}
		switch {
		case f.NoEnd:
			e = sym.Int(-1)
		case eneg:
			e = sym.Max(e, sym.Int(-1))
		}
		n = b.Sub(e).CeilDiv(sym.Int(-s))
	}
	if !n.NonNegative() {
		n = sym.Max(n, sym.Zero)
	}
	return cut{first: b, n: n, step: step}, nil
}

func stridedSliceShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	p, err := planStrided(c, x.Dims, 1)
	if err != nil {
		return err
	}
	if p == nil {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	c.Set(0, c.In(0).DType, p.shape())
	sliceInts(c, p)
	return nil
}

// sliceInts infers the elements of a slice of a vector or matrix of known integers.
func sliceInts(c *lower.Shaper, p *slicePlan) {
	es, ok := c.Elements(0)
	if !ok || len(p.cuts) != len(c.Shape(0).Dims) || len(p.cuts) > 2 || len(p.out) > 2 {
		return
	}
	at := []int{0} // the elements of the slice, as far as the axes so far determine them
	for k, cut := range p.cuts {
		first, ok1 := cut.first.IsInt()
		n, ok2 := cut.n.IsInt()
		step, ok3 := cut.step.IsInt()
		size, ok4 := c.Shape(0).Dims[k].IsInt()
		if !ok1 || !ok2 || !ok3 || !ok4 && len(p.cuts) > 1 {
			return
		}
		var next []int
		for _, i := range at {
			for j := range n {
				next = append(next, i*size+first+j*step)
			}
		}
		at = next
	}
	out := make([]*sym.Expr, len(at))
	for i, k := range at {
		out[i] = es[k]
	}
	c.SetInts(0, out)
}

func stridedSliceLower(b *lower.Builder) error {
	p, err := planStrided(b.Shaper(), b.InShape(0), 1)
	if err != nil {
		return err
	}
	checkSpread(b, 1, len(b.InShape(0)))
	return slice(b, p)
}

// checkSpread checks that begin, end and strides have the same length.
func checkSpread(b *lower.Builder, lo, rank int) {
	n := spread(b.Shaper(), lo, rank)
	for i := lo; i < lo+3; i++ {
		kit.CheckLen(b, i, n)
	}
}

// bindCuts binds the cuts' values known only at run time and adds the necessary checks.
func bindCuts(b *lower.Builder, p *slicePlan, dims []*sym.Expr) {
	for k := range p.cuts {
		c := &p.cuts[k]
		if c.stride != nil {
			b.Check(shape.AtLeast, c.stride, 1, "the stride of a single index")
		}
		switch {
		case c.late && c.drop:
			b.CallSizes(array.Index, []*sym.Expr{c.first}, c.begin, dims[k])
		case c.late:
			b.CallSizes(array.SliceRange, []*sym.Expr{c.first, c.n}, c.begin, c.end, c.step, dims[k], c.flags)
		case c.check != nil:
			b.Check(array.IndexOK, c.check, dims[k])
		}
	}
}

// slice appends the copy of a slice of input 0 to output 0.
func slice(b *lower.Builder, p *slicePlan) error {
	dims := b.InShape(0)
	bindCuts(b, p, dims)
	return cutBox(b, 0, 0, p.box(dims))
}

// cutBox sets output i to the box x of input j. A contiguous box shares the input's storage.
func cutBox(b *lower.Builder, i, j int, x *kit.Box) error {
	x.Simplify()
	if x.Contiguous() {
		if x.SrcOff.Is(0) {
			b.Alias(i, j)
			return nil
		}
		off := sym.Min(x.SrcOff, b.InLen(j))
		if left, ok := b.InLen(j).Sub(off).Sub(b.OutLen(i)).IsInt(); ok && left < 0 {
			return kit.FillZero(b, b.Out(i)) // never executed: the checks before it fail every run
		}
		if b.OutFact(i).DType != tensor.String {
			b.AliasAt(i, j, off)
			return nil
		}
	}
	return kit.Move(b, b.Dest(i), b.Source(j), x)
}

// planSlice interprets Slice(input, begin, size); size -1 means the rest of the axis.
func planSlice(c *lower.Shaper) (*slicePlan, error) {
	x := c.Shape(0)
	if !x.Known {
		return nil, nil
	}
	begin, ok1 := kit.IntsN(c, 1, len(x.Dims))
	size, ok2 := kit.IntsN(c, 2, len(x.Dims))
	for i := 1; i <= 2; i++ {
		if s := c.Shape(i); s.Known && len(s.Dims) != 1 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "begin and size of a slice must be vectors, not of the shape %v", s)
		}
		es, ok := c.Ints(i)
		if ok && (len(es) != len(x.Dims) || c.Shape(i).Rank() != 1) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "begin and size of a slice of %v need %d elements each", x, len(x.Dims))
		}
	}
	p := &slicePlan{cuts: make([]cut, len(x.Dims))}
	for k, d := range x.Dims {
		p.out = append(p.out, k)
		if !ok1 || !ok2 {
			return nil, nil
		}
		r := &p.cuts[k]
		r.step, r.begin, r.end = sym.One, begin[k], size[k]
		b, bok := begin[k].IsInt()
		n, nok := size[k].IsInt()
		switch {
		case nok && n == -1 && !lower.MayBeNegative(begin[k]):
			r.first, r.n = begin[k], d.Sub(begin[k])
			if r.n.NonNegative() && bok && b >= 0 {
				break
			}
			if v, ok := r.n.IsInt(); ok && v < 0 || bok && b < 0 {
				return nil, tensor.Errorf(tensor.InvalidArgument, "a slice begins at %v of a dimension of %v", begin[k], d)
			}
			r.check, r.n = r.n, sym.Max(r.n, sym.Zero)
		case nok && n < -1, bok && b < 0:
			return nil, tensor.Errorf(tensor.InvalidArgument, "a slice of %v from %v on is outside a dimension of %v", size[k], begin[k], d)
		case lower.MayBeNegative(begin[k]) || lower.MayBeNegative(size[k]):
			r.first, r.n, r.late = c.NewSizeK(0, 2*k), c.NewSizeK(0, 2*k+1), true
			if nok && n >= 0 {
				r.n = size[k]
			}
		default:
			r.first, r.n = begin[k], size[k]
			left := d.Sub(begin[k]).Sub(size[k])
			if v, ok := left.IsInt(); ok && v < 0 {
				return nil, tensor.Errorf(tensor.InvalidArgument, "a slice of %v from %v on is outside a dimension of %v", size[k], begin[k], d)
			}
			if !left.NonNegative() {
				r.check = size[k]
			}
		}
	}
	return p, nil
}

func sliceShape(c *lower.Shaper) error {
	p, err := planSlice(c)
	if err != nil {
		return err
	}
	if p != nil {
		c.Set(0, c.In(0).DType, p.shape())
		sliceInts(c, p)
		return nil
	}
	if x := c.Shape(0); x.Known {
		return tensor.Errorf(tensor.Unimplemented, "begin and size of a slice must be vectors of known length")
	}
	if size, ok := c.Ints(2); ok {
		dims := make([]*sym.Expr, len(size))
		for k, e := range size {
			dims[k] = e
			if !e.NonNegative() {
				dims[k] = c.NewSizeK(0, 2*k+1)
			}
		}
		c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
		return nil
	}
	c.UnknownShape(0, c.In(0).DType)
	return nil
}

func sliceLower(b *lower.Builder) error {
	p, err := planSlice(b.Shaper())
	if err != nil {
		return err
	}
	if p == nil {
		return lower.UnknownRank(b.Node.Ins[0].Node, b.Node.Ins[0].Index)
	}
	bindSlice(b, p)
	return cutBox(b, 0, 0, p.box(b.InShape(0)))
}

// bindSlice binds a Slice's values known only at run time and adds the necessary checks.
func bindSlice(b *lower.Builder, p *slicePlan) {
	dims := b.InShape(0)
	kit.CheckLen(b, 1, len(dims))
	kit.CheckLen(b, 2, len(dims))
	for k := range p.cuts {
		c := &p.cuts[k]
		switch {
		case c.late:
			b.CallSizes(array.Slice, []*sym.Expr{c.first, b.NewSizeK(0, 2*k+1)}, c.begin, c.end, dims[k])
		case c.check != nil:
			b.Check(array.Within, c.first, c.check, dims[k])
		}
	}
}
