package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	linalgops "github.com/graphc/graphc/ops/linalg"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var convTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int32}

var convDefs = []*lower.Def{
	{Name: "Conv2D", Flags: lower.Expensive | lower.WinogradOK, Traits: lower.LosesZeroSign, Types: map[string][]tensor.DType{"T": convTypes}, Shape: conv2dShape, Lower: conv2dLower},
	{Name: "_FusedConv2D", Flags: lower.Expensive | lower.WinogradOK, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: conv2dShape, Lower: fusedConv2dLower},
	{Name: "DepthwiseConv2dNative", Flags: lower.Expensive, Traits: lower.LosesZeroSign, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: depthwiseShape, Lower: depthwiseLower},
	{Name: "_FusedDepthwiseConv2dNative", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: depthwiseShape, Lower: fusedDepthwiseLower},
	{Name: "Conv2DBackpropInput", Flags: lower.Expensive, Traits: lower.LosesZeroSign, Types: map[string][]tensor.DType{"T": convTypes},
		Shape: conv2dBackpropShape, Lower: conv2dBackpropLower},
	{Name: "_FusedConv2DBackpropInput", Flags: lower.Expensive, Types: onlyF32, Limits: kit.MadeByPasses, Shape: conv2dBackpropShape, Lower: fusedBackpropLower},
}

// channelsLast returns input i in the layout with the channels last. If the format f has the
// channels first, channelsLast appends a transposition into scratch memory and returns the scratch
// memory.
func channelsLast(b *lower.Builder, i int, f kit.Format) (plan.View, error) {
	if !f.First() {
		return b.Source(i), nil
	}
	s := b.InShape(i)
	return kit.Transposed(b, b.Source(i), s[0], s[1], sym.Product(s[2:]))
}

// outLast returns a buffer for output i in the layout with the channels last, and a function to be
// called after the calls that fill the buffer. If the format f has the channels first, this
// function appends the transposition of the buffer into the output.
func outLast(b *lower.Builder, i int, f kit.Format) (plan.View, func() error) {
	if !f.First() {
		return b.Dest(i), func() error { return nil }
	}
	s := b.OutShape(i)
	t := kit.TempOf(b, b.OutFact(i).DType, b.OutLen(i))
	return t, func() error { return kit.TransposeTo(b, b.Dest(i), t, s[0], sym.Product(s[2:]), s[1]) }
}

// ConvGeometry holds the sizes of a convolution: of the image, the filter and the result.
type ConvGeometry struct {
	F           kit.Format
	N, C, Oc    *sym.Expr
	In, K, Out  [2]*sym.Expr
	pad         [2]*sym.Expr
	Stride, Dil [2]int
	groups      *sym.Expr
	Cg          *sym.Expr // the filter's input channels
}

func channelsDiffer(image, filter *sym.Expr) error {
	return tensor.Errorf(tensor.InvalidArgument, "the image has %v channels, but the filter %v", image, filter)
}

