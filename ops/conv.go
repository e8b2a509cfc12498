package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/layout"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var convTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int32}

var floatTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16}

var convDefs = []*Def{
	{Name: "Conv2D", Flags: Expensive | WinogradOK, Types: map[string][]tensor.DType{"T": convTypes}, Shape: conv2dShape, Lower: conv2dLower},
	{Name: "_FusedConv2D", Flags: Expensive | WinogradOK, Types: map[string][]tensor.DType{"T": floatTypes}, Shape: conv2dShape, Lower: fusedConv2dLower},
	{Name: "DepthwiseConv2dNative", Flags: Expensive, Types: map[string][]tensor.DType{"T": floatTypes}, Shape: depthwiseShape, Lower: depthwiseLower},
	{Name: "_FusedDepthwiseConv2dNative", Flags: Expensive, Types: map[string][]tensor.DType{"T": floatTypes}, Shape: depthwiseShape, Lower: fusedDepthwiseLower},
	{Name: "Conv2DBackpropInput", Flags: Expensive, Types: map[string][]tensor.DType{"T": convTypes},
		Shape: conv2dBackpropShape, Lower: conv2dBackpropLower},
	{Name: "_FusedConv2DBackpropInput", Flags: Expensive, Types: onlyF32, Limits: made, Shape: conv2dBackpropShape, Lower: fusedBackpropLower},
}

var layoutKernels = []any{layout.F32, layout.F64, layout.F16, layout.BF16, layout.I8, layout.I16, layout.I32, layout.I64,
	layout.U8, layout.U16, layout.C64, layout.C128}

// transposed is v, n matrices [rows, cols], in scratch as n matrices [cols, rows].
func (b *Builder) transposed(v plan.View, n, rows, cols *sym.Expr) (plan.View, error) {
	t := b.tempOf(v.Buf.DType, v.Len)
	return reads(t), b.transposeTo(t, v, n, rows, cols)
}

func (b *Builder) transposeTo(dst, src plan.View, n, rows, cols *sym.Expr) error {
	if b.dev {
		x := newBox()
		x.add(n, rows.Mul(cols), rows.Mul(cols))
		x.add(cols, rows, sym.One)
		x.add(rows, sym.One, cols)
		b.devBox(writes(dst), reads(src), x)
		return nil
	}
	fn, err := b.kernelFor(src.Buf.DType, layoutKernels...)
	if err != nil {
		return err
	}
	b.Call(fn, dst, src, n, rows, cols)
	return nil
}

// channelsLast is input i with the channels last, transposed through scratch if need be.
func (b *Builder) channelsLast(i int, f format) (plan.View, error) {
	if !f.first() {
		return b.source(i), nil
	}
	s := b.InShape(i)
	return b.transposed(b.source(i), s[0], s[1], sym.Product(s[2:]))
}

// outLast is where output i is computed with its channels last, and what
// brings it into the format when that is done.
func (b *Builder) outLast(i int, f format) (plan.View, func() error) {
	if !f.first() {
		return b.dest(i), func() error { return nil }
	}
	s := b.OutShape(i)
	t := b.tempOf(b.OutFact(i).DType, b.OutLen(i))
	return t, func() error { return b.transposeTo(b.dest(i), t, s[0], sym.Product(s[2:]), s[1]) }
}

// convGeometry is a convolution's sizes: the image, the filter, the result.
type convGeometry struct {
	f           format
	n, c, oc    *sym.Expr
	in, k, out  [2]*sym.Expr
	pad         [2]*sym.Expr
	stride, dil [2]int
	groups      *sym.Expr
	cg          *sym.Expr // the filter's input channels
}

func channelsDiffer(image, filter *sym.Expr) error {
	return tensor.Errorf(tensor.InvalidArgument, "the image has %v channels, the filter %v", image, filter)
}

