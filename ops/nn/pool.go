package nn

import (
	"cmp"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/pool"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var maxPoolTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int8, tensor.Int16,
	tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.QInt8}

var poolDefs = []*lower.Def{
	{Name: "MaxPool", Traits: lower.KeepsDigits, Types: map[string][]tensor.DType{"T": maxPoolTypes}, Shape: PoolShape, Lower: maxPoolLower},
	{Name: "MaxPoolV2", Types: map[string][]tensor.DType{"T": maxPoolTypes}, Limits: "ksize and strides must be constants",
		Shape: PoolShape, Lower: maxPoolLower},
	{Name: "AvgPool", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: PoolShape, Lower: avgPoolLower},
}

// poolGeometry holds the sizes and strides of a two-dimensional pooling.
type poolGeometry struct {
	f      kit.Format
	n, c   *sym.Expr
	in     [2]*sym.Expr
	out    [2]*sym.Expr
	pad    [2]*sym.Expr
	k      [2]int
	stride [2]int
	depth  int // the window over channels; 1 unless pooling is over channels only
}

// poolWindow returns the values of ksize and strides. They are attributes of n, except that the V2
// ops have them as constant inputs. The parameter in is a function that returns the value of a
// constant input.
func poolWindow(n *ir.Node, in func(i int) ([]int, bool)) (ksize, strides []int, err error) {
	if n.Op != "MaxPoolV2" && n.Op != "MaxPoolGradV2" && n.Op != "MaxPoolGradGradV2" {
		return n.Ints("ksize"), n.Ints("strides"), nil
	}
	at := 1
	if n.Op != "MaxPoolV2" {
		at = 3
	}
	for i := at; i < at+2; i++ {
		if s := n.Ins[i].Fact().Shape; s.Known && len(s.Dims) != 1 {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; a vector is required", i, s)
		}
	}
	ksize, ok := in(at)
	strides, ok2 := in(at + 1)
	if !ok || !ok2 {
		return nil, nil, tensor.Errorf(tensor.Unimplemented, "ksize and strides must be constants")
	}
	return ksize, strides, nil
}

func poolGeometryOf(n *ir.Node, image []*sym.Expr, ints func(i int) ([]int, bool)) (g poolGeometry, err error) {
	if g.f, err = formatOf(n, 2); err != nil {
		return g, err
	}
	ksize, strides, err := poolWindow(n, ints)
	if err != nil {
		return g, err
	}
	if len(ksize) != 4 || len(strides) != 4 {
		return g, tensor.Errorf(tensor.InvalidArgument, "ksize %v and strides %v must have 4 values", ksize, strides)
	}
	// an unsupported format takes precedence over the Unimplemented errors below
	if err := g.f.OnCPU(n, nil); err != nil {
		return g, err
	}
	// this Unimplemented error takes precedence over the errors for values that are not positive
	if n.Op == "AvgPool" && ksize[0] != 1 && int(int32(ksize[0])) == ksize[0] {
		return g, tensor.Errorf(tensor.Unimplemented, "pooling over the batch: ksize %v, strides %v", ksize, strides)
	}
	if err := cmp.Or(WindowInts("ksize", ksize), WindowInts("strides", strides)); err != nil {
		return g, err
	}
	if ksize[0] != 1 || strides[0] != 1 {
		return g, tensor.Errorf(tensor.Unimplemented, "pooling over the batch: ksize %v, strides %v", ksize, strides)
	}
	pads, err := g.f.Paddings(n)
	if err != nil {
		return g, err
	}
	g.n, g.c = image[0], image[g.f.Channels]
	g.depth = ksize[g.f.Channels]
	if g.depth != 1 {
		return g, g.overDepth(n, ksize, strides)
	}
	if strides[g.f.Channels] != 1 {
		return g, tensor.Errorf(tensor.Unimplemented, "a stride over channels without a window there: %v", strides)
	}
	for i, at := range g.f.Space {
		g.k[i], g.stride[i] = ksize[at], strides[at]
		if p := pads[i]; p[0] >= g.k[i] || p[1] >= g.k[i] {
			return g, tensor.Errorf(tensor.InvalidArgument, "explicit_paddings %v must be smaller than the window %v", pads, ksize)
		}
		g.in[i] = image[at]
		w := window{g.in[i], sym.Int(g.k[i]), g.stride[i], 1, pads[i][0], pads[i][1]}
		g.out[i], g.pad[i] = w.sizes(n.Str("padding"))
		if w.tooLarge(n.Str("padding")) {
			return g, tensor.Errorf(tensor.InvalidArgument, "the window %d is larger than the image %v with its padding", g.k[i], g.in[i])
		}
	}
	return g, nil
}