// ConvGeometryOf reads the sizes of Conv2D from the shapes of image and filter.
func ConvGeometryOf(n *ir.Node, image, filter []*sym.Expr, depthwise bool) (g ConvGeometry, err error) {
	if g.F, err = formatOf(n, 2); err != nil {
		return g, err
	}
	// the error for different numbers of channels takes precedence over the Unimplemented errors
	// below
	if depthwise && lower.Differ(image[g.F.Channels], filter[2]) {
		return g, channelsDiffer(image[g.F.Channels], filter[2])
	}
	pads, err := g.F.Paddings(n)
	if err != nil {
		return g, err
	}
	if d := n.Ints("dilations"); len(d) != 0 && len(d) != 4 {
		return g, tensor.Errorf(tensor.InvalidArgument, "dilations has %d values; 4 are required", len(d))
	} else if len(d) != 0 && (d[g.F.Space[0]] < 1 || d[g.F.Space[1]] < 1) {
		return g, tensor.Errorf(tensor.InvalidArgument, "dilations must be positive and fit 32 bits: %v", d)
	}
	strides, err := g.F.Spatial(n, "strides")
	if err != nil {
		return g, err
	}
	dils, err := g.F.Spatial(n, "dilations")
	if err != nil {
		return g, err
	}
	if depthwise && strides[0] != strides[1] {
		return g, UnevenStrides(strides)
	}
	if err := g.F.OnCPU(n, dils); err != nil {
		return g, err
	}
	g.N, g.C = image[0], image[g.F.Channels]
	g.Cg, g.Oc = filter[2], filter[3]
	if depthwise {
		g.Oc = g.Cg.Mul(filter[3])
		g.groups = g.Cg
	} else {
		if g.Cg.Is(0) {
			return g, tensor.Errorf(tensor.InvalidArgument, "the filter has no input channels")
		}
		if g.C.Is(0) {
			return g, tensor.Errorf(tensor.InvalidArgument, "the image has no channels")
		}
		g.groups = g.C.Div(g.Cg)
		if !g.C.Mod(g.Cg).Is(0) && kit.IsInt(g.C) && kit.IsInt(g.Cg) {
			return g, tensor.Errorf(tensor.InvalidArgument, "the image's %v channels are not a multiple of the filter's %v", g.C, g.Cg)
		}
		if gr, ok := g.groups.IsInt(); ok && gr > 1 && kit.IsInt(g.Oc) && !g.Oc.Mod(g.groups).Is(0) {
			return g, tensor.Errorf(tensor.InvalidArgument, "%v filters are not a multiple of %d groups", g.Oc, gr)
		}
	}
	for i := range 2 {
		g.In[i], g.K[i] = image[g.F.Space[i]], filter[i]
		g.Stride[i], g.Dil[i] = strides[i], dils[i]
		w := window{g.In[i], g.K[i], strides[i], dils[i], pads[i][0], pads[i][1]}
		g.Out[i], g.pad[i] = w.sizes(n.Str("padding"))
		if w.tooLarge(n.Str("padding")) {
			return g, tensor.Errorf(tensor.InvalidArgument, "the window %v is larger than the image %v with its padding", g.K[i], g.In[i])
		}
	}
	return g, nil
}

// UnevenStrides returns TensorFlow's error for a depthwise convolution with different strides.
func UnevenStrides(strides []int) error {
	return tensor.Errorf(tensor.InvalidArgument, "a depthwise convolution needs the same stride for rows and columns, not %v", strides)
}

func conv2dShape(c *lower.Shaper) error { return convShape(c, false) }

func depthwiseShape(c *lower.Shaper) error { return convShape(c, true) }

func conv2dLower(b *lower.Builder) error { return convLower(b, &kit.Epilogue{}) }

func depthwiseLower(b *lower.Builder) error { return depthwiseWith(b, &kit.Epilogue{}) }

func fusedConv2dLower(b *lower.Builder) error {
	e, err := kit.FusedEpilogue(b, 2)
	if err != nil {
		return err
	}
	return convLower(b, &e)
}

func fusedDepthwiseLower(b *lower.Builder) error {
	e, err := kit.FusedEpilogue(b, 2)
	if err != nil {
		return err
	}
	return depthwiseWith(b, &e)
}

func convShape(c *lower.Shaper, depthwise bool) error {
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
		// The attributes are checked even if shapes are unknown.
		one := []*sym.Expr{sym.One, sym.One, sym.One, sym.One}
		if _, err := ConvGeometryOf(c.Node, one, one, depthwise); err != nil {
			return err
		}
		c.Set(0, d, ir.Shape{})
		return nil
	}
	g, err := ConvGeometryOf(c.Node, image.Dims, filter.Dims, depthwise)
	if err != nil {
		return err
	}
	c.Set(0, d, g.F.Shape(g.N, g.Oc, g.Out[0], g.Out[1]))
	return nil
}

