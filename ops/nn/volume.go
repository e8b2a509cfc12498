package nn

import (
	"cmp"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/pool"
	"github.com/graphc/graphc/kernels/volume"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var volumeDefs = []*lower.Def{
	{Name: "Conv3D", Flags: lower.Expensive, Traits: lower.LosesZeroSign, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: conv3dLower},
	{Name: "_FusedConv3D", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Limits: kit.MadeByPasses, Shape: windowShape, Lower: fusedConv3dLower},
	{Name: "Conv3DBackpropInputV2", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: windowGradLower},
	{Name: "Conv3DBackpropFilterV2", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: windowGradLower},
	{Name: "Conv3DBackpropInput", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": {tensor.Half, tensor.Float32, tensor.Float64}}, Shape: windowShape, Lower: windowGradLower},
	{Name: "Conv3DBackpropFilter", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": {tensor.Half, tensor.Float32, tensor.Float64}}, Shape: windowShape, Lower: windowGradLower},
	{Name: "Conv2DBackpropFilter", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: windowGradLower},
	{Name: "DepthwiseConv2dNativeBackpropInput", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: windowGradLower},
	{Name: "DepthwiseConv2dNativeBackpropFilter", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: windowGradLower},
	{Name: "MaxPool3D", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: pool3dLower},
	{Name: "AvgPool3D", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: pool3dLower},
	{Name: "MaxPoolWithArgmax", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: windowShape, Lower: argmaxLower},
	{Name: "AvgPoolGrad", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: avgGradLower},
	{Name: "AvgPool3DGrad", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: avgGradLower},
	{Name: "MaxPoolGrad", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: windowShape, Lower: maxGradLower},
	{Name: "MaxPoolGradV2", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Limits: "ksize and strides must be constants", Shape: windowShape, Lower: maxGradLower},
	{Name: "MaxPool3DGrad", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: maxGradLower},
	{Name: "MaxPoolGradGrad", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: windowShape, Lower: maxGradLower},
	{Name: "MaxPoolGradGradV2", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Limits: "ksize and strides must be constants", Shape: windowShape, Lower: maxGradLower},
	{Name: "MaxPool3DGradGrad", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: windowShape, Lower: maxGradLower},
	{Name: "MaxPoolGradWithArgmax", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: windowShape, Lower: argGradLower},
}

// windowKind gives the roles of the inputs of an op with windows.
type windowKind struct {
	rank  int // spatial dimensions
	image int // the number of the input that holds the image; -1 if only its shape is an input
	sizes int // the number of the input that holds a shape as a vector; -1 if no input does
	// the number of the input that holds the filter; -1 if only its shape is an input; -2 for
	// pooling
	filter    int
	grad      int  // the number of the input that holds the gradient of the result; -1 if no input does
	depthwise bool // whether the op is a depthwise convolution, with the filter [KH,KW,C,M]
	like      int  // which tensor has the same shape as the op's output: windowOut, windowImage or windowFilter
}

const (
	windowOut = iota
	windowImage
	windowFilter
)

var windowKinds = map[string]windowKind{
	"Conv3D":                              {3, 0, -1, 1, -1, false, windowOut},
	"_FusedConv3D":                        {3, 0, -1, 1, -1, false, windowOut},
	"Conv3DBackpropInputV2":               {3, -1, 0, 1, 2, false, windowImage},
	"Conv3DBackpropFilterV2":              {3, 0, 1, -1, 2, false, windowFilter},
	"Conv3DBackpropInput":                 {3, 0, -1, 1, 2, false, windowImage},
	"Conv3DBackpropFilter":                {3, 0, -1, 1, 2, false, windowFilter},
	"Conv2DBackpropFilter":                {2, 0, 1, -1, 2, false, windowFilter},
	"DepthwiseConv2dNativeBackpropInput":  {2, -1, 0, 1, 2, true, windowImage},
	"DepthwiseConv2dNativeBackpropFilter": {2, 0, 1, -1, 2, true, windowFilter},
	"MaxPool3D":                           {3, 0, -1, -2, -1, false, windowOut},
	"AvgPool3D":                           {3, 0, -1, -2, -1, false, windowOut},
	"MaxPoolWithArgmax":                   {2, 0, -1, -2, -1, false, windowOut},
	"AvgPoolGrad":                         {2, -1, 0, -2, 1, false, windowImage},
	"AvgPool3DGrad":                       {3, -1, 0, -2, 1, false, windowImage},
	"MaxPoolGrad":                         {2, 0, -1, -2, 2, false, windowImage},
	"MaxPoolGradV2":                       {2, 0, -1, -2, 2, false, windowImage},
	"MaxPool3DGrad":                       {3, 0, -1, -2, 2, false, windowImage},
	"MaxPoolGradGrad":                     {2, 0, -1, -2, 1, false, windowOut},
	"MaxPoolGradGradV2":                   {2, 0, -1, -2, 1, false, windowOut},
	"MaxPool3DGradGrad":                   {3, 0, -1, -2, 1, false, windowOut},
	"MaxPoolGradWithArgmax":               {2, 0, -1, -2, 1, false, windowImage},
}

// volumeGeometry holds the sizes of an op with windows. All these ops are treated as
// three-dimensional: a two-dimensional op has depth 1.
type volumeGeometry struct {
	windowKind
	f         kit.Format
	n, c, oc  *sym.Expr
	in, k     [3]*sym.Expr
	out, pad  [3]*sym.Expr
	stride    [3]int
	dil       [3]int
	filter    []*sym.Expr
	mult      *sym.Expr
	imageDims []*sym.Expr
}

// volumeOf returns the sizes of the window op n. ok is false if the shape of an input is unknown.
func volumeOf(g *ir.Graph, n *ir.Node, ints func(int) ([]int, bool)) (v volumeGeometry, ok bool, err error) {
	v.windowKind = windowKinds[n.Op]
	if v.f, err = formatOf(n, v.rank); err != nil {
		return v, false, err
	}
	dimsOf := func(i int) ([]*sym.Expr, error) {
		s := n.Ins[i].Fact().Shape
		if s.Known && len(s.Dims) != v.rank+2 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; rank %d is required", i, s, v.rank+2)
		}
		return s.Dims, nil
	}
	var stated []*sym.Expr
	if v.sizes >= 0 {
		s := n.Ins[v.sizes].Fact().Shape
		if s.Known && len(s.Dims) != 1 {
			return v, false, tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; a vector is required", v.sizes, s)
		}
		if es, ok := lower.IntsOf(g, n.Ins[v.sizes]); ok {
			stated = es
		} else if s.Known {
			for k := range v.rank + 2 {
				stated = append(stated, g.FreshSymbol(n.Ins[v.sizes], k))
			}
		}
		if stated != nil && len(stated) != v.rank+2 {
			return v, false, tensor.Errorf(tensor.InvalidArgument, "input %d has %d elements; %d are required", v.sizes, len(stated), v.rank+2)
		}
	}
	image := stated
	if v.image >= 0 {
		if image, err = dimsOf(v.image); err != nil {
			return v, false, err
		}
	}
	pool := v.windowKind.filter == -2
	if !pool {
		v.filter = stated
		if v.windowKind.filter >= 0 {
			if v.filter, err = dimsOf(v.windowKind.filter); err != nil {
				return v, false, err
			}
		}
	}
	var ksize, strides []int
	if pool {
		if ksize, strides, err = v.poolWindow(n, ints); err != nil {
			return v, false, err
		}
	} else if strides, err = v.f.Spatial(n, "strides"); err != nil {
		return v, false, err
	}
	if v.depthwise && strides[0] != strides[1] {
		return v, false, UnevenStrides(strides)
	}
	dils := []int{1, 1, 1}
	if !pool && !v.depthwise { // TensorFlow's gradients of depthwise convolutions ignore dilations
		if dils, err = v.f.Spatial(n, "dilations"); err != nil {
			return v, false, err
		}
	}
	if err := v.f.OnCPU(n, dils); err != nil {
		return v, false, err
	}
	pads, err := v.f.Paddings(n)
	if err != nil || image == nil || !pool && v.filter == nil {
		return v, false, err
	}
	v.imageDims = image
	v.n, v.c = image[0], image[v.f.Channels]
	v.oc = v.c
	if !pool {
		cin := v.filter[v.rank]
		if lower.Differ(v.c, cin) {
			return v, false, tensor.Errorf(tensor.InvalidArgument, "the image has %v channels, but the filter %v", v.c, cin)
		}
		v.oc, v.mult = v.filter[v.rank+1], v.filter[v.rank+1]
		if v.depthwise {
			v.oc = v.c.Mul(v.mult)
		}
	}
	for i := range 3 {
		v.in[i], v.k[i], v.out[i], v.pad[i], v.stride[i], v.dil[i] = sym.One, sym.One, sym.One, sym.Zero, 1, 1
	}
	for i, at := range v.f.Space {
		o := 3 - v.rank + i
		v.in[o], v.stride[o], v.dil[o] = image[at], strides[i], dils[i]
		if pool {
			v.k[o] = sym.Int(ksize[i])
		} else {
			v.k[o] = v.filter[i]
		}
		w := window{v.in[o], v.k[o], strides[i], dils[i], pads[i][0], pads[i][1]}
		v.out[o], v.pad[o] = w.sizes(n.Str("padding"))
		if v.rank == 3 && v.like == windowOut && !pool && v.grad < 0 && n.Str("padding") == "SAME" {
			total := v.out[o].AddInt(-1).MulInt(w.stride).Add(w.size.AddInt(-1).MulInt(w.dil).AddInt(1)).Sub(w.in)
			v.pad[o] = arrayops.HalfPad(total, true)
		}
		if w.tooLarge(n.Str("padding")) {
			return v, false, tensor.Errorf(tensor.InvalidArgument, "the window %v is larger than the image %v with its padding", v.k[o], v.in[o])
		}
	}
	return v, true, nil
}

// poolWindow returns ksize and strides over space. It rejects windows over batch or channels.
func (v *volumeGeometry) poolWindow(n *ir.Node, ints func(int) ([]int, bool)) (ksize, strides []int, err error) {
	k, s, err := poolWindow(n, ints)
	if err != nil {
		return nil, nil, err
	}
	if len(k) != v.rank+2 || len(s) != v.rank+2 {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "ksize %v and strides %v must have %d values", k, s, v.rank+2)
	}
	// an unsupported format takes precedence over the Unimplemented errors below
	if err := v.f.OnCPU(n, nil); err != nil {
		return nil, nil, err
	}
	over := tensor.Errorf(tensor.Unimplemented, "pooling over batch or channels: ksize %v, strides %v", k, s)
	if k[0] == 1 && s[0] == 1 && k[v.f.Channels] == 1 && s[v.f.Channels] == 1 {
		over = nil
	}
	if _, attr := n.Attrs["ksize"]; !attr && over != nil {
		return nil, nil, over
	}
	if n.Op == "AvgPoolGrad" && (k[0] != 1 || s[0] != 1) && int(int32(k[0])) == k[0] && int(int32(s[0])) == s[0] {
		return nil, nil, over
	}
	if err := cmp.Or(v.f.CheckWindow(n, "ksize", k), v.f.CheckWindow(n, "strides", s)); err != nil {
		return nil, nil, err
	}
	for _, at := range v.f.Space {
		ksize, strides = append(ksize, k[at]), append(strides, s[at])
	}
	return ksize, strides, nil
}

// result is the shape of the op's output.
func (v *volumeGeometry) result() ir.Shape {
	switch v.like {
	case windowImage:
		return ir.ShapeOf(v.imageDims...)
	case windowFilter:
		return ir.ShapeOf(v.filter...)
	}
	return v.outShape()
}

func (v *volumeGeometry) outShape() ir.Shape {
	return v.f.Shape(v.n, v.oc, v.out[3-v.rank:]...)
}

func windowShape(c *lower.Shaper) error {
	d := c.Node.DType("T")
	v, ok, err := volumeOf(c.Graph, c.Node, c.StaticInts)
	if err != nil {
		return err
	}
	out := ir.Shape{}
	if ok {
		out = v.result()
		if v.grad >= 0 && v.like != windowOut {
			if g := c.Shape(v.grad); g.Known {
				want := v.outShape()
				if len(g.Dims) != len(want.Dims) {
					return tensor.Errorf(tensor.InvalidArgument, "the gradient has the shape %v; %v is required", g, want)
				}
				for i := range g.Dims {
					if lower.Differ(g.Dims[i], want.Dims[i]) {
						return tensor.Errorf(tensor.InvalidArgument, "the gradient has the shape %v; %v is required", g, want)
					}
				}
			}
		}
	}
	c.Set(0, d, out)
	if c.Node.Op == "MaxPoolWithArgmax" {
		c.Set(1, c.Node.DType("Targmax"), out)
	}
	return nil
}

// volumeLower returns the sizes of the node's window op, both as v and as the kernel parameters q.
// It appends the checks of sizes that are known only at run time.
func volumeLower(b *lower.Builder) (v volumeGeometry, q plan.Struct, err error) {
	v, ok, err := volumeOf(b.Graph, b.Node, b.StaticInts)
	if err != nil {
		return v, q, err
	}
	if !ok {
		return v, q, lower.UnknownRank(b.Node, 0)
	}
	if v.sizes >= 0 {
		if err := kit.RequireSame(b, b.InLen(v.sizes), sym.Int(v.rank+2), "the shape input must have one element for each dimension"); err != nil {
			return v, q, err
		}
	}
	if v.filter != nil {
		if err := kit.RequireSame(b, v.c, v.filter[v.rank], "the image and the filter must have the same channels"); err != nil {
			return v, q, err
		}
	}
	for i := range 3 {
		if err := kit.AtLeast(b, v.out[i], 0, "the size of the result"); err != nil {
			return v, q, err
		}
	}
	if v.grad >= 0 {
		want := v.outShape()
		if v.like == windowOut {
			want = ir.ShapeOf(v.imageDims...)
			if b.Node.Op == "MaxPoolGradGrad" || b.Node.Op == "MaxPoolGradGradV2" || b.Node.Op == "MaxPool3DGradGrad" {
				v.grad = 2
			}
		}
		if err := likeResult(b, v.grad, want, "the gradient"); err != nil {
			return v, q, err
		}
	}
	p := volume.Params{SD: v.stride[0], SH: v.stride[1], SW: v.stride[2], DilD: v.dil[0], DilH: v.dil[1], DilW: v.dil[2]}
	q = plan.Lit(p, "N", v.n, "D", v.in[0], "H", v.in[1], "W", v.in[2], "C", v.c, "KD", v.k[0], "KH", v.k[1], "KW", v.k[2],
		"OD", v.out[0], "OH", v.out[1], "OW", v.out[2], "OC", v.oc, "PD", v.pad[0], "PH", v.pad[1], "PW", v.pad[2])
	if v.depthwise {
		q.Fields["Groups"] = []*sym.Expr{v.mult}
	}
	return v, q, nil
}

// likeResult checks that input i has the shape want. For sizes that are known only at run time, it
// appends checks. Parameter what is the name of the input in the text of errors.
func likeResult(b *lower.Builder, i int, want ir.Shape, what string) error {
	s := b.InFact(i).Shape
	if !s.Known {
		return lower.UnknownRank(b.Node.Ins[i].Node, b.Node.Ins[i].Index)
	}
	if len(s.Dims) != len(want.Dims) {
		return b.Errorf(tensor.InvalidArgument, "%s has the shape %v; %v is required", what, s, want)
	}
	for k, d := range s.Dims {
		if err := kit.RequireSame(b, d, want.Dims[k], what+" must have the shape of the windows' result"); err != nil {
			return err
		}
	}
	return nil
}

// windowCall appends a call of one of the kernels, chosen by the element type. The numbers of its
// inputs are in ins. images[k] reports whether input ins[k] is an image with the data format f;
// outImage reports this for the output.
func windowCall(b *lower.Builder, f kit.Format, outImage bool, ins []int, images []bool, extra []any, kernels ...any) error {
	out, done := kit.Narrowed(b, f, outImage)
	args := []any{out}
	for k, i := range ins {
		v, err := kit.Widened(b, i, f, images[k])
		if err != nil {
			return err
		}
		args = append(args, v)
	}
	fn, err := kit.KernelFor(b, out.Buf.DType, kernels...)
	if err != nil {
		return err
	}
	b.Call(fn, append(args, extra...)...)
	return done()
}

func conv3dLower(b *lower.Builder) error { return conv3dWith(b, &kit.Epilogue{}) }

// fusedConv3dLower lowers _FusedConv3D: a Conv3D and the ops in attribute fused_ops, which follow
// it. The channels are the last dimension.
func fusedConv3dLower(b *lower.Builder) error {
	e, err := kit.FusedEpilogue(b, 2)
	if err != nil {
		return err
	}
	return conv3dWith(b, &e)
}

func conv3dWith(b *lower.Builder, e *kit.Epilogue) error {
	v, q, err := volumeLower(b)
	if err != nil {
		return err
	}
	if err := kit.AtLeast(b, b.InLen(1), 1, "the number of the filter's elements"); err != nil {
		return err
	}
	d := b.OutFact(0).DType
	if d == tensor.Float64 || d == tensor.Int32 {
		if err := windowCall(b, v.f, true, []int{0, 1}, []bool{true, false}, []any{q}, volume.ConvF64, volume.ConvI32); err != nil {
			return err
		}
		return e.Separate(b, b.Out(0), d, v.oc)
	}
	if err := e.Check(b, v.oc); err != nil {
		return err
	}
	in, err := kit.Widened(b, 0, v.f, true)
	if err != nil {
		return err
	}
	filter, err := v.packed(b, "filter in panels of 16 channels", volume.PackedLen, volume.PackF32)
	if err != nil {
		return err
	}
	out, done := kit.Narrowed(b, v.f, true)
	p := v.f32Params(gemm.NoAct)
	fused := d == tensor.Float32 && e.Norm == nil && e.Res == nil
	if fused {
		p = v.f32Params(e.Clamp()).With("Bias", e.Bias)
	}
	rows := sym.Product([]*sym.Expr{v.n, v.out[0], v.out[1]})
	taps := sym.Product([]*sym.Expr{v.k[0], v.k[1], v.k[2], v.c})
	v.loop(b, volume.PackedConvF32, volume.ConvScratchLen, rows, v.out[2].Mul(v.oc), taps, out, in, filter, p)
	if fused {
		err = e.Finish(b, out, d, v.oc)
	}
	if err != nil {
		return err
	}
	if err := done(); err != nil || fused {
		return err
	}
	return e.Separate(b, b.Out(0), d, v.oc)
}

// f32Params returns the parameters of the kernels for f32.
func (v *volumeGeometry) f32Params(act gemm.Act) plan.Struct {
	p := volume.ConvParams{Act: act, SD: v.stride[0], SH: v.stride[1], SW: v.stride[2], DilD: v.dil[0], DilH: v.dil[1], DilW: v.dil[2]}
	return plan.Lit(p, "N", v.n, "D", v.in[0], "H", v.in[1], "W", v.in[2], "C", v.c, "KD", v.k[0], "KH", v.k[1], "KW", v.k[2],
		"OD", v.out[0], "OH", v.out[1], "OW", v.out[2], "OC", v.oc, "PD", v.pad[0], "PH", v.pad[1], "PW", v.pad[2])
}

// packed returns the filter, input 1, packed by the function pack, which writes as many floats as the
// function lenOf says. If the filter is known at compile time, the result is a constant; otherwise it is
// scratch that an appended call fills.
func (v *volumeGeometry) packed(b *lower.Builder, note string, lenOf func(kd, kh, kw, c, oc int) int, pack func(dst, filter []float32, kd, kh, kw, c, oc int)) (plan.View, error) {
	if t := b.InConst(1); t != nil && t.DType == tensor.Float32 {
		s := t.Shape
		dst := make([]float32, lenOf(s[0], s[1], s[2], s[3], s[4]))
		pack(dst, tensor.Data[float32](t), s[0], s[1], s[2], s[3], s[4])
		return b.Const(note, &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(dst)}, Data: dst}), nil
	}
	filter, err := kit.Widened(b, 1, v.f, false)
	if err != nil {
		return plan.View{}, err
	}
	f := v.filter
	n := b.FreshSize()
	b.CallSizes(lenOf, []*sym.Expr{n}, f[0], f[1], f[2], f[3], f[4])
	t := b.Temp(tensor.Float32, n)
	b.Call(pack, kit.Writes(t), filter, f[0], f[1], f[2], f[3], f[4])
	return kit.Reads(t), nil
}

