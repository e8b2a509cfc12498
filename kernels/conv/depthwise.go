package conv

import (
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/tensor"
)

// DepthwiseParams describes DepthwiseConv2dNative of in[N,H,W,C] with a filter
// [KH,KW,C,Mult] into out[N,OH,OW,C*Mult]. Output channel c*Mult+m reads input channel c.
// Positions and padding are as in Params.
type DepthwiseParams struct {
	N, H, W, C       int
	KH, KW           int
	OH, OW           int
	Mult             int // 0 means 1
	StrideH, StrideW int // 0 means 1
	DilH, DilW       int // 0 means 1
	PadTop, PadLeft  int // negative values crop
	// First is the first row to compute, counted over the N*OH output rows of all images; out
	// begins with this row. Rows is the number of rows to compute. If both are 0, all rows are
	// computed.
	First, Rows int
	// InFirst is the first row that in holds, counted over the N*H input rows of all images, for
	// DepthwiseF32 only. in must hold all rows that the selected rows depend on.
	InFirst int
	Act     gemm.Act
	Lo, Hi  float32 // for gemm.Clip
	// Bias ([C*Mult]) is added to the sum, by DepthwiseF32 only; it may be nil.
	Bias []float32
}

func (p *DepthwiseParams) dense() {
	for _, v := range []*int{&p.Mult, &p.StrideH, &p.StrideW, &p.DilH, &p.DilW} {
		one(v)
	}
	if p.StrideH < 1 || p.StrideW < 1 || p.DilH < 1 || p.DilW < 1 || p.Mult < 1 {
		panic("conv: bad stride, dilation or multiplier")
	}
}

func (p *DepthwiseParams) empty() bool { return p.N <= 0 || p.OH <= 0 || p.OW <= 0 || p.C <= 0 }

// clip returns the range [first, end) of those taps along one axis that are inside the input for the
// output position o.
func clip(o, stride, pad, dil, taps, size int) (int, int) {
	at := o*stride - pad
	lo, hi := 0, taps
	if at < 0 {
		lo = (-at + dil - 1) / dil
	}
	if last := at + (taps-1)*dil; last >= size {
		hi = max((size-at+dil-1)/dil, 0)
	}
	return min(lo, hi), hi
}

// DepthwiseF64 is DepthwiseConv2dNative for f64, without a bias.
func DepthwiseF64(out, in, filter []float64, p DepthwiseParams) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	id := func(v float64) float64 { return v }
	depthwise(out, in, filter, &p, id, id, float64(lo), float64(hi))
}

// DepthwiseF16 is DepthwiseConv2dNative for f16. Every step of a sum is rounded
// to f16, as TensorFlow does.
func DepthwiseF16(out, in, filter []tensor.F16, p DepthwiseParams) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	depthwise(out, in, filter, &p, tensor.F16.Float32, tensor.ToF16, lo, hi)
}

// DepthwiseBF16 is DepthwiseConv2dNative for bf16. Every step of a sum is
// rounded to bf16, as TensorFlow does.
func DepthwiseBF16(out, in, filter []tensor.BF16, p DepthwiseParams) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	depthwise(out, in, filter, &p, tensor.BF16.Float32, tensor.ToBF16, lo, hi)
}

// depthwise computes sums in the type A and rounds them to the type T after each tap.
func depthwise[T any, A float32 | float64](out, in, filter []T, p *DepthwiseParams, load func(T) A, store func(A) T, lo, hi A) {
	p.dense()
	if p.empty() || len(out) == 0 { // with a filter [KH,KW,C,0], out has no channels
		return
	}
	oc := p.C * p.Mult
	first, last := rowRange(p.First, p.Rows, p.N*p.OH)
	for px := first * p.OW; px < last*p.OW; px++ {
		n, y, x := px/(p.OH*p.OW), px/p.OW%p.OH, px%p.OW
		i0, i1 := clip(y, p.StrideH, p.PadTop, p.DilH, p.KH, p.H)
		j0, j1 := clip(x, p.StrideW, p.PadLeft, p.DilW, p.KW, p.W)
		base := (n*p.H+y*p.StrideH-p.PadTop)*p.W + x*p.StrideW - p.PadLeft
		dst := out[(px-first*p.OW)*oc:][:oc]
		for o := range dst {
			var s A
			for i := i0; i < i1; i++ {
				for j := j0; j < j1; j++ {
					v := load(in[(base+i*p.DilH*p.W+j*p.DilW)*p.C+o/p.Mult])
					w := load(filter[(i*p.KW+j)*oc+o])
					s = load(store(s + A(v*w)))
				}
			}
			dst[o] = store(clamp(s, lo, hi))
		}
	}
}