// Checks appends the checks left for run time.
func (g *ConvGeometry) Checks(b *lower.Builder, depthwise bool) error {
	if depthwise {
		if err := kit.RequireSame(b, g.C, g.Cg, "the image and the filter must have the same channels"); err != nil {
			return err
		}
	} else {
		if !g.C.Mod(g.Cg).Is(0) {
			b.Check(shape.AtLeast, g.Cg, 1, "the filter's input channels")
			b.Check(shape.Equal, g.C.Mod(g.Cg), 0, "the image's channels must be a multiple of the filter's")
		}
		if !g.groups.Is(1) && !kit.IsInt(g.groups) {
			b.Check(shape.AtLeast, g.groups, 1, "the number of groups")
			b.Check(shape.Equal, g.Oc.Mod(g.groups), 0, "the filters must be a multiple of the groups")
		}
	}
	for i := range 2 {
		if err := kit.AtLeast(b, g.Out[i], 0, "the size of the result"); err != nil {
			return err
		}
	}
	taps := g.K[0].Mul(g.K[1])
	if v, known := taps.IsInt(); !depthwise && !(known && v > 0) {
		b.Check(conv.HasTaps, b.OutLen(0), taps)
	}
	return nil
}

// residual replaces the residual e.Res, the tensor that is added to the result of the convolution,
// by a transposed copy with the channels last. It does nothing if the channels are last already.
func (g *ConvGeometry) residual(b *lower.Builder, e *kit.Epilogue) error {
	if e.Res == nil || !g.F.First() {
		return nil
	}
	v, err := kit.Transposed(b, *e.Res, g.N, g.Oc, g.Out[0].Mul(g.Out[1]))
	e.Res = &v
	return err
}

// convLower lowers Conv2D and its fused forms. The kernels read and write images in the layout
// NHWC. Images in the layout NCHW are transposed in scratch memory before and after the call of the
// kernel.
func convLower(b *lower.Builder, e *kit.Epilogue) error {
	g, err := ConvGeometryOf(b.Node, b.InShape(0), b.InShape(1), false)
	if err != nil {
		return err
	}
	if err := g.Checks(b, false); err != nil {
		return err
	}
	if err := e.Check(b, g.Oc); err != nil {
		return err
	}
	if err := g.residual(b, e); err != nil {
		return err
	}
	in, err := channelsLast(b, 0, g.F)
	if err != nil {
		return err
	}
	out, done := outLast(b, 0, g.F)
	if b.Moves() {
		g.onDev(b, e, out, in, false)
		return done()
	}
	g.upright()
	d := b.InFact(0).DType
	q := plan.Lit(conv.Params{StrideH: g.Stride[0], StrideW: g.Stride[1], DilH: g.Dil[0], DilW: g.Dil[1], Act: e.Clamp()},
		"N", g.N, "H", g.In[0], "W", g.In[1], "C", g.C, "KH", g.K[0], "KW", g.K[1], "OH", g.Out[0], "OW", g.Out[1],
		"OC", g.Oc, "Groups", g.groups, "PadTop", g.pad[0], "PadLeft", g.pad[1])
	if d == tensor.Float32 {
		bias, res := e.Bias, e.Res
		if e.Norm != nil {
			bias, res = nil, nil
		}
		axis, f := g.fold(b, bias, res)
		switch {
		case g.pointwise():
			p := linalgops.Product{M: sym.Product([]*sym.Expr{g.N, g.Out[0], g.Out[1]}), N: g.Oc, K: g.C}
			linalgops.GemmCall(b, out, in, g.packed(b), p, plan.Lit(gemm.Params{Act: e.Clamp()}, "M", p.M, "N", p.N, "K", p.K), &kit.Epilogue{Bias: bias, Res: res})
		case f > 0:
			if err := g.foldedCall(b, axis, f, out, in, bias, res, q); err != nil {
				return err
			}
		case g.sizeAtRun(b):
			g.autoCall(b, out, in, bias, res, q)
		case g.winograd(b):
			g.call(b, winogradByWeights, conv.WinogradScratchLen, out, in, g.transformed(b), bias, res, q, true)
		default:
			g.call(b, convByWeights, conv.ScratchLen, out, in, g.packed(b), bias, res, q, false)
		}
		if err := e.Finish(b, out, d, g.Oc); err != nil {
			return err
		}
		return done()
	}
	q.V = func() conv.Params { p := q.V.(conv.Params); p.Act = 0; return p }()
	fn, err := kit.KernelFor(b, d, conv.F64, conv.I32, conv.F16, conv.BF16)
	if err != nil {
		return err
	}
	acc := d
	if d == tensor.Half || d == tensor.BFloat16 {
		acc = tensor.Float32
	}
	b.Call(fn, out, in, b.In(1), b.Temp(acc, g.Oc), q)
	if err := e.Separate(b, out, d, g.Oc); err != nil {
		return err
	}
	return done()
}

