package conv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/tensor"
)

// sizes returns the sizes of the gradient, the filter and the result.
func (p BackpropParams) sizes() (grad, filter, out int) {
	return p.N * p.OH * p.OW * p.OC, p.KH * p.KW * p.C * p.OC, p.N * p.H * p.W * p.C
}

// referenceBackprop scatters every product of the forward convolution. mag holds the sums of the
// products' magnitudes.
func referenceBackprop(grad, filter, bias []float64, p BackpropParams) (out, mag []float64) {
	p.dense()
	n := p.N * p.H * p.W * p.C
	out, mag = make([]float64, n), make([]float64, n)
	for px := range p.N * p.OH * p.OW {
		b, y, x := px/(p.OH*p.OW), px/p.OW%p.OH, px%p.OW
		for i := range p.KH {
			for j := range p.KW {
				h, w := y*p.StrideH-p.PadTop+i*p.DilH, x*p.StrideW-p.PadLeft+j*p.DilW
				if h < 0 || h >= p.H || w < 0 || w >= p.W {
					continue
				}
				for c := range p.C {
					at := ((b*p.H+h)*p.W+w)*p.C + c
					for o := range p.OC {
						v := grad[px*p.OC+o] * filter[((i*p.KW+j)*p.C+c)*p.OC+o]
						out[at] += v
						mag[at] += math.Abs(v)
					}
				}
			}
		}
	}
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	for i := range out {
		if len(bias) > 0 {
			out[i] += bias[i%p.C]
			mag[i]++
		}
		out[i] = min(max(out[i], float64(lo)), float64(hi))
	}
	return out, mag
}

func backpropCases() []BackpropParams {
	var all []BackpropParams
	for _, q := range cases() {
		if q.Groups > 1 || q.LdIn > 0 || q.PadTop < 0 || q.N*q.H*q.W*q.C*q.OC*q.KH*q.KW > 1<<24 {
			continue
		}
		all = append(all, BackpropParams{
			N: q.N, H: q.H, W: q.W, C: q.C, KH: q.KH, KW: q.KW, OH: q.OH, OW: q.OW, OC: q.OC, StrideH: q.StrideH, StrideW: q.StrideW,
			DilH: q.DilH, DilW: q.DilW, PadTop: q.PadTop, PadLeft: q.PadLeft, Act: q.Act,
		})
	}
	return append(all,
		BackpropParams{N: 1, H: 4, W: 200, C: 64, KH: 3, KW: 3, OH: 2, OW: 100, OC: 3, StrideH: 2, StrideW: 2, Act: gemm.Clip, Lo: -1, Hi: 0.5},
		BackpropParams{N: 2, H: 8, W: 10, C: 8, KH: 2, KW: 2, OH: 4, OW: 5, OC: 7, StrideH: 2, StrideW: 2, Act: gemm.Relu},
		BackpropParams{N: 1, H: 9, W: 68, C: 16, KH: 3, KW: 2, OH: 3, OW: 34, OC: 20, StrideH: 3, StrideW: 2},
		BackpropParams{N: 1, H: 4, W: 4, C: 3, KH: 2, KW: 2, OH: 2, OW: 2, OC: 5, StrideH: 2, StrideW: 2},
		BackpropParams{N: 1, H: 9, W: 9, C: 2, KH: 2, KW: 2, OH: 3, OW: 3, OC: 3, StrideH: 3, StrideW: 3}, // gaps stay zero
		BackpropParams{N: 1, H: 2, W: 2, C: 2, KH: 1, KW: 1, OC: 3},                                       // grad is empty
		BackpropParams{N: 0, H: 2, W: 2, C: 2, KH: 1, KW: 1, OH: 2, OW: 2, OC: 3})
}

func TestBackpropInput(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 5))
		for i, p := range backpropCases() {
			ng, nf, no := p.sizes()
			grad, filter := random(r, ng), random(r, nf)
			var bias []float32
			if i%2 > 0 {
				bias = random(r, p.C)
			}
			packed := make([]float32, BackpropPackedLen(p.KH, p.KW, p.C, p.OC))
			BackpropPackF32(packed, filter, p.KH, p.KW, p.C, p.OC)
			out, check := result(t, no)
			BackpropInputF32(out, grad, packed, nans(BackpropScratchLen(p)), p.plus(bias))
			check()
			want, mag := referenceBackprop(widen(grad, f32id), widen(filter, f32id), widen(bias, f32id), p)
			compare(t, fmt.Sprintf("%+v bias %v", p, bias != nil), widen(out, f32id), want, mag, 1, 1, 1e-6)
		}
	})
}

func TestBackpropInputOtherTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, p := range backpropCases() {
		what := fmt.Sprintf("%+v", p)
		ng, nf, no := p.sizes()
		grad, filter := random(r, ng), random(r, nf)
		toF64 := func(v float32) float64 { return float64(v) }
		want, mag := referenceBackprop(widen(grad, f32id), widen(filter, f32id), nil, p)
		out := make([]float64, no)
		BackpropInputF64(out, narrowed(grad, toF64), narrowed(filter, toF64), p)
		compare(t, "f64 "+what, out, want, mag, 1, 1, 1e-14)
		if no > 3000 {
			continue
		}

		hg, hf := narrowed(grad, tensor.ToF16), narrowed(filter, tensor.ToF16)
		want, mag = referenceBackprop(widen(hg, tensor.F16.Float32), widen(hf, tensor.F16.Float32), nil, p)
		half := make([]tensor.F16, no)
		BackpropInputF16(half, hg, hf, p)
		compare(t, "f16 "+what, widen(half, tensor.F16.Float32), want, mag, 1, 1, 1e-3)

		bg, bf := narrowed(grad, tensor.ToBF16), narrowed(filter, tensor.ToBF16)
		want, mag = referenceBackprop(widen(bg, tensor.BF16.Float32), widen(bf, tensor.BF16.Float32), nil, p)
		bh := make([]tensor.BF16, no)
		BackpropInputBF16(bh, bg, bf, p)
		compare(t, "bf16 "+what, widen(bh, tensor.BF16.Float32), want, mag, 1, 1, 8e-3)

		p.Act = gemm.NoAct
		toI, fromI := func(v float32) int32 { return int32(v * 100) }, func(v int32) float32 { return float32(v) }
		ig, jf := narrowed(grad, toI), narrowed(filter, toI)
		want, mag = referenceBackprop(widen(ig, fromI), widen(jf, fromI), nil, p)
		ints := make([]int32, no)
		BackpropInputI32(ints, ig, jf, p)
		compare(t, "i32 "+what, widen(ints, fromI), want, mag, 1, 1, 1e-6)
	}
}

func BenchmarkBackpropInputF32(b *testing.B) {
	for _, p := range []BackpropParams{
		{N: 1, H: 56, W: 56, C: 64, KH: 4, KW: 4, OH: 28, OW: 28, OC: 128, StrideH: 2, StrideW: 2, PadTop: 1, PadLeft: 1},
		{N: 1, H: 28, W: 28, C: 128, KH: 3, KW: 3, OH: 28, OW: 28, OC: 128, PadTop: 1, PadLeft: 1},
		{N: 1, H: 128, W: 128, C: 16, KH: 2, KW: 2, OH: 64, OW: 64, OC: 32, StrideH: 2, StrideW: 2},
		{N: 1, H: 224, W: 224, C: 3, KH: 4, KW: 4, OH: 112, OW: 112, OC: 32, StrideH: 2, StrideW: 2, PadTop: 1, PadLeft: 1},
	} {
		ng, nf, no := p.sizes()
		r := rand.New(rand.NewPCG(1, 1))
		grad, filter, bias, out := random(r, ng), random(r, nf), random(r, p.C), make([]float32, no)
		packed := make([]float32, BackpropPackedLen(p.KH, p.KW, p.C, p.OC))
		BackpropPackF32(packed, filter, p.KH, p.KW, p.C, p.OC)
		s := make([]float32, BackpropScratchLen(p))
		b.Run(fmt.Sprintf("%dx%d_%dx%dx%d_%d_s%d", p.KH, p.KW, p.H, p.W, p.C, p.OC, max(p.StrideH, 1)), func(b *testing.B) {
			bench(b, 2*p.OH*p.OW*p.KH*p.KW*p.C*p.OC, func() { BackpropInputF32(out, grad, packed, s, p.plus(bias)) })
		})
	}
}
