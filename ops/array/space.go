package array

import (
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

// spaceDefs move elements between the space axes and the depth or batch axis.
var spaceDefs = []*lower.Def{
	{Name: "DepthToSpace", Traits: lower.Permutes | lower.Picks, Types: kit.Moves, Shape: depthToSpaceShape, Lower: depthToSpaceLower, Limits: "data_format NCHW_VECT_C"},
	{Name: "SpaceToDepth", Traits: lower.Permutes | lower.Picks, Types: kit.Moves, Shape: spaceToDepthShape, Lower: spaceToDepthLower, Limits: "data_format NCHW_VECT_C"},
	{Name: "SpaceToBatchND", Types: kit.Moves, Shape: spaceToBatchShape, Lower: spaceToBatchLower},
	{Name: "SpaceToBatch", Types: kit.Moves, Shape: spaceToBatchShape, Lower: spaceToBatchLower},
	{Name: "BatchToSpaceND", Types: kit.Moves, Shape: batchToSpaceShape, Lower: batchToSpaceLower},
	{Name: "BatchToSpace", Types: kit.Moves, Shape: batchToSpaceShape, Lower: batchToSpaceLower},
}

// imageAxes returns the positions of height, width and channels.
func imageAxes(n *ir.Node) (h, w, ch int, err error) {
	switch f := n.Str("data_format"); f {
	case "", "NHWC":
		return 1, 2, 3, nil
	case "NCHW":
		return 2, 3, 1, nil
	default:
		return 0, 0, 0, tensor.Errorf(tensor.Unimplemented, "data_format %s", f)
	}
}

// blockSize returns attribute block_size.
func blockSize(n *ir.Node) (int, error) {
	b := n.Int("block_size")
	if b < 2 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Block size should be > 1, but was: %d", b)
	}
	if b > 1<<15 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "block_size %d is too large", b)
	}
	return b, nil
}

// divide returns e/n, or InvalidArgument if e is known not to be a multiple of n.
func divide(e *sym.Expr, n int, what string) (*sym.Expr, error) {
	if v, ok := e.IsInt(); ok && v%n != 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s %d is not divisible by %d", what, v, n)
	}
	return e.Div(sym.Int(n)), nil
}

// checkDivides adds a run-time check unless e is known to be a multiple of n.
func checkDivides(b *lower.Builder, e *sym.Expr, n int, what string) {
	if !e.Mod(sym.Int(n)).Is(0) {
		b.Check(array.Divides, n, e, what)
	}
}

func depthToSpaceShape(c *lower.Shaper) error {
	h, w, ch, err := imageAxes(c.Node)
	if err != nil {
		return err
	}
	bs, err := blockSize(c.Node)
	if err != nil {
		return err
	}
	x, err := c.WithRank(0, 4)
	if err != nil || !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return err
	}
	dims := append([]*sym.Expr{}, x.Dims...)
	dims[h], dims[w] = dims[h].MulInt(bs), dims[w].MulInt(bs)
	if dims[ch], err = divide(dims[ch], bs*bs, "the depth"); err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	return nil
}

func depthToSpaceLower(b *lower.Builder) error {
	h, w, ch, _ := imageAxes(b.Node)
	bs, _ := blockSize(b.Node)
	in, out := b.InShape(0), b.OutShape(0)
	checkDivides(b, in[ch], bs*bs, "the depth")
	src, dst := kit.Strides(in), kit.Strides(out)
	// Channel (bh·bs + bw)·depth + d of the input's pixel (y, x) becomes channel d of the output's
	// pixel (y·bs+bh, x·bs+bw); depth is the output's number of channels.
	return kit.Move(b, b.Out(0), b.In(0), blockMove(in[0], in[h], in[w], out[ch], bs, dst, src, h, w, ch))
}