// winograd reports whether Winograd's method is used. The filter must be a constant. Either an
// option selects the method, or its estimated cost is clearly lower than that of direct
// convolution. The estimate assumes usual values for sizes unknown at compile time.
func (g *ConvGeometry) winograd(b *lower.Builder) bool {
	p, ok := g.knownFilter(b)
	return ok && prefersWinograd(b, p)
}

// knownFilter returns the parameters of a convolution with a constant filter, with 0 for unknown
// sizes. It returns false if the filter is not constant or Winograd's method is not allowed.
func (g *ConvGeometry) knownFilter(b *lower.Builder) (conv.Params, bool) {
	gr, ok := g.groups.IsInt()
	t := b.InConst(1)
	if b.Exact() || t == nil || !ok {
		return conv.Params{}, false
	}
	p := conv.Params{
		C: t.Shape[2] * gr, KH: t.Shape[0], KW: t.Shape[1], OC: t.Shape[3], Groups: gr,
		StrideH: g.Stride[0], StrideW: g.Stride[1], DilH: g.Dil[0], DilW: g.Dil[1],
	}
	p.N, _ = g.N.IsInt()
	p.OH, _ = g.Out[0].IsInt()
	p.OW, _ = g.Out[1].IsInt()
	return p, true
}

// winogradSize returns the number of floats for each output channel in a filter transformed for
// Winograd's method.
func (g *ConvGeometry) winogradSize(b *lower.Builder) *sym.Expr {
	s := b.InConst(1).Shape
	return sym.Int(conv.WinogradPackedLen(s[0], s[1], s[2], 16) / 16)
}

// transformed returns the constant filter transformed for Winograd's method.
func (g *ConvGeometry) transformed(b *lower.Builder) plan.View {
	t := b.InConst(1)
	s := t.Shape
	dst := make([]float32, conv.WinogradPackedLen(s[0], s[1], s[2], s[3]))
	conv.PackWinogradF32(dst, tensor.Data[float32](t), s[0], s[1], s[2], s[3])
	return b.Const("filter transformed for Winograd's method, in panels of 16 channels", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(dst)}, Data: dst})
}

// packed returns the filter packed into panels. If the filter is known at compile time, the panels
// are a constant; otherwise they are scratch that an appended call fills.
func (g *ConvGeometry) packed(b *lower.Builder) plan.View {
	gr, ok := g.groups.IsInt()
	if t := b.InConst(1); t != nil && ok {
		s := t.Shape
		dst := make([]float32, conv.PackedLen(s[0], s[1], s[2], s[3], gr))
		conv.PackF32(dst, tensor.Data[float32](t), s[0], s[1], s[2], s[3], gr)
		return b.Const("filter in panels of 16 channels", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(dst)}, Data: dst})
	}
	k := g.K[0].Mul(g.K[1]).Mul(g.Cg)
	size := g.Oc.Div(g.groups).CeilDiv(sym.Int(16)).MulInt(16).Mul(k).Mul(g.groups)
	t := b.Temp(tensor.Float32, size)
	b.Call(conv.PackF32, kit.Writes(t), b.In(1), g.K[0], g.K[1], g.Cg, g.Oc, g.groups)
	return kit.Reads(t)
}

