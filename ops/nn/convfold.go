package nn

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// The convolution kernel computes panels of 16 output channels. A convolution with few channels
// would leave panels partly unused, so it is folded: f neighbouring pixels of its result become one
// pixel with f times the channels. The result is the same in memory. The folded filter covers the
// windows of all f pixels. For each pixel, it has zeros outside that pixel's window. The sums run
// in the same order, but an infinite value just outside a window gives NaN, since it is multiplied
// by zero.
const (
	foldPixels   = 16
	foldChannels = 32
	// The estimated cost must be below foldMargin times the cost of the unfolded convolution.
	foldMargin = 0.8
)

// kernelParams returns the sizes known at compile time, for estimates. It returns false if a size of
// the filter is unknown.
func (g *ConvGeometry) kernelParams() (conv.Params, bool) {
	p := conv.Params{StrideH: g.Stride[0], StrideW: g.Stride[1], DilH: g.Dil[0], DilW: g.Dil[1]}
	known := true
	for dst, e := range map[*int]*sym.Expr{&p.C: g.C, &p.KH: g.K[0], &p.KW: g.K[1], &p.OC: g.Oc, &p.Groups: g.groups} {
		v, ok := e.IsInt()
		*dst, known = v, known && ok
	}
	p.N, _ = g.N.IsInt()
	p.OH, _ = g.Out[0].IsInt()
	p.OW, _ = g.Out[1].IsInt()
	return p, known
}

// fold returns the axis along which pixels are folded, and f, the number of pixels folded into one.
// f is 0 if folding is not faster. The axis is 1 (columns), or 0 (rows) for an image of one column.
func (g *ConvGeometry) fold(b *lower.Builder, bias, res *plan.View) (axis, f int) {
	p, ok := g.kernelParams()
	if !ok || b.Exact() || b.InConst(1) == nil || p.Groups != 1 || p.OC < 1 || p.OC > foldChannels/2 || p.C < 1 || bias != nil && b.InConst(2) == nil {
		return 0, 0
	}
	axis = 1
	if g.In[1].Is(1) && g.K[1].Is(1) && g.Out[1].Is(1) && g.pad[1].Is(0) {
		axis = 0
	}
	size, ok := g.Out[axis].IsInt()
	if !ok || g.Dil[axis] != 1 {
		return 0, 0
	}
	cost, winograd := conv.Cost(p)
	if prefersWinograd(b, p) {
		if b.Method() == lower.Winograd {
			return 0, 0
		}
		cost = winograd
	}
	cost *= foldMargin
	for n := 2; n <= min(foldPixels, size/2) && n*p.OC <= foldChannels; n++ {
		if size%n != 0 && res != nil {
			continue
		}
		q := g.folded(axis, n, (size+n-1)/n)
		qp, _ := q.kernelParams()
		if c, _ := conv.Cost(qp); c < cost {
			cost, f = c, n
		}
	}
	return axis, f
}

// folded returns a copy of g in which f neighbouring pixels of the result along an axis are folded
// into one pixel with f times as many channels. Parameter size is the number of pixels that the
// folded result has along that axis.
func (g *ConvGeometry) folded(axis, f, size int) *ConvGeometry {
	q := *g
	q.K[axis] = g.K[axis].AddInt((f - 1) * g.Stride[axis])
	q.Out[axis] = sym.Int(size)
	q.Stride[axis] *= f
	q.Oc = g.Oc.MulInt(f)
	return &q
}

// foldedFilter returns the filter for f pixels folded into one along an axis. w is the constant
// filter [kh,kw,c,oc].
func (g *ConvGeometry) foldedFilter(w *tensor.Tensor, axis, f int) *tensor.Tensor {
	// Height and width are taken from g and not from w.Shape, because upright may have exchanged
	// them in g.
	kh, _ := g.K[0].IsInt()
	kw, _ := g.K[1].IsInt()
	c, oc := w.Shape[2], w.Shape[3]
	s := tensor.Shape{kh, kw, c, f * oc}
	s[axis] += (f - 1) * g.Stride[axis]
	src, dst := tensor.Data[float32](w), make([]float32, s[0]*s[1]*s[2]*s[3])
	for pixel := range f {
		at := [2]int{}
		at[axis] = pixel * g.Stride[axis]
		for i := range kh {
			for j := range kw {
				for k := range c {
					copy(dst[(((i+at[0])*s[1]+j+at[1])*c+k)*s[3]+pixel*oc:], src[((i*kw+j)*c+k)*oc:][:oc])
				}
			}
		}
	}
	return &tensor.Tensor{DType: tensor.Float32, Shape: s, Data: dst}
}

// foldedCall appends a convolution with f pixels folded into one along an axis.
func (g *ConvGeometry) foldedCall(b *lower.Builder, axis, f int, out, in plan.View, bias, res *plan.View, q plan.Struct) error {
	wide := bias
	if bias != nil {
		one := tensor.Data[float32](b.InConst(2))
		all := make([]float32, 0, f*len(one))
		for range f {
			all = append(all, one...)
		}
		v := b.Const("bias of neighbouring pixels", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(all)}, Data: all})
		wide = &v
	}
	size, _ := g.Out[axis].IsInt()
	n := (size + f - 1) / f
	h := g.folded(axis, f, n)
	w := g.foldedFilter(b.InConst(1), axis, f)
	packed := make([]float32, conv.PackedLen(w.Shape[0], w.Shape[1], w.Shape[2], w.Shape[3], 1))
	conv.PackF32(packed, tensor.Data[float32](w), w.Shape[0], w.Shape[1], w.Shape[2], w.Shape[3], 1)
	filter := b.Const("filter of neighbouring pixels, in panels of 16 channels", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(packed)}, Data: packed})
	p := q.V.(conv.Params)
	p.StrideH, p.StrideW = h.Stride[0], h.Stride[1]
	hq := plan.Struct{V: p, Fields: q.Fields}.With("KH", h.K[0], "KW", h.K[1], "OH", h.Out[0], "OW", h.Out[1], "OC", h.Oc)
	if n*f == size {
		h.call(b, convByWeights, conv.ScratchLen, out, in, filter, wide, res, hq, false)
		return nil
	}
	// The last folded pixel of a line may extend beyond the line. The result is therefore computed
	// in scratch, and copied without the excess.
	lines, line := sym.Product([]*sym.Expr{g.N, g.Out[0], g.Out[1]}).Div(sym.Int(size)), g.Oc.MulInt(size)
	all := b.Temp(tensor.Float32, lines.Mul(h.Oc).MulInt(n))
	h.call(b, convByWeights, conv.ScratchLen, kit.Writes(all), in, filter, wide, nil, hq, false)
	x := kit.NewBox()
	x.Add(lines, line, h.Oc.MulInt(n))
	x.Add(line, sym.One, sym.One)
	return kit.Move(b, out, kit.Reads(all), x)
}