// loop appends a loop over the given number of rows of the result. Each row has the number of elements
// given by the parameter row, and each element is a sum of the given number of products. x and y are the
// operands.
func (v *volumeGeometry) loop(b *lower.Builder, fn, lenOf any, rows, row, products *sym.Expr, out, x, y plan.View, p plan.Struct) {
	n, known := kit.ScratchLen(lenOf, p, "N", "D", "OD", "PD")
	if !known {
		b.Call(fn, out, x, y, kit.Scratch(b, tensor.Float32, lenOf, p), p)
		return
	}
	l := b.Par(rows, plan.Split{Work: row.Mul(products).MulInt(lower.Flops)})
	l.Call(fn, lower.Rows(out, row), x, y, l.Temp(tensor.Float32, sym.Int(n)), p.With("First", plan.Lo, "Rows", plan.Count))
}

func windowGradLower(b *lower.Builder) error {
	v, q, err := volumeLower(b)
	if err != nil {
		return err
	}
	switch {
	case v.like == windowImage && v.depthwise:
		return windowCall(b, v.f, true, []int{2, 1}, []bool{true, false}, []any{q}, volume.DepthwiseInputF32, volume.DepthwiseInputF64)
	case v.like == windowImage && b.OutFact(0).DType == tensor.Float64:
		return windowCall(b, v.f, true, []int{2, 1}, []bool{true, false}, []any{q}, volume.InputF64)
	case v.like == windowImage:
		return v.inputGradient(b)
	case v.depthwise:
		return windowCall(b, v.f, false, []int{0, 2}, []bool{true, true}, []any{q}, volume.DepthwiseFilterF32, volume.DepthwiseFilterF64)
	}
	if b.OutFact(0).DType == tensor.Float64 {
		return windowCall(b, v.f, false, []int{0, 2}, []bool{true, true}, []any{q}, volume.FilterF64)
	}
	return v.filterGradient(b)
}