func depthwiseWith(b *lower.Builder, e *kit.Epilogue) error {
	g, err := ConvGeometryOf(b.Node, b.InShape(0), b.InShape(1), true)
	if err != nil {
		return err
	}
	if err := g.Checks(b, true); err != nil {
		return err
	}
	if err := e.Check(b, g.Oc); err != nil {
		return err
	}
	if err := g.residual(b, e); err != nil {
		return err
	}
	in, err := channelsLast(b, 0, g.F)
	if err != nil {
		return err
	}
	out, done := outLast(b, 0, g.F)
	if b.Moves() {
		g.onDev(b, e, out, in, true)
		return done()
	}
	d := b.InFact(0).DType
	p := conv.DepthwiseParams{StrideH: g.Stride[0], StrideW: g.Stride[1], DilH: g.Dil[0], DilW: g.Dil[1]}
	fused := d == tensor.Float32 && e.Norm == nil && e.Res == nil
	if fused {
		p.Act = e.Clamp()
	}
	q := plan.Lit(p, "N", g.N, "H", g.In[0], "W", g.In[1], "C", g.C, "KH", g.K[0], "KW", g.K[1],
		"OH", g.Out[0], "OW", g.Out[1], "Mult", b.InShape(1)[3], "PadTop", g.pad[0], "PadLeft", g.pad[1])
	if d == tensor.Float32 {
		if fused {
			q = q.With("Bias", e.Bias)
		}
		free := []string{"N"}
		// with one result channel per input channel, the kernel never needs scratch memory
		if b.InShape(1)[3].Is(1) {
			free = append(free, "H", "W", "C", "OH", "OW", "KH", "KW", "PadTop", "PadLeft")
		}
		if n, known := kit.ScratchLen(conv.DepthwiseScratchLen, q, free...); known {
			sp := g.rowSplit(g.K[0].Mul(g.K[1]), lower.DepthwiseTap)
			l := b.Par(g.N.Mul(g.Out[0]), sp)
			l.Call(conv.DepthwiseF32, lower.Rows(out, g.Out[1].Mul(g.Oc)), in, b.In(1), l.Temp(d, sym.Int(n)),
				q.With("First", plan.Lo, "Rows", plan.Count))
			l.Halo(plan.Halo{Buf: in.Buf, Row: g.In[1].Mul(g.C), Height: g.In[0], Rows: g.Out[0], Stride: g.Stride[0], Pad: g.pad[0],
				Span: g.K[0].AddInt(-1).MulInt(g.Dil[0]).AddInt(1), First: "InFirst"})
		} else {
			b.Call(conv.DepthwiseF32, out, in, b.In(1), kit.Scratch(b, d, conv.DepthwiseScratchLen, q, "N"), q)
		}
		if fused {
			err = e.Finish(b, out, d, g.Oc)
		} else {
			err = e.Separate(b, out, d, g.Oc)
		}
		if err != nil {
			return err
		}
		return done()
	}
	fn, err := kit.KernelFor(b, d, conv.DepthwiseF64, conv.DepthwiseF16, conv.DepthwiseBF16)
	if err != nil {
		return err
	}
	b.Call(fn, out, in, b.In(1), q)
	if err := e.Separate(b, out, d, g.Oc); err != nil {
		return err
	}
	return done()
}

// pointwise reports whether the convolution is a matrix product over all pixels: its window is one
// pixel, its stride 1, and it has neither padding nor groups.
func (g *ConvGeometry) pointwise() bool {
	return g.K[0].Is(1) && g.K[1].Is(1) && g.Stride == [2]int{1, 1} && g.groups.Is(1) && g.pad[0].Is(0) && g.pad[1].Is(0) &&
		g.Out[0].Equal(g.In[0]) && g.Out[1].Equal(g.In[1])
}

