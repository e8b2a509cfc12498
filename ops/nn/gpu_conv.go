package nn

import (
	"cmp"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/conv"
	"github.com/graphc/graphc/kernels/gpu/pool"
	"github.com/graphc/graphc/kernels/volume"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuWindows returns the GPU lowerings of convolutions, of pooling, and of their gradients. Images
// with the channels first are transposed before the kernel is called, and so are the results
// afterwards.
func gpuWindows() []*lower.GPU {
	var list []*lower.GPU
	kernels := map[string]string{"DepthwiseConv2dNative": "conv.Depthwise", "_FusedDepthwiseConv2dNative": "conv.Depthwise",
		"Conv2DBackpropInput": "conv.Input", "_FusedConv2DBackpropInput": "conv.Input", "MaxPool": "pool.Max", "MaxPoolV2": "pool.Max", "AvgPool": "pool.Avg"}
	for _, d := range append(convDefs[:len(convDefs):len(convDefs)], poolDefs...) {
		types := kit.GPUTypesOf(cmp.Or(kernels[d.Name], "conv."))
		if strings.HasPrefix(d.Name, "_") {
			types = kit.FloatTypes
		}
		list = append(list, &lower.GPU{Op: d.Name, Types: map[string][]tensor.DType{"T": types}, Lower: func(b *lower.Builder) error { return d.Lower(b.OnDev()) }})
	}
	for _, d := range volumeDefs {
		list = append(list, &lower.GPU{Op: d.Name, Types: map[string][]tensor.DType{"T": kit.FloatTypes, "Targmax": {tensor.Int64}},
			Lower: func(b *lower.Builder) error { return volumeOnGPU(b.OnDev()) }})
	}
	return list
}

// convScratch returns the scratch memory, conv.Scratch bytes, that a convolution kernel needs on
// the GPU.
func convScratch(b *lower.Builder) plan.View { return b.DevTemp(tensor.Uint8, sym.Int(conv.Scratch)) }

// planes returns the parameters of the GPU kernels for convolutions of two-dimensional images.
func (g *ConvGeometry) planes() plan.Struct {
	return plan.Lit(conv.Params{SH: g.Stride[0], SW: g.Stride[1], DilH: g.Dil[0], DilW: g.Dil[1]}, "N", g.N, "H", g.In[0], "W", g.In[1], "C", g.C,
		"KH", g.K[0], "KW", g.K[1], "OH", g.Out[0], "OW", g.Out[1], "OC", g.Oc, "PH", g.pad[0], "PW", g.pad[1], "Groups", g.groups)
}

// onDev appends a convolution on the GPU. The image has the channels last.
func (g *ConvGeometry) onDev(b *lower.Builder, e *kit.Epilogue, out, in plan.View, depthwise bool) {
	d := b.InFact(0).DType
	sum, finish := e.WithEpilogue(b, out, g.Oc)
	if depthwise {
		q := plan.Lit(conv.DepthwiseParams{SH: g.Stride[0], SW: g.Stride[1], DilH: g.Dil[0], DilW: g.Dil[1]}, "N", g.N, "H", g.In[0], "W", g.In[1], "C", g.C,
			"Mult", b.InShape(1)[3], "KH", g.K[0], "KW", g.K[1], "OH", g.Out[0], "OW", g.Out[1], "PH", g.pad[0], "PW", g.pad[1])
		b.Call(kit.GPUKernel("conv.Depthwise", d), b.Queue(), sum, kit.Reads(in), b.DevIn(1), q)
	} else {
		b.Call(kit.GPUKernel("conv.", d), b.Queue(), sum, kit.Reads(in), b.DevIn(1), convScratch(b), g.planes())
	}
	finish()
}

// inputOnDev appends the computation, on the GPU, of the gradient with respect to the image of a
// convolution.
func (g *backGeometry) inputOnDev(b *lower.Builder, e *kit.Epilogue, out, grad, filter plan.View) {
	sum, finish := e.WithEpilogue(b, out, g.Cg)
	b.Call(kit.GPUKernel("conv.Input", b.InFact(1).DType), b.Queue(), sum, kit.Reads(grad), filter, convScratch(b), g.planes())
	finish()
}

// onDev appends pooling over height and width on the GPU.
func (g *poolGeometry) onDev(b *lower.Builder, out, in plan.View) error {
	for i := range 2 {
		if err := kit.AtLeast(b, g.out[i], 0, "the size of the result"); err != nil {
			return err
		}
	}
	name := "pool.Max"
	if b.Node.Op == "AvgPool" {
		name = "pool.Avg"
	}
	b.Call(kit.GPUKernel(name, b.InFact(0).DType), b.Queue(), kit.Writes(out), kit.Reads(in), plan.Lit(pool.Params{KH: g.k[0], KW: g.k[1], SH: g.stride[0], SW: g.stride[1]},
		"N", g.n, "H", g.in[0], "W", g.in[1], "C", g.c, "OH", g.out[0], "OW", g.out[1], "PH", g.pad[0], "PW", g.pad[1]))
	return nil
}

// fieldsOf returns the fields of q that have the given names.
func fieldsOf(q plan.Struct, names ...string) map[string][]*sym.Expr {
	m := map[string][]*sym.Expr{}
	for _, n := range names {
		m[n] = q.Fields[n]
	}
	return m
}

// volumeOnGPU lowers an op with sliding windows, one of windowKinds, for the GPU. Two-dimensional
// images become volumes of depth 1.
func volumeOnGPU(b *lower.Builder) error {
	v, q, err := volumeLower(b)
	if err != nil {
		return err
	}
	if b.Node.Op == "MaxPool3DGradGrad" {
		if err := kit.AtLeast(b, b.InLen(0), 1, "the number of elements of orig_input"); err != nil {
			return err
		}
	}
	p := q.V.(volume.Params)
	pools := plan.Struct{V: pool.Params{SD: p.SD, SH: p.SH, SW: p.SW},
		Fields: fieldsOf(q, "N", "D", "H", "W", "C", "KD", "KH", "KW", "OD", "OH", "OW", "PD", "PH", "PW")}
	convs := plan.Struct{V: conv.Params{SD: p.SD, SH: p.SH, SW: p.SW, DilD: p.DilD, DilH: p.DilH, DilW: p.DilW},
		Fields: fieldsOf(q, "N", "D", "H", "W", "C", "KD", "KH", "KW", "OD", "OH", "OW", "OC", "PD", "PH", "PW")}
	deep := plan.Struct{V: conv.DepthwiseParams{SH: p.SH, SW: p.SW, DilH: p.DilH, DilW: p.DilW},
		Fields: fieldsOf(q, "N", "H", "W", "C", "KH", "KW", "OH", "OW", "PH", "PW")}
	deep.Fields["Mult"] = []*sym.Expr{v.mult}
	w := devWindow{b: b, f: v.f, image: v.like != windowFilter}
	switch op := b.Node.Op; op {
	case "Conv3D", "_FusedConv3D":
		var e kit.Epilogue
		if op == "_FusedConv3D" {
			if e, err = kit.FusedEpilogue(b, 2); err != nil {
				return err
			}
		}
		w.e, w.channels = &e, v.oc
		return w.call("conv.", []int{0, 1}, []bool{true, false}, convScratch(b), convs)
	case "MaxPool3D", "AvgPool3D":
		return w.call("pool."+op[:3], []int{0}, []bool{true}, pools)
	case "AvgPoolGrad", "AvgPool3DGrad":
		return w.call("pool.AvgGrad", []int{1}, []bool{true}, pools)
	case "MaxPoolWithArgmax":
		return argmaxOnGPU(b, pools)
	case "MaxPoolGradWithArgmax":
		return argGradOnGPU(b, &v)
	case "MaxPoolGrad", "MaxPoolGradV2", "MaxPool3DGrad", "MaxPoolGradGrad", "MaxPoolGradGradV2", "MaxPool3DGradGrad":
		if err := likeResult(b, 1, v.outShape(), "orig_output"); err != nil {
			return err
		}
		switch {
		case v.like == windowOut:
			return w.call("pool.MaxGradGrad", []int{0, 1, 2}, []bool{true, true, true}, pools)
		case op == "MaxPool3DGrad":
			return w.call("pool.MaxTies", []int{0, 1, 2}, []bool{true, true, true}, pools)
		}
		return w.call("pool.MaxGrad", []int{0, 2}, []bool{true, true}, pools)
	}
	switch {
	case v.like == windowImage && v.depthwise:
		return w.call("conv.DepthwiseInput", []int{2, 1}, []bool{true, false}, deep)
	case v.like == windowImage:
		return w.call("conv.Input", []int{2, 1}, []bool{true, false}, convScratch(b), convs)
	case v.depthwise:
		return w.call("conv.DepthwiseFilter", []int{0, 2}, []bool{true, true}, convScratch(b), deep)
	}
	return w.call("conv.Filter", []int{0, 2}, []bool{true, true}, convScratch(b), convs)
}

// devWindow describes a kernel's call on tensors in a data format.
type devWindow struct {
	b        *lower.Builder
	f        kit.Format
	image    bool // whether the result is an image in the data format f
	e        *kit.Epilogue
	channels *sym.Expr // the number of channels of the result; used only if e is not nil
}

// call appends a call of the named kernel. The arguments of the kernel include the inputs of the
// node whose numbers are in the slice ins. images[k] reports whether input number ins[k] is an
// image in the data format w.f.
func (w *devWindow) call(kernel string, ins []int, images []bool, extra ...any) error {
	b := w.b
	out, done := b.DevOut(0), func() error { return nil }
	if w.image {
		out, done = outLast(b, 0, w.f)
	}
	sum, finish := kit.Writes(out), func() {}
	if w.e != nil {
		sum, finish = w.e.WithEpilogue(b, out, w.channels)
	}
	args := []any{b.Queue(), sum}
	for k, i := range ins {
		v := b.DevIn(i)
		if images[k] {
			var err error
			if v, err = channelsLast(b, i, w.f); err != nil {
				return err
			}
		}
		args = append(args, kit.Reads(v))
	}
	b.Call(kit.GPUKernel(kernel, out.Buf.DType), append(args, extra...)...)
	finish()
	return done()
}

// argmaxOnGPU: see argmaxLower.
func argmaxOnGPU(b *lower.Builder, pools plan.Struct) error {
	if err := kit.AtLeast(b, b.InLen(0), 1, "the number of elements"); err != nil {
		return err
	}
	at := kit.DevOutOrTemp(b, 1)
	b.Call(kit.GPUKernel("pool.MaxArg", b.InFact(0).DType), b.Queue(), kit.DevOutOrTemp(b, 0), at, b.DevIn(0), b.Node.Bool("include_batch_in_index"), pools)
	return nil
}

// argGradOnGPU: see argGradLower.
func argGradOnGPU(b *lower.Builder, v *volumeGeometry) error {
	if err := kit.RequireSame(b, b.InLen(2), b.InLen(1), "argmax and grad must have the same shape"); err != nil {
		return err
	}
	q := plan.Lit(pool.ArgParams{Batch: b.Node.Bool("include_batch_in_index")}, "N", v.n,
		"Image", sym.Product(v.imageDims[1:]), "Out", sym.Product(b.InShape(1)[1:]))
	b.Call(kit.GPUKernel("pool.ArgGrad", b.InFact(1).DType), b.Queue(), b.DevOut(0), b.DevIn(1), b.DevIn(2), q)
	return nil
}