// filterGradient lowers the gradient of a convolution with respect to its filter, for f32 and narrower types.
// Input 0 is the image, and input 2 the gradient of the result.
func (v *volumeGeometry) filterGradient(b *lower.Builder) error {
	in, err := kit.Widened(b, 0, v.f, true)
	if err != nil {
		return err
	}
	grad, err := kit.Widened(b, 2, v.f, true)
	if err != nil {
		return err
	}
	out, done := kit.Narrowed(b, v.f, false)
	taps := sym.Product([]*sym.Expr{v.k[0], v.k[1], v.k[2]})
	pixels := sym.Product([]*sym.Expr{v.n, v.out[0], v.out[1], v.out[2]})
	v.loop(b, volume.SumFilterF32, volume.FilterScratchLen, taps, v.c.Mul(v.oc), pixels, out, in, grad, v.f32Params(gemm.NoAct))
	return done()
}

// inputGradient lowers the gradient of a convolution with respect to its image, for f32 and narrower types.
// Input 2 is the gradient of the result.
func (v *volumeGeometry) inputGradient(b *lower.Builder) error {
	grad, err := kit.Widened(b, 2, v.f, true)
	if err != nil {
		return err
	}
	filter, err := v.packed(b, "filter in panels, for the gradient of the input", volume.InputPackedLen, volume.PackInputF32)
	if err != nil {
		return err
	}
	out, done := kit.Narrowed(b, v.f, true)
	slice := sym.Product([]*sym.Expr{v.in[1], v.in[2], v.c})
	products := sym.Product([]*sym.Expr{v.k[0], v.k[1], v.k[2], v.oc}).CeilDiv(sym.Int(v.stride[0] * v.stride[1] * v.stride[2]))
	v.loop(b, volume.PackedInputF32, volume.InputScratchLen, v.n.Mul(v.in[0]), slice, products, out, grad, filter, v.f32Params(gemm.NoAct))
	return done()
}