// upright exchanges height and width if the image, the filter and the result have a single row, so
// that each of them becomes a single column. The layout in memory does not change. The loop over
// the rows of the result then has more than one iteration: it can be divided among threads and
// joined with other loops.
func (g *ConvGeometry) upright() {
	if !g.In[0].Is(1) || !g.Out[0].Is(1) || !g.K[0].Is(1) || !g.pad[0].Is(0) {
		return
	}
	for _, d := range []*[2]*sym.Expr{&g.In, &g.K, &g.Out, &g.pad} {
		d[0], d[1] = d[1], d[0]
	}
	g.Stride[0], g.Stride[1] = g.Stride[1], g.Stride[0]
	g.Dil[0], g.Dil[1] = g.Dil[1], g.Dil[0]
}

// rowSplit returns how the loop over the rows of the result is divided among threads. The parameter
// taps is the number of multiplications for each element of the result, and the parameter ps is the
// time of one multiplication in picoseconds.
func (g *ConvGeometry) rowSplit(taps *sym.Expr, ps int) plan.Split {
	sp := plan.Split{Work: sym.Product([]*sym.Expr{g.Out[1], g.Oc, taps}).MulInt(ps)}
	w, wok := g.Out[1].IsInt()
	c, cok := g.Oc.IsInt()
	if wok && cok && w > 0 {
		sp.Least = (lower.HeavyLeast + w - 1) / w
		sp.Join = sym.Int(max(lower.HeavyElements/max(w*c, 1), sp.Least))
	}
	return sp
}

// convByWeights lists the convolution kernels for f32 data, by the type in which the weights are
// stored.
var convByWeights = &lower.ByWeights{
	Fns: [...]any{conv.F32, conv.F32F16, conv.F32BF16, conv.F32I8},
	Depth: func(s plan.Struct) int {
		p := weightParams(s)
		if p.C%p.Groups != 0 || p.OC%p.Groups != 0 {
			return 0
		}
		return p.KH * p.KW * (p.C / p.Groups)
	},
	Room: func(s plan.Struct, _ int) int { return conv.WideLen(weightParams(s)) },
}

// winogradByWeights is Winograd's method, which supports only f32 weights.
var winogradByWeights = &lower.ByWeights{Fns: [4]any{conv.WinogradF32}}

// weightParams returns the parameters of a convolution that determine the size of its weights.
func weightParams(s plan.Struct) conv.Params {
	return conv.Params{KH: lower.StructInt(s, "KH"), KW: lower.StructInt(s, "KW"), C: lower.StructInt(s, "C"), OC: lower.StructInt(s, "OC"),
		Groups: max(lower.StructInt(s, "Groups"), 1)}
}