// convGeometryOf reads the sizes of Conv2D from the shapes of image and filter.
func convGeometryOf(n *ir.Node, image, filter []*sym.Expr, depthwise bool) (g convGeometry, err error) {
	if g.f, err = formatOf(n, 2); err != nil {
		return g, err
	}
	if depthwise && differ(image[g.f.channels], filter[2]) { // before what is not implemented
		return g, channelsDiffer(image[g.f.channels], filter[2])
	}
	pads, err := g.f.paddings(n)
	if err != nil {
		return g, err
	}
	if d := n.Ints("dilations"); len(d) != 0 && len(d) != 4 {
		return g, tensor.Errorf(tensor.InvalidArgument, "dilations has %d values, 4 are required", len(d))
	} else if len(d) != 0 && (d[g.f.space[0]] < 1 || d[g.f.space[1]] < 1) {
		return g, tensor.Errorf(tensor.InvalidArgument, "dilations must be positive and fit 32 bits: %v", d)
	}
	strides, err := g.f.spatial(n, "strides")
	if err != nil {
		return g, err
	}
	dils, err := g.f.spatial(n, "dilations")
	if err != nil {
		return g, err
	}
	if depthwise && strides[0] != strides[1] {
		return g, unevenStrides(strides)
	}
	if err := g.f.onCPU(n, dils); err != nil {
		return g, err
	}
	g.n, g.c = image[0], image[g.f.channels]
	g.cg, g.oc = filter[2], filter[3]
	if depthwise {
		g.oc = g.cg.Mul(filter[3])
		g.groups = g.cg
	} else {
		if g.cg.Is(0) {
			return g, tensor.Errorf(tensor.InvalidArgument, "the filter has no input channels")
		}
		if g.c.Is(0) {
			return g, tensor.Errorf(tensor.InvalidArgument, "the image has no channels")
		}
		g.groups = g.c.Div(g.cg)
		if !g.c.Mod(g.cg).Is(0) && isInt(g.c) && isInt(g.cg) {
			return g, tensor.Errorf(tensor.InvalidArgument, "the image's %v channels are no multiple of the filter's %v", g.c, g.cg)
		}
		if gr, ok := g.groups.IsInt(); ok && gr > 1 && isInt(g.oc) && !g.oc.Mod(g.groups).Is(0) {
			return g, tensor.Errorf(tensor.InvalidArgument, "%v filters are no multiple of %d groups", g.oc, gr)
		}
	}
	for i := range 2 {
		g.in[i], g.k[i] = image[g.f.space[i]], filter[i]
		g.stride[i], g.dil[i] = strides[i], dils[i]
		w := window{g.in[i], g.k[i], strides[i], dils[i], pads[i][0], pads[i][1]}
		g.out[i], g.pad[i] = w.sizes(n.Str("padding"))
		if w.tooLarge(n.Str("padding")) {
			return g, tensor.Errorf(tensor.InvalidArgument, "the window %v is larger than the image %v with its padding", g.k[i], g.in[i])
		}
	}
	return g, nil
}

// unevenStrides is TensorFlow's refusal of a depthwise convolution.
func unevenStrides(strides []int) error {
	return tensor.Errorf(tensor.InvalidArgument, "a depthwise convolution has one stride for rows and columns, not %v", strides)
}

func isInt(e *sym.Expr) bool { _, ok := e.IsInt(); return ok }

func conv2dShape(c *Shaper) error     { return convShape(c, false) }
func depthwiseShape(c *Shaper) error  { return convShape(c, true) }
func conv2dLower(b *Builder) error    { return convLower(b, &epilogue{}) }
func depthwiseLower(b *Builder) error { return depthwiseWith(b, &epilogue{}) }

func fusedConv2dLower(b *Builder) error {
	e, err := fusedEpilogue(b, 2)
	if err != nil {
		return err
	}
	return convLower(b, &e)
}

func fusedDepthwiseLower(b *Builder) error {
	e, err := fusedEpilogue(b, 2)
	if err != nil {
		return err
	}
	return depthwiseWith(b, &e)
}