// pool3dLower lowers MaxPool3D and AvgPool3D. For f32 and narrower types it first pools each slice, and then
// the slices of each window.
func pool3dLower(b *lower.Builder) error {
	v, q, err := volumeLower(b)
	if err != nil {
		return err
	}
	avg := b.Node.Op == "AvgPool3D"
	if b.OutFact(0).DType == tensor.Float64 {
		fn := any(volume.MaxF64)
		if avg {
			fn = volume.AvgF64
		}
		return windowCall(b, v.f, true, []int{0}, []bool{true}, []any{q}, fn)
	}
	fn := any(pool.MaxF32)
	if avg {
		fn = pool.AvgF32
	}
	in, err := kit.Widened(b, 0, v.f, true)
	if err != nil {
		return err
	}
	out, done := kit.Narrowed(b, v.f, true)
	flat := out
	deep := !(v.k[0].Is(1) && v.stride[0] == 1 && v.pad[0].Is(0) && v.out[0].Equal(v.in[0]))
	if deep {
		flat = b.Temp(tensor.Float32, sym.Product([]*sym.Expr{v.n, v.in[0], v.out[1], v.out[2], v.c}))
	}
	k := func(i int) int { n, _ := v.k[i].IsInt(); return n }
	call := func(out, in plan.View, p pool.Params, n, h, w, oh, ow, top, left *sym.Expr) {
		row := ow.Mul(v.c)
		l := b.Par(n.Mul(oh), plan.Split{Work: row.MulInt(p.KH * p.KW * lower.DepthwiseTap)})
		l.Call(fn, lower.Rows(out, row), in, plan.Lit(p, "N", n, "H", h, "W", w, "C", v.c, "OH", oh, "OW", ow,
			"PadTop", top, "PadLeft", left, "First", plan.Lo, "Rows", plan.Count))
	}
	call(flat, in, pool.Params{KH: k(1), KW: k(2), StrideH: v.stride[1], StrideW: v.stride[2]},
		v.n.Mul(v.in[0]), v.in[1], v.in[2], v.out[1], v.out[2], v.pad[1], v.pad[2])
	if deep {
		pixels := v.out[1].Mul(v.out[2])
		call(out, kit.Reads(flat), pool.Params{KH: k(0), KW: 1, StrideH: v.stride[0], StrideW: 1},
			v.n, v.in[0], pixels, v.out[0], pixels, v.pad[0], sym.Zero)
	}
	return done()
}