// call appends the kernel calls of a convolution. They are in a loop over the rows of the result
// or, if the result has few pixels, in a loop over its channels. If the scratch memory has no bound
// that is known before the loop, call appends a single call without a loop instead.
func (g *ConvGeometry) call(b *lower.Builder, by *lower.ByWeights, lenOf any, out, in, filter plan.View, bias, res *plan.View, q plan.Struct, winograd bool) {
	d := tensor.Float32
	n, known := g.scratch(lenOf, q, winograd)
	if !known || !b.BeforeSteps(n) {
		b.Step(b.Weigh(lower.Weighing{By: by, Out: out, In: in, Weights: filter, Scratch: kit.Scratch(b, d, lenOf, q, "N"),
			Params: q.With("Bias", bias, "Res", res), Residual: res}))
		return
	}
	depth := sym.Product([]*sym.Expr{g.K[0], g.K[1], g.Cg})
	pixels := sym.Product([]*sym.Expr{g.N, g.Out[0], g.Out[1]})
	// size is the number of filter elements for each output channel; work is the time in
	// picoseconds that it takes to compute one output channel.
	size, work := depth, pixels.Mul(depth).MulInt(lower.Flops)
	px, ok := pixels.IsInt()
	byChannels := ok && px > 0 && px <= fewPixels && g.groups.Is(1)
	if winograd {
		size, work = g.winogradSize(b), work.Div(sym.Int(2))
		px, ok = g.Out[0].Mul(g.Out[1]).IsInt()
		byChannels = ok && px > 0 && px <= fewTiles
	}
	if oc, ok := g.Oc.IsInt(); ok && oc < 2*channelGrain {
		byChannels = false // there would be one chunk
	}
	if byChannels {
		l := b.Par(g.Oc.Mul(sym.Min(g.N, sym.One)), plan.Split{Grain: channelGrain, Least: leastChannels, Work: work, Strided: true})
		bias = kit.PartOf(bias, func(v plan.View) plan.View { return v.At(plan.Lo, plan.Count) })
		cols := func(v plan.View) plan.View { return v.At(plan.Lo, pixels.AddInt(-1).Mul(g.Oc).Add(plan.Count)) }
		res = kit.PartOf(res, cols)
		l.Add(b.Weigh(lower.Weighing{By: by, Out: cols(out), In: in, Weights: filter.At(plan.Lo.Mul(size), plan.Count.CeilDiv(sym.Int(16)).MulInt(16).Mul(size)),
			Scratch: l.Temp(d, n), Params: q.With("OC", plan.Count, "LdOut", g.Oc, "LdRes", g.Oc, "Bias", bias, "Res", res), Residual: res}))
		return
	}
	sp := g.rowSplit(depth, lower.Flops)
	if winograd {
		sp = g.winogradSplit(sp, depth)
	}
	l := b.Par(g.N.Mul(g.Out[0]), sp)
	row := g.Out[1].Mul(g.Oc)
	res = kit.PartOf(res, func(v plan.View) plan.View { return lower.Rows(v, row) })
	l.Add(b.Weigh(lower.Weighing{By: by, Out: lower.Rows(out, row), In: in, Weights: filter, Scratch: l.Temp(d, n),
		Params: q.With("First", plan.Lo, "Rows", plan.Count, "Bias", bias, "Res", res), Residual: res}))
}

// If the result has at most fewPixels pixels, the convolution is divided among threads by its
// output channels and not by rows. With Winograd's method, the limit is fewTiles pixels in each
// image of the result: for each tile, the method reads so much of its filter that every thread
// should read a separate part of the filter.
const (
	fewPixels = 100
	fewTiles  = 1024
	// Chunks begin at multiples of channelGrain channels.
	channelGrain = 32
	// leastChannels is the smallest number of channels in a chunk. Chunks must not be smaller,
	// because each chunk reads all of the input.
	leastChannels = 128
)

// winogradSplit returns the given division of a loop among threads, adapted to Winograd's method:
// chunks of the loop begin and end between rows of tiles. Each chunk reads all weights. If the loop
// is joined with other loops, a chunk must therefore have enough tiles that reading the weights
// takes only a small part of its time.
func (g *ConvGeometry) winogradSplit(sp plan.Split, depth *sym.Expr) plan.Split {
	const side, tiles = 4, 56
	sp.Grain, sp.Wrap, sp.Work = side, g.Out[0], g.rowSplit(depth, lower.Flops/2).Work
	w, ok := g.Out[1].IsInt()
	if !ok || w <= 0 {
		sp.Join = nil
		return sp
	}
	across := (w + side - 1) / side
	sp.Least = (tiles + across - 1) / across * side
	if h, ok := g.Out[0].IsInt(); ok {
		sp.Least = min(sp.Least, (h+side-1)/side*side)
	}
	sp.Join = sym.Max(sp.Join, sym.Int(sp.Least))
	return sp
}

