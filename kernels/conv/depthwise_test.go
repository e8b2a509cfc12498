package conv

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/tensor"
)

// full returns the grouped convolution that equals a depthwise one.
func (p DepthwiseParams) full() Params {
	p.dense()
	return Params{
		N: p.N, H: p.H, W: p.W, C: p.C, KH: p.KH, KW: p.KW, OH: p.OH, OW: p.OW, OC: p.C * p.Mult, Groups: max(p.C, 1),
		StrideH: p.StrideH, StrideW: p.StrideW, DilH: p.DilH, DilW: p.DilW, PadTop: p.PadTop, PadLeft: p.PadLeft,
		Act: p.Act, Lo: p.Lo, Hi: p.Hi,
	}
}

func sameDepthwise(p DepthwiseParams) DepthwiseParams {
	q := same(p.full())
	p.OH, p.OW, p.PadTop, p.PadLeft = q.OH, q.OW, q.PadTop, q.PadLeft
	return p
}

func depthwiseCases() []DepthwiseParams {
	var all []DepthwiseParams
	for c := 1; c <= 70; c++ {
		all = append(all, sameDepthwise(DepthwiseParams{N: 1, H: 4, W: 3 + c%11, C: c, KH: 3, KW: 3, Act: gemm.Relu6}))
	}
	for w := 1; w <= 40; w++ {
		for s := 1; s <= 3; s++ {
			all = append(all, sameDepthwise(DepthwiseParams{N: 2, H: 5, W: w, C: 1 + w*s%37, KH: 3, KW: 3, StrideH: s, StrideW: s}),
				sameDepthwise(DepthwiseParams{N: 1, H: 6, W: w, C: 8 + w*s%37, KH: 5, KW: 5, StrideH: s, StrideW: s}))
		}
	}
	for _, p := range []DepthwiseParams{
		{N: 1, H: 9, W: 30, C: 20, KH: 5, KW: 5, Act: gemm.Relu},
		{N: 2, H: 9, W: 30, C: 20, KH: 5, KW: 5, StrideH: 2, StrideW: 2},
		{N: 1, H: 9, W: 30, C: 17, KH: 3, KW: 3, DilH: 2, DilW: 2},
		{N: 1, H: 9, W: 30, C: 33, KH: 3, KW: 3, DilH: 3, DilW: 2, StrideH: 1, StrideW: 2},
		{N: 1, H: 2, W: 2, C: 18, KH: 7, KW: 7},
		{N: 2, H: 6, W: 9, C: 5, KH: 3, KW: 3, Mult: 4},
		{N: 1, H: 60, W: 40, C: 16, KH: 3, KW: 2, Mult: 3, StrideH: 2, StrideW: 2, Act: gemm.Clip, Lo: -0.2, Hi: 0.3},
		{N: 1, H: 12, W: 12, C: 1, KH: 4, KW: 4, Mult: 8},
	} {
		all = append(all, sameDepthwise(p))
		v := valid(p.full())
		if v.OH > 0 && v.OW > 0 {
			p.OH, p.OW = v.OH, v.OW
			all = append(all, p)
		}
	}
	return append(all,
		DepthwiseParams{N: 1, H: 8, W: 8, C: 16, KH: 2, KW: 2, OH: 3, OW: 4, PadTop: -2, PadLeft: -1},
		DepthwiseParams{N: 1, H: 3, W: 3, C: 16, KH: 2, KW: 2, OH: 12, OW: 13, PadTop: 4, PadLeft: 5},
		DepthwiseParams{N: 1, H: 3, W: 3, C: 4, KH: 2, KW: 2, OH: 12, OW: 13, PadTop: 4, PadLeft: 5, Mult: 5},
		DepthwiseParams{N: 0, H: 3, W: 3, C: 4, KH: 2, KW: 2, OH: 2, OW: 2})
}

func TestDepthwiseF32(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		for i, p := range depthwiseCases() {
			f := p.full()
			ni, nf, no, _ := f.sizes()
			in, filter := random(r, ni), random(r, nf)
			var bias []float32
			if i%3 > 0 {
				bias = random(r, f.OC)
			}
			out, check := result(t, no)
			DepthwiseF32(out, in, filter, nans(DepthwiseScratchLen(p)), p.plus(bias))
			check()
			want, mag := reference(widen(in, f32id), widen(filter, f32id), widen(bias, f32id), nil, f)
			compare(t, fmt.Sprintf("%+v bias %v", p, bias != nil), widen(out, f32id), want, mag, f.OC, f.OC, 1e-6)
		}
	})
}

func TestDepthwiseOtherTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for i, p := range depthwiseCases() {
		if i%5 != 0 && i < 190 {
			continue
		}
		f, what := p.full(), fmt.Sprintf("%+v", p)
		ni, nf, no, _ := f.sizes()
		in, filter := random(r, ni), random(r, nf)
		toF64 := func(v float32) float64 { return float64(v) }
		want, mag := reference(widen(in, f32id), widen(filter, f32id), nil, nil, f)
		out := make([]float64, no)
		DepthwiseF64(out, narrowed(in, toF64), narrowed(filter, toF64), p)
		compare(t, "f64 "+what, out, want, mag, f.OC, f.OC, 1e-14)

		hi, hf := narrowed(in, tensor.ToF16), narrowed(filter, tensor.ToF16)
		want, mag = reference(widen(hi, tensor.F16.Float32), widen(hf, tensor.F16.Float32), nil, nil, f)
		half := make([]tensor.F16, no)
		DepthwiseF16(half, hi, hf, p)
		compare(t, "f16 "+what, widen(half, tensor.F16.Float32), want, mag, f.OC, f.OC, 4e-3)

		bi, bf := narrowed(in, tensor.ToBF16), narrowed(filter, tensor.ToBF16)
		want, mag = reference(widen(bi, tensor.BF16.Float32), widen(bf, tensor.BF16.Float32), nil, nil, f)
		bh := make([]tensor.BF16, no)
		DepthwiseBF16(bh, bi, bf, p)
		compare(t, "bf16 "+what, widen(bh, tensor.BF16.Float32), want, mag, f.OC, f.OC, 32e-3)
	}
}

// TestDepthwiseHalfSteps checks that every step is rounded to the half type: a long sum of ones
// stops growing.
func TestDepthwiseHalfSteps(t *testing.T) {
	p := DepthwiseParams{N: 1, H: 70, W: 70, C: 1, KH: 70, KW: 70, OH: 1, OW: 1}
	ones := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = 1
		}
		return s
	}(4900)
	h := make([]tensor.F16, 1)
	DepthwiseF16(h, narrowed(ones, tensor.ToF16), narrowed(ones, tensor.ToF16), p)
	b := make([]tensor.BF16, 1)
	DepthwiseBF16(b, narrowed(ones, tensor.ToBF16), narrowed(ones, tensor.ToBF16), p)
	if h[0].Float32() != 2048 || b[0].Float32() != 256 {
		t.Errorf("f16 %v, bf16 %v, want 2048 and 256 as TensorFlow gives", h[0].Float32(), b[0].Float32())
	}
}

func BenchmarkDepthwiseF32(b *testing.B) {
	for _, p := range []DepthwiseParams{
		{N: 1, H: 112, W: 112, C: 32, KH: 3, KW: 3}, {N: 1, H: 56, W: 56, C: 144, KH: 3, KW: 3},
		{N: 1, H: 14, W: 14, C: 576, KH: 3, KW: 3}, {N: 1, H: 112, W: 112, C: 96, KH: 3, KW: 3, StrideH: 2, StrideW: 2},
		{N: 1, H: 28, W: 28, C: 240, KH: 5, KW: 5}, {N: 1, H: 14, W: 14, C: 240, KH: 5, KW: 5}, {N: 1, H: 7, W: 7, C: 576, KH: 5, KW: 5},
		{N: 1, H: 56, W: 56, C: 144, KH: 5, KW: 5, StrideH: 2, StrideW: 2}, {N: 1, H: 56, W: 56, C: 32, KH: 3, KW: 3, Mult: 2},
	} {
		p = sameDepthwise(p)
		p.Act = gemm.Relu6
		f := p.full()
		r := rand.New(rand.NewPCG(1, 1))
		ni, nf, no, _ := f.sizes()
		in, filter, bias, out, s := random(r, ni), random(r, nf), random(r, f.OC), make([]float32, no), make([]float32, DepthwiseScratchLen(p))
		b.Run(fmt.Sprintf("%dx%d_%dx%dx%d_s%d_m%d", p.KH, p.KW, p.H, p.W, p.C, max(p.StrideH, 1), max(p.Mult, 1)), func(b *testing.B) {
			bench(b, 2*no*p.KH*p.KW, func() { DepthwiseF32(out, in, filter, s, p.plus(bias)) })
		})
	}
}

// TestDepthwiseNoChannels: with a channel multiplier of 0 the result is empty.
func TestDepthwiseNoChannels(t *testing.T) {
	p := DepthwiseParams{N: 1, H: 4, W: 4, C: 2, KH: 2, KW: 2, OH: 4, OW: 4}
	DepthwiseF32(nil, make([]float32, 32), nil, make([]float32, DepthwiseScratchLen(p)), p)
	DepthwiseF64(nil, make([]float64, 32), nil, p)
}