func avgGradLower(b *lower.Builder) error {
	v, q, err := volumeLower(b)
	if err != nil {
		return err
	}
	return windowCall(b, v.f, true, []int{1}, []bool{true}, []any{q}, volume.AvgGradF32, volume.AvgGradF64)
}

// maxGradLower lowers the gradients of max pooling. The inputs are orig_input, orig_output and
// grad.
func maxGradLower(b *lower.Builder) error {
	v, q, err := volumeLower(b)
	if err != nil {
		return err
	}
	if b.Node.Op == "MaxPool3DGradGrad" { // TensorFlow rejects an empty input only for this op
		if err := kit.AtLeast(b, b.InLen(0), 1, "the number of elements of orig_input"); err != nil {
			return err
		}
	}
	at := b.Temp(tensor.Int64, v.outShape().Len())
	if err := likeResult(b, 1, v.outShape(), "orig_output"); err != nil {
		return err
	}
	if v.like == windowOut {
		return windowCall(b, v.f, true, []int{0, 1, 2}, []bool{true, true, true}, []any{at, q}, volume.MaxGradGradF32, volume.MaxGradGradF64, volume.MaxGradGradI8, volume.MaxGradGradI16, volume.MaxGradGradI32, volume.MaxGradGradI64, volume.MaxGradGradU8, volume.MaxGradGradU16, volume.MaxGradGradU32, volume.MaxGradGradU64)
	}
	if b.Node.Op == "MaxPool3DGrad" {
		return windowCall(b, v.f, true, []int{0, 1, 2}, []bool{true, true, true}, []any{q}, volume.MaxTiesF32, volume.MaxTiesF64)
	}
	return windowCall(b, v.f, true, []int{0, 2}, []bool{true, true}, []any{at, q}, volume.MaxGradF32, volume.MaxGradF64, volume.MaxGradI8, volume.MaxGradI16, volume.MaxGradI32, volume.MaxGradI64, volume.MaxGradU8, volume.MaxGradU16, volume.MaxGradU32, volume.MaxGradU64)
}