func convShape(c *Shaper, depthwise bool) error {
	d := c.In(0).DType
	image, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	filter, err := c.WithRank(1, 4)
	if err != nil {
		return err
	}
	if !image.Known || !filter.Known {
		// The attributes are checked even so.
		one := []*sym.Expr{sym.One, sym.One, sym.One, sym.One}
		if _, err := convGeometryOf(c.Node, one, one, depthwise); err != nil {
			return err
		}
		c.Set(0, d, ir.Shape{})
		return nil
	}
	g, err := convGeometryOf(c.Node, image.Dims, filter.Dims, depthwise)
	if err != nil {
		return err
	}
	c.Set(0, d, g.f.shape(g.n, g.oc, g.out[0], g.out[1]))
	return nil
}

// checks appends what can only be refused at run time.
func (g *convGeometry) checks(b *Builder, depthwise bool) error {
	if depthwise {
		if err := b.sameDim(g.c, g.cg, "the image and the filter must have the same channels"); err != nil {
			return err
		}
	} else {
		if !g.c.Mod(g.cg).Is(0) {
			b.Check(shape.AtLeast, g.cg, 1, "the filter's input channels")
			b.Check(shape.Equal, g.c.Mod(g.cg), 0, "the image's channels must be a multiple of the filter's")
		}
		if !g.groups.Is(1) && !isInt(g.groups) {
			b.Check(shape.AtLeast, g.groups, 1, "the number of groups")
			b.Check(shape.Equal, g.oc.Mod(g.groups), 0, "the filters must be a multiple of the groups")
		}
	}
	for i := range 2 {
		if err := b.atLeast(g.out[i], 0, "the size of the result"); err != nil {
			return err
		}
	}
	taps := g.k[0].Mul(g.k[1])
	if v, known := taps.IsInt(); !depthwise && !(known && v > 0) {
		b.Check(conv.HasTaps, b.OutLen(0), taps)
	}
	return nil
}

// residual brings a residual into the layout with the channels last.
func (g *convGeometry) residual(b *Builder, e *epilogue) error {
	if e.res == nil || !g.f.first() {
		return nil
	}
	v, err := b.transposed(*e.res, g.n, g.oc, g.out[0].Mul(g.out[1]))
	e.res = &v
	return err
}

func (e *epilogue) check(b *Builder, c *sym.Expr) error {
	if n := e.norm; n != nil {
		for _, v := range []plan.View{n.scale, n.offset, n.mean, n.variance} {
			if err := b.sameDim(v.Len, c, "scale, offset, mean and variance must have one value a channel"); err != nil {
				return err
			}
		}
	}
	if e.bias == nil {
		return nil
	}
	return b.sameDim(e.bias.Len, c, "the bias must have one value a channel")
}