// blockMove returns the box that copies an image [n, y, x, bs·bs·d] to an image [n, y·bs, x·bs, d].
// The arguments wide and deep hold the strides of the destination and of the source. h, w and ch are
// the positions of the height, width and depth axes in the strides.
func blockMove(n, y, x, d *sym.Expr, bs int, wide, deep []*sym.Expr, h, w, ch int) *kit.Box {
	m, s := kit.NewBox(), sym.Int(bs)
	m.Add(n, wide[0], deep[0])
	if ch == 1 {
		m.Add(d, wide[ch], deep[ch])
	}
	m.Add(y, wide[h].Mul(s), deep[h])
	m.Add(s, wide[h], deep[ch].Mul(d).Mul(s))
	m.Add(x, wide[w].Mul(s), deep[w])
	m.Add(s, wide[w], deep[ch].Mul(d))
	if ch != 1 {
		m.Add(d, wide[ch], deep[ch])
	}
	return m
}

func spaceToDepthShape(c *lower.Shaper) error {
	h, w, ch, err := imageAxes(c.Node)
	if err != nil {
		return err
	}
	bs, err := blockSize(c.Node)
	if err != nil {
		return err
	}
	x, err := c.WithRank(0, 4)
	if err != nil || !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return err
	}
	dims := append([]*sym.Expr{}, x.Dims...)
	for _, k := range []int{h, w} {
		if dims[k], err = divide(dims[k], bs, "an image dimension"); err != nil {
			return err
		}
	}
	dims[ch] = dims[ch].MulInt(bs * bs)
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	return nil
}

func spaceToDepthLower(b *lower.Builder) error {
	h, w, ch, _ := imageAxes(b.Node)
	bs, _ := blockSize(b.Node)
	in, out := b.InShape(0), b.OutShape(0)
	checkDivides(b, in[h], bs, "an image dimension")
	checkDivides(b, in[w], bs, "an image dimension")
	m := blockMove(out[0], out[h], out[w], in[ch], bs, kit.Strides(in), kit.Strides(out), h, w, ch)
	m.Dst, m.Src = m.Src, m.Dst
	return kit.Move(b, b.Out(0), b.In(0), m)
}

// blocking describes a SpaceToBatch or BatchToSpace. For each space axis, it has the size of a
// block, and the margins before and after the axis. The margins are the paddings or the crops.
type blocking struct {
	block, given, before, after []*sym.Expr
	margins                     int // number of the input that holds the margins
	late                        bool
}

// planBlocking reads the inputs and attributes. It returns nil without an error if the number of
// space axes is unknown.
func planBlocking(c *lower.Shaper) (*blocking, error) {
	p := &blocking{margins: 1}
	if _, v1 := c.Node.Attrs["block_size"]; v1 {
		bs, err := blockSize(c.Node)
		if err != nil {
			return nil, err
		}
		p.block = []*sym.Expr{sym.Int(bs), sym.Int(bs)}
		if x := c.Shape(0); x.Known && len(x.Dims) != 4 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "input rank should be 4, not that of %v", x)
		}
	} else {
		p.margins = 2
		if s := c.Shape(1); s.Known && len(s.Dims) != 1 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "block_shape must be a vector, not of the shape %v", s)
		}
		es, ok := c.Ints(1)
		if !ok {
			return nil, nil
		}
		p.given = es
		p.block = make([]*sym.Expr, len(es))
		for k, e := range es {
			v, static := e.IsInt()
			if static && v < 1 {
				return nil, tensor.Errorf(tensor.InvalidArgument, "All values in block_shape must be positive, got value, %d", v)
			}
			if p.block[k] = e; !static {
				p.block[k] = c.NewSizeK(0, 2*lower.ExtraSize+k)
			}
		}
	}
	m := len(p.block)
	if x := c.Shape(0); x.Known && len(x.Dims) < m+1 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "input rank should be >= %d instead of %d", m+1, len(x.Dims))
	}
	ms := c.Shape(p.margins)
	if s, ok := ms.Static(); ok && (len(s) != 2 || s[0] != m || s[1] != 2) || ms.Known && len(ms.Dims) != 2 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "paddings or crops should have the shape [%d,2], not %v", m, ms)
	}
	var err error
	p.before, p.after, p.late, err = marginsOf(c, p.margins, m, func(x, y, _ int) error {
		return tensor.Errorf(tensor.InvalidArgument, "paddings and crops must be non-negative: %d and %d", x, y)
	})
	return p, err
}