// argmaxLower lowers MaxPoolWithArgmax. Output 1 holds, for each window, the offset of the first
// element that is equal to the maximum. The offset is the number of elements from the start of the
// image or, if attribute include_batch_in_index is set, from the start of the whole batch.
func argmaxLower(b *lower.Builder) error {
	_, q, err := volumeLower(b)
	if err != nil {
		return err
	}
	if err := kit.AtLeast(b, b.InLen(0), 1, "the number of elements"); err != nil {
		return err
	}
	in, err := kit.Widened(b, 0, kit.Format{Channels: 3}, false)
	if err != nil {
		return err
	}
	out, done := kit.Narrowed(b, kit.Format{Channels: 3}, false)
	fn, err := kit.KernelFor(b, out.Buf.DType, volume.MaxArgF32, volume.MaxArgF64, volume.MaxArgI8, volume.MaxArgI16, volume.MaxArgI32,
		volume.MaxArgI64, volume.MaxArgU8, volume.MaxArgU16, volume.MaxArgU32, volume.MaxArgU64)
	if err != nil {
		return err
	}
	batch := b.Node.Bool("include_batch_in_index")
	if b.OutFact(1).DType == tensor.Int64 {
		b.Call(fn, out, b.Out(1), in, batch, q)
		return done()
	}
	t := b.Temp(tensor.Int64, b.OutLen(1))
	b.Call(fn, out, t, in, batch, q)
	b.Call(volume.NarrowI64, b.Out(1), t)
	return done()
}

// argGradLower lowers MaxPoolGradWithArgmax. The inputs are the image, grad, and argmax.
func argGradLower(b *lower.Builder) error {
	v, _, err := volumeLower(b)
	if err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InLen(2), b.InLen(1), "argmax and grad must have the same shape"); err != nil {
		return err
	}
	at := b.In(2)
	if b.InFact(2).DType == tensor.Int32 {
		t := b.Temp(tensor.Int64, at.Len)
		b.Call(volume.WidenI32, t, at)
		at = t
	}
	q := plan.Lit(volume.ArgParams{Batch: b.Node.Bool("include_batch_in_index")}, "N", v.n,
		"Image", sym.Product(v.imageDims[1:]), "Out", sym.Product(b.InShape(1)[1:]))
	return windowCall(b, v.f, false, []int{1}, []bool{false}, []any{at, q}, volume.ArgGradF32, volume.ArgGradF64, volume.ArgGradI8, volume.ArgGradI16, volume.ArgGradI32, volume.ArgGradI64, volume.ArgGradU8, volume.ArgGradU16, volume.ArgGradU32, volume.ArgGradU64)
}