// convLower: NHWC is computed in place, NCHW through scratch.
func convLower(b *Builder, e *epilogue) error {
	g, err := convGeometryOf(b.Node, b.InShape(0), b.InShape(1), false)
	if err != nil {
		return err
	}
	if err := g.checks(b, false); err != nil {
		return err
	}
	if err := e.check(b, g.oc); err != nil {
		return err
	}
	if err := g.residual(b, e); err != nil {
		return err
	}
	in, err := b.channelsLast(0, g.f)
	if err != nil {
		return err
	}
	out, done := b.outLast(0, g.f)
	if b.dev {
		g.onDev(b, e, out, in, false)
		return done()
	}
	g.upright()
	d := b.InFact(0).DType
	q := plan.Lit(conv.Params{StrideH: g.stride[0], StrideW: g.stride[1], DilH: g.dil[0], DilW: g.dil[1], Act: e.clamp()},
		"N", g.n, "H", g.in[0], "W", g.in[1], "C", g.c, "KH", g.k[0], "KW", g.k[1], "OH", g.out[0], "OW", g.out[1],
		"OC", g.oc, "Groups", g.groups, "PadTop", g.pad[0], "PadLeft", g.pad[1])
	if d == tensor.Float32 {
		bias, res := e.bias, e.res
		if e.norm != nil {
			bias, res = nil, nil
		}
		axis, f := g.fold(b, bias, res)
		switch {
		case g.pointwise():
			p := product{m: sym.Product([]*sym.Expr{g.n, g.out[0], g.out[1]}), n: g.oc, k: g.c}
			b.gemmCall(out, in, g.packed(b), p, plan.Lit(gemm.Params{Act: e.clamp()}, "M", p.m, "N", p.n, "K", p.k), &epilogue{bias: bias, res: res})
		case f > 0:
			if err := g.foldedCall(b, axis, f, out, in, bias, res, q); err != nil {
				return err
			}
		case g.sizeAtRun(b):
			g.autoCall(b, out, in, bias, res, q)
		case g.winograd(b):
			g.call(b, byWeights{conv.WinogradF32}, conv.WinogradScratchLen, out, in, g.transformed(b), bias, res, q, true)
		default:
			g.call(b, convByWeights, conv.ScratchLen, out, in, g.packed(b), bias, res, q, false)
		}
		if err := e.finish(b, out, d, g.oc); err != nil {
			return err
		}
		return done()
	}
	q.V = func() conv.Params { p := q.V.(conv.Params); p.Act = 0; return p }()
	fn, err := b.kernelFor(d, conv.F64, conv.I32, conv.F16, conv.BF16)
	if err != nil {
		return err
	}
	acc := d
	if d == tensor.Half || d == tensor.BFloat16 {
		acc = tensor.Float32
	}
	b.Call(fn, out, in, b.In(1), absent(d), b.Temp(acc, g.oc), q)
	if err := e.separate(b, out, d, g.oc); err != nil {
		return err
	}
	return done()
}

// winograd reports whether Winograd's method is chosen: the filter is a constant
// and the cost, of one image of the size known when compiling, is clearly lower,
// or the caller has chosen it.
func (g *convGeometry) winograd(b *Builder) bool {
	p, ok := g.knownFilter(b)
	return ok && b.l.prefersWinograd(p)
}

// knownFilter is what is known when compiling of a convolution with a constant
// filter, 0 for other sizes; false where the filter is not constant, or Winograd's
// method is not allowed.
func (g *convGeometry) knownFilter(b *Builder) (conv.Params, bool) {
	gr, ok := g.groups.IsInt()
	t := b.InConst(1)
	if b.l.exactConv || t == nil || !ok {
		return conv.Params{}, false
	}
	p := conv.Params{
		C: t.Shape[2] * gr, KH: t.Shape[0], KW: t.Shape[1], OC: t.Shape[3], Groups: gr,
		StrideH: g.stride[0], StrideW: g.stride[1], DilH: g.dil[0], DilW: g.dil[1],
	}
	p.N, _ = g.n.IsInt()
	p.OH, _ = g.out[0].IsInt()
	p.OW, _ = g.out[1].IsInt()
	return p, true
}

// winogradSize is the number of floats the filter for Winograd's method has for an output channel.
func (g *convGeometry) winogradSize(b *Builder) *sym.Expr {
	s := b.InConst(1).Shape
	return sym.Int(conv.WinogradPackedLen(s[0], s[1], s[2], 16) / 16)
}

// transformed is the constant filter for Winograd's method.
func (g *convGeometry) transformed(b *Builder) plan.View {
	t := b.InConst(1)
	s := t.Shape
	dst := make([]float32, conv.WinogradPackedLen(s[0], s[1], s[2], s[3]))
	conv.PackWinogradF32(dst, tensor.Data[float32](t), s[0], s[1], s[2], s[3])
	return b.Const("filter transformed for Winograd's method, in panels of 16 channels", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(dst)}, Data: dst})
}