// overDepth returns an error unless a pooling over channels is supported. It is supported for max
// pooling if the window over height and width is one pixel with stride 1, and if the size of the
// window over channels is equal to its stride and divides the number of channels.
func (g *poolGeometry) overDepth(n *ir.Node, ksize, strides []int) error {
	for _, at := range g.f.Space {
		if ksize[at] != 1 {
			return tensor.Errorf(tensor.Unimplemented, "pooling over channels and space at once: ksize %v", ksize)
		}
		if strides[at] != 1 {
			return tensor.Errorf(tensor.Unimplemented, "pooling over channels with strides over space: %v", strides)
		}
	}
	if n.Op == "AvgPool" {
		return tensor.Errorf(tensor.Unimplemented, "average pooling over channels")
	}
	if g.depth != strides[g.f.Channels] {
		return tensor.Errorf(tensor.Unimplemented, "pooling over channels needs a stride equal to the window: ksize %v, strides %v", ksize, strides)
	}
	if c, ok := g.c.IsInt(); ok && c%g.depth != 0 {
		return tensor.Errorf(tensor.Unimplemented, "pooling over channels: %d channels are not a multiple of %d", c, g.depth)
	}
	return nil
}

// PoolShape is the shape function of pooling ops; input 0 has the images.
func PoolShape(c *lower.Shaper) error {
	d := c.In(0).DType
	image, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	ints := func(i int) ([]int, bool) { return c.StaticInts(i) }
	if !image.Known {
		one := sym.Int(1 << 20)
		if _, err := poolGeometryOf(c.Node, []*sym.Expr{one, one, one, one}, ints); err != nil {
			return err
		}
		c.Set(0, d, ir.Shape{})
		return nil
	}
	g, err := poolGeometryOf(c.Node, image.Dims, ints)
	if err != nil {
		return err
	}
	if g.depth != 1 {
		dims := append([]*sym.Expr{}, image.Dims...)
		dims[g.f.Channels] = g.c.Div(sym.Int(g.depth))
		c.Set(0, d, ir.ShapeOf(dims...))
		return nil
	}
	c.Set(0, d, g.f.Shape(g.n, g.c, g.out[0], g.out[1]))
	return nil
}

func maxPoolLower(b *lower.Builder) error {
	return PoolLower(b, pool.MaxF32, pool.MaxF64, pool.MaxF16, pool.MaxBF16, pool.MaxI8, pool.MaxI16, pool.MaxI32, pool.MaxI64, pool.MaxU8, pool.MaxU16, pool.MaxU32, pool.MaxU64)
}

func avgPoolLower(b *lower.Builder) error {
	return PoolLower(b, pool.AvgF32, pool.AvgF64, pool.AvgF16, pool.AvgBF16)
}

// PoolLower lowers a pooling op with the kernel for its element type.
func PoolLower(b *lower.Builder, kernels ...any) error {
	g, err := poolGeometryOf(b.Node, b.InShape(0), b.StaticInts)
	if err != nil {
		return err
	}
	if b.Moves() && g.depth != 1 {
		return lower.ErrOnHost
	}
	in, err := channelsLast(b, 0, g.f)
	if err != nil {
		return err
	}
	out, done := outLast(b, 0, g.f)
	if b.Moves() {
		if err := g.onDev(b, out, in); err != nil {
			return err
		}
		return done()
	}
	fn, err := kit.KernelFor(b, b.InFact(0).DType, kernels...)
	if err != nil {
		return err
	}
	if g.depth != 1 {
		// This is pooling over channels. The kernel treats each group of g.depth channels as an
		// image with one column and g.depth rows, and uses a window of the same size.
		if err := kit.RequireSame(b, g.c.Mod(sym.Int(g.depth)), sym.Zero, "the channels must be a multiple of the window"); err != nil {
			return err
		}
		k := sym.Int(g.depth)
		b.Call(fn, out, in, plan.Lit(pool.Params{H: g.depth, W: 1, C: 1, KH: g.depth, KW: 1, OH: 1, OW: 1, StrideH: 1, StrideW: 1},
			"N", in.Len.Div(k)))
		return done()
	}
	for i := range 2 {
		if err := kit.AtLeast(b, g.out[i], 0, "the size of the result"); err != nil {
			return err
		}
	}
	q := plan.Lit(pool.Params{KH: g.k[0], KW: g.k[1], StrideH: g.stride[0], StrideW: g.stride[1]},
		"N", g.n, "H", g.in[0], "W", g.in[1], "C", g.c, "OH", g.out[0], "OW", g.out[1], "PadTop", g.pad[0], "PadLeft", g.pad[1],
		"First", plan.Lo, "Rows", plan.Count)
	row := g.out[1].Mul(g.c)
	l := b.Par(g.n.Mul(g.out[0]), plan.Split{Work: row.MulInt(g.k[0] * g.k[1] * lower.DepthwiseTap)})
	l.Call(fn, lower.Rows(out, row), in, q)
	return done()
}