// scratch returns an upper bound for the number of elements of scratch memory that conv.F32 needs
// or, if winograd is true, that conv.WinogradF32 needs. lenOf is the function that computes this
// number from known sizes. The second result of scratch is false if the bound depends on unknown
// sizes of the filter.
func (g *ConvGeometry) scratch(lenOf any, q plan.Struct, winograd bool) (*sym.Expr, bool) {
	// The scratch memory of WinogradF32 holds one block of tiles. Its upper bound does not depend
	// on the size of the image.
	if winograd {
		n, ok := kit.ScratchLen(lenOf, q, "N", "H", "W", "OH", "OW", "PadTop", "PadLeft")
		return sym.Int(n), ok
	}
	if n, ok := kit.ScratchLen(lenOf, q, "N"); ok {
		return sym.Int(n), true
	}
	kh, hok := g.K[0].IsInt()
	kw, wok := g.K[1].IsInt()
	if !hok || !wok {
		return nil, false
	}
	span := (kh-1)*g.Dil[0] + 1
	width := g.Out[1].AddInt(-1).MulInt(g.Stride[1]).AddInt((kw-1)*g.Dil[1] + 1)
	most := conv.MaxBand
	if kh == 1 && kw == 1 { // gemm.F32, which applies a 1×1 filter, may need scratch memory
		n, _ := kit.ScratchLen(gemm.ScratchLen, plan.Lit(gemm.Params{}, "M", g.N, "N", g.Oc, "K", g.Cg), "M", "N", "K")
		most = max(most, n)
	}
	return sym.Max(sym.Int(most), sym.Max(width, sym.Zero).MulInt(span).Mul(g.Cg)), true
}

// sizeAtRun reports whether the choice between direct convolution and Winograd's method is made at
// run time. This is so if Winograd's method is possible and no option selects a method, but the
// height or width of the result is unknown at compile time.
func (g *ConvGeometry) sizeAtRun(b *lower.Builder) bool {
	if kit.IsInt(g.Out[0]) && kit.IsInt(g.Out[1]) || b.Method() != "" {
		return false
	}
	p, ok := g.knownFilter(b)
	return ok && conv.WinogradOK(p)
}

// autoCall appends a call that chooses between direct convolution and Winograd's method at run
// time. The call receives the filter packed for either method. Its loop over rows is divided so
// that both methods can use it.
func (g *ConvGeometry) autoCall(b *lower.Builder, out, in plan.View, bias, res *plan.View, q plan.Struct) {
	d := tensor.Float32
	direct, ok := g.scratch(conv.ScratchLen, q, false)
	wino, known := g.scratch(conv.WinogradScratchLen, q, true)
	if !ok || !known || !b.BeforeSteps(direct) {
		g.call(b, convByWeights, conv.ScratchLen, out, in, g.packed(b), bias, res, q, false)
		return
	}
	depth := sym.Product([]*sym.Expr{g.K[0], g.K[1], g.Cg})
	l := b.Par(g.N.Mul(g.Out[0]), g.winogradSplit(g.rowSplit(depth, lower.Flops), depth))
	row := g.Out[1].Mul(g.Oc)
	res = kit.PartOf(res, func(v plan.View) plan.View { return lower.Rows(v, row) })
	call := l.Call(conv.AutoF32, lower.Rows(out, row), in, g.packed(b), g.transformed(b), l.Temp(d, sym.Max(direct, wino)),
		q.With("First", plan.Lo, "Rows", plan.Count, "Bias", bias, "Res", res))
	lower.Over(call, out, res)
}

// prefersWinograd reports whether Winograd's method is used for a node for which it is possible.
func prefersWinograd(b *lower.Builder, p conv.Params) bool {
	switch b.Method() {
	case lower.Direct:
		return false
	case lower.Winograd:
		_, cost := conv.Cost(p)
		return cost >= 0
	}
	return conv.PrefersWinograd(p)
}