// packed is the filter in panels, a constant where its value is known.
func (g *convGeometry) packed(b *Builder) plan.View {
	gr, ok := g.groups.IsInt()
	if t := b.InConst(1); t != nil && ok {
		s := t.Shape
		dst := make([]float32, conv.PackedLen(s[0], s[1], s[2], s[3], gr))
		conv.PackF32(dst, tensor.Data[float32](t), s[0], s[1], s[2], s[3], gr)
		return b.Const("filter in panels of 16 channels", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(dst)}, Data: dst})
	}
	k := g.k[0].Mul(g.k[1]).Mul(g.cg)
	size := g.oc.Div(g.groups).CeilDiv(sym.Int(16)).MulInt(16).Mul(k).Mul(g.groups)
	t := b.Temp(tensor.Float32, size)
	b.Call(conv.PackF32, writes(t), b.In(1), g.k[0], g.k[1], g.cg, g.oc, g.groups)
	return reads(t)
}

func depthwiseWith(b *Builder, e *epilogue) error {
	g, err := convGeometryOf(b.Node, b.InShape(0), b.InShape(1), true)
	if err != nil {
		return err
	}
	if err := g.checks(b, true); err != nil {
		return err
	}
	if err := e.check(b, g.oc); err != nil {
		return err
	}
	if err := g.residual(b, e); err != nil {
		return err
	}
	in, err := b.channelsLast(0, g.f)
	if err != nil {
		return err
	}
	out, done := b.outLast(0, g.f)
	if b.dev {
		g.onDev(b, e, out, in, true)
		return done()
	}
	d := b.InFact(0).DType
	p := conv.DepthwiseParams{StrideH: g.stride[0], StrideW: g.stride[1], DilH: g.dil[0], DilW: g.dil[1]}
	fused := d == tensor.Float32 && e.norm == nil && e.res == nil
	if fused {
		p.Act = e.clamp()
	}
	q := plan.Lit(p, "N", g.n, "H", g.in[0], "W", g.in[1], "C", g.c, "KH", g.k[0], "KW", g.k[1],
		"OH", g.out[0], "OW", g.out[1], "Mult", b.InShape(1)[3], "PadTop", g.pad[0], "PadLeft", g.pad[1])
	if d == tensor.Float32 {
		var bias *plan.View
		if fused {
			bias = e.bias
		}
		free := []string{"N"}
		if b.InShape(1)[3].Is(1) { // no scratch for any size
			free = append(free, "H", "W", "C", "OH", "OW", "KH", "KW", "PadTop", "PadLeft")
		}
		if n, known := scratchLen(conv.DepthwiseScratchLen, q, free...); known {
			sp := g.rowSplit(g.k[0].Mul(g.k[1]), depthwiseTap)
			l := b.Par(g.n.Mul(g.out[0]), sp)
			l.Call(conv.DepthwiseF32, rows(out, g.out[1].Mul(g.oc)), in, b.In(1), orAbsent(bias, d), l.Temp(d, sym.Int(n)),
				withFields(q, "First", plan.Lo, "Rows", plan.Count))
		} else {
			b.Call(conv.DepthwiseF32, out, in, b.In(1), orAbsent(bias, d), b.scratch(d, conv.DepthwiseScratchLen, q, "N"), q)
		}
		if fused {
			err = e.finish(b, out, d, g.oc)
		} else {
			err = e.separate(b, out, d, g.oc)
		}
		if err != nil {
			return err
		}
		return done()
	}
	fn, err := b.kernelFor(d, conv.DepthwiseF64, conv.DepthwiseF16, conv.DepthwiseBF16)
	if err != nil {
		return err
	}
	b.Call(fn, out, in, b.In(1), absent(d), q)
	if err := e.separate(b, out, d, g.oc); err != nil {
		return err
	}
	return done()
}

// pointwise reports a product over the pixels: a window of one pixel, everywhere.
func (g *convGeometry) pointwise() bool {
	return g.k[0].Is(1) && g.k[1].Is(1) && g.stride == [2]int{1, 1} && g.groups.Is(1) && g.pad[0].Is(0) && g.pad[1].Is(0) &&
		g.out[0].Equal(g.in[0]) && g.out[1].Equal(g.in[1])
}