// bind appends the steps that bind and check those block sizes and margins that are known only at
// run time.
func (p *blocking) bind(b *lower.Builder) {
	for k, e := range p.given {
		if _, static := e.IsInt(); !static {
			b.CallSizes(array.Positive, []*sym.Expr{p.block[k]}, e, "an element of block_shape")
		}
	}
	if p.late {
		bindMargins(b, p.margins, "paddings or crops", p.before, p.after)
	}
}

// quotient returns e/f, or InvalidArgument if e is known not to be a multiple of f. If that is
// unknown at compile time, the lowering adds a check.
func quotient(e, f *sym.Expr, what string) (*sym.Expr, error) {
	v, vok := e.IsInt()
	w, wok := f.IsInt()
	if vok && wok && v%w != 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s %d is not divisible by %d", what, v, w)
	}
	return e.Div(f), nil
}

func spaceToBatchShape(c *lower.Shaper) error {
	p, err := planBlocking(c)
	if err != nil {
		return err
	}
	x := c.Shape(0)
	if p == nil || !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	dims := append([]*sym.Expr{}, x.Dims...)
	dims[0] = dims[0].Mul(sym.Product(p.block))
	for k, bl := range p.block {
		if dims[k+1], err = quotient(dims[k+1].Add(p.before[k]).Add(p.after[k]), bl, "a padded dimension"); err != nil {
			return err
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	return nil
}

func spaceToBatchLower(b *lower.Builder) error {
	p, err := planBlocking(b.Shaper())
	if err != nil {
		return err
	}
	p.bind(b)
	in, out, m := b.InShape(0), b.OutShape(0), len(p.block)
	for k, bl := range p.block {
		if e := in[k+1].Add(p.before[k]).Add(p.after[k]); !e.Mod(bl).Is(0) {
			b.Check(array.Divides, bl, e, "a padded dimension")
		}
	}
	fn, err := bytype.ArraySpaceToBatch.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	if m+2 > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "blocks of %d axes; at most %d are supported", m, array.MaxRank-2)
	}
	b.Call(fn, b.Out(0), b.In(0), p.block, in[1:m+1], out[1:m+1], p.before,
		plan.Lit(array.BlockParams{}, "Batch", in[0], "Inner", sym.Product(in[m+1:])))
	return nil
}

func batchToSpaceShape(c *lower.Shaper) error {
	p, err := planBlocking(c)
	if err != nil {
		return err
	}
	x := c.Shape(0)
	if p == nil || !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	dims := append([]*sym.Expr{}, x.Dims...)
	if dims[0], err = quotient(dims[0], sym.Product(p.block), "the batch"); err != nil {
		return err
	}
	for k, bl := range p.block {
		e := dims[k+1].Mul(bl).Sub(p.before[k]).Sub(p.after[k])
		if v, ok := e.IsInt(); ok && v < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "crops of axis %d exceed its size", k+1)
		}
		if !e.NonNegative() {
			e = sym.Max(e, sym.Zero)
		}
		dims[k+1] = e
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	return nil
}

func batchToSpaceLower(b *lower.Builder) error {
	p, err := planBlocking(b.Shaper())
	if err != nil {
		return err
	}
	p.bind(b)
	in, out, m := b.InShape(0), b.OutShape(0), len(p.block)
	checkCrops(b, p)
	fn, err := bytype.ArrayBatchToSpace.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	if m+2 > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "blocks of %d axes; at most %d are supported", m, array.MaxRank-2)
	}
	b.Call(fn, b.Out(0), b.In(0), p.block, out[1:m+1], in[1:m+1], p.before,
		plan.Lit(array.BlockParams{}, "Batch", out[0], "Inner", sym.Product(in[m+1:])))
	return nil
}

// checkCrops checks that the blocks divide the batch, and that crops are not larger than
// dimensions.
func checkCrops(b *lower.Builder, p *blocking) {
	in := b.InShape(0)
	if all := sym.Product(p.block); !in[0].Mod(all).Is(0) {
		b.Check(array.Divides, all, in[0], "the batch")
	}
	for k, bl := range p.block {
		if e := in[k+1].Mul(bl).Sub(p.before[k]).Sub(p.after[k]); !e.NonNegative() {
			b.Check(shape.AtLeast, e, 0, "a cropped dimension")
		}
	}
}