// upright makes one row of pixels a column of them, which is the same in memory:
// rows are what is shared out and joined with other loops.
func (g *convGeometry) upright() {
	if !g.in[0].Is(1) || !g.out[0].Is(1) || !g.k[0].Is(1) || !g.pad[0].Is(0) {
		return
	}
	for _, d := range []*[2]*sym.Expr{&g.in, &g.k, &g.out, &g.pad} {
		d[0], d[1] = d[1], d[0]
	}
	g.stride[0], g.stride[1] = g.stride[1], g.stride[0]
	g.dil[0], g.dil[1] = g.dil[1], g.dil[0]
}

// rowSplit divides the result's rows, whose elements cost taps times ps.
func (g *convGeometry) rowSplit(taps *sym.Expr, ps int) plan.Split {
	sp := plan.Split{Work: sym.Product([]*sym.Expr{g.out[1], g.oc, taps}).MulInt(ps)}
	w, wok := g.out[1].IsInt()
	c, cok := g.oc.IsInt()
	if wok && cok && w > 0 {
		sp.Least = (heavyLeast + w - 1) / w
		sp.Join = sym.Int(max(heavyElements/max(w*c, 1), sp.Least))
	}
	return sp
}

// call appends a convolution as a loop: over the result's rows or, where those
// are few, over its channels.
func (g *convGeometry) call(b *Builder, fns byWeights, lenOf any, out, in, filter plan.View, bias, res *plan.View, q plan.Struct, winograd bool) {
	d := tensor.Float32
	n, known := g.scratch(lenOf, q, winograd)
	if !known || !b.beforeSteps(n) {
		b.l.step(b.weigh(weighing{fns: fns, out: out, in: in, weights: filter, bias: orAbsent(bias, d), res: orAbsent(res, d), scratch: b.scratch(d, lenOf, q, "N"), params: q}))
		return
	}
	depth := sym.Product([]*sym.Expr{g.k[0], g.k[1], g.cg})
	pixels := sym.Product([]*sym.Expr{g.n, g.out[0], g.out[1]})
	bs, rs := orAbsent(bias, d), orAbsent(res, d)
	// What a channel's filter holds beside its taps, and the cost of its sums.
	size, work := depth, pixels.Mul(depth).MulInt(flops)
	px, ok := pixels.IsInt()
	byChannels := ok && px > 0 && px <= fewPixels && g.groups.Is(1)
	if winograd {
		size, work = g.winogradSize(b), work.Div(sym.Int(2))
		px, ok = g.out[0].Mul(g.out[1]).IsInt()
		byChannels = ok && px > 0 && px <= fewTiles
	}
	if byChannels {
		l := b.Par(g.oc.Mul(sym.Min(g.n, sym.One)), plan.Split{Grain: 32, Least: leastChannels, Work: work, Strided: true})
		if bias != nil {
			bs = bias.At(plan.Lo, plan.Count)
		}
		cols := func(v plan.View) plan.View { return v.At(plan.Lo, pixels.AddInt(-1).Mul(g.oc).Add(plan.Count)) }
		if res != nil {
			rs = cols(*res)
		}
		l.add(b.weigh(weighing{fns: fns, out: cols(out), in: in, weights: filter.At(plan.Lo.Mul(size), plan.Count.CeilDiv(sym.Int(16)).MulInt(16).Mul(size)),
			bias: bs, res: rs, scratch: l.Temp(d, n), params: withFields(q, "OC", plan.Count, "LdOut", g.oc, "LdRes", g.oc)}))
		return
	}
	sp := g.rowSplit(depth, flops)
	if winograd {
		sp = g.winogradSplit(sp, depth)
	}
	l := b.Par(g.n.Mul(g.out[0]), sp)
	row := g.out[1].Mul(g.oc)
	if res != nil {
		rs = rows(*res, row)
	}
	l.add(b.weigh(weighing{fns: fns, out: rows(out, row), in: in, weights: filter, bias: bs, res: rs, scratch: l.Temp(d, n),
		params: withFields(q, "First", plan.Lo, "Rows", plan.Count)}))
}

// fewPixels is the size of a result whose channels are shared out rather than
// its rows, fewTiles that of an image of it where Winograd's method reads so
// much of its filter for a tile that each thread should read its own part.
const (
	fewPixels = 100
	fewTiles  = 1024
	// Each chunk of channels reads all of the input.
	leastChannels = 128
)

// winogradSplit divides a convolution by Winograd's method: between rows of
// tiles and, where it is joined with others, into so many tiles that the weights,
// which every chunk reads, do not weigh.
func (g *convGeometry) winogradSplit(sp plan.Split, depth *sym.Expr) plan.Split {
	const side, tiles = 4, 56
	sp.Grain, sp.Wrap, sp.Work = side, g.out[0], g.rowSplit(depth, flops/2).Work
	w, ok := g.out[1].IsInt()
	if !ok || w <= 0 {
		sp.Join = nil
		return sp
	}
	across := (w + side - 1) / side
	sp.Least = (tiles + across - 1) / across * side
	if h, ok := g.out[0].IsInt(); ok {
		sp.Least = min(sp.Least, (h+side-1)/side*side)
	}
	sp.Join = sym.Max(sp.Join, sym.Int(sp.Least))
	return sp
}

// scratch is what conv.F32 and conv.WinogradF32 need at most, as lenOf tells
// where the sizes are known; false where the filter's are not.
func (g *convGeometry) scratch(lenOf any, q plan.Struct, winograd bool) (*sym.Expr, bool) {
	if winograd { // blocks of tiles have a bound whatever the image's size is
		n, ok := scratchLen(lenOf, q, "N", "H", "W", "OH", "OW", "PadTop", "PadLeft")
		return sym.Int(n), ok
	}
	if n, ok := scratchLen(lenOf, q, "N"); ok {
		return sym.Int(n), true
	}
	kh, hok := g.k[0].IsInt()
	kw, wok := g.k[1].IsInt()
	if !hok || !wok {
		return nil, false
	}
	span := (kh-1)*g.dil[0] + 1
	width := g.out[1].AddInt(-1).MulInt(g.stride[1]).AddInt((kw-1)*g.dil[1] + 1)
	most := conv.MaxBand
	if kh == 1 && kw == 1 { // a product over the pixels may copy its rows
		n, _ := scratchLen(gemm.ScratchLen, plan.Lit(gemm.Params{}, "M", g.n, "N", g.oc, "K", g.cg), "M", "N", "K")
		most = max(most, n)
	}
	return sym.Max(sym.Int(most), sym.Max(width, sym.Zero).MulInt(span).Mul(g.cg)), true
}

// sizeAtRun reports a convolution that Winograd's method may compute over images
// whose size only a run tells: it chooses the method then.
func (g *convGeometry) sizeAtRun(b *Builder) bool {
	if isInt(g.out[0]) && isInt(g.out[1]) || b.l.method() != "" {
		return false
	}
	p, ok := g.knownFilter(b)
	return ok && conv.WinogradOK(p)
}

// autoCall appends a convolution that chooses its method, with the filter in both forms,
// as a loop over rows that suits both.
func (g *convGeometry) autoCall(b *Builder, out, in plan.View, bias, res *plan.View, q plan.Struct) {
	d := tensor.Float32
	direct, ok := g.scratch(conv.ScratchLen, q, false)
	wino, known := g.scratch(conv.WinogradScratchLen, q, true)
	if !ok || !known || !b.beforeSteps(direct) {
		g.call(b, convByWeights, conv.ScratchLen, out, in, g.packed(b), bias, res, q, false)
		return
	}
	depth := sym.Product([]*sym.Expr{g.k[0], g.k[1], g.cg})
	l := b.Par(g.n.Mul(g.out[0]), g.winogradSplit(g.rowSplit(depth, flops), depth))
	row := g.out[1].Mul(g.oc)
	rs := orAbsent(res, d)
	if res != nil {
		rs = rows(*res, row)
	}
	l.Call(conv.AutoF32, rows(out, row), in, g.packed(b), g.transformed(b), orAbsent(bias, d), rs, l.Temp(d, sym.Max(direct, wino)),
		withFields(q, "First", plan.Lo, "Rows", plan.Count))
}
