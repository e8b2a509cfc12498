package conv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

func levels(t *testing.T, f func(t *testing.T)) {
	for l := cpu.Portable; l <= cpu.Available(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.SetLimit(cpu.SetLimit(l))
			f(t)
		})
	}
}

const guard = 64

// random returns n random floats with NaN before and after them.
func random(r *rand.Rand, n int) []float32 {
	all := nans(n + 2*guard)
	s := all[guard : guard+n : guard+n]
	for i := range s {
		s[i] = r.Float32()*2 - 1
	}
	return s
}

func nans(n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(math.NaN())
	}
	return s
}

// result returns a slice of n NaN, and a function that checks that nothing around the slice was
// written.
func result(t *testing.T, n int) ([]float32, func()) {
	all := nans(n + 2*guard)
	return all[guard : guard+n : guard+n], func() {
		t.Helper()
		for i, v := range all {
			if (i < guard || i >= guard+n) && v == v {
				t.Fatalf("wrote %v at %d of %d", v, i-guard, n)
			}
		}
	}
}

func widen[T any](s []T, f func(T) float32) []float64 {
	w := make([]float64, len(s))
	for i, v := range s {
		w[i] = float64(f(v))
	}
	return w
}

func f32id(v float32) float32 { return v }

func narrowed[T any](s []float32, f func(float32) T) []T {
	w := make([]T, len(s))
	for i, v := range s {
		w[i] = f(v)
	}
	return w
}

// reference computes Conv2D by its definition. mag holds the sums of the products' magnitudes.
// Pixels of in, out and res are LdIn, LdOut and LdRes elements apart.
func reference(in, filter, bias, res []float64, p Params) (out, mag []float64) {
	p.dense()
	n := max((p.N*p.OH*p.OW-1)*p.LdOut+p.OC, 0)
	out, mag = make([]float64, n), make([]float64, n)
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	cg, og := p.C/p.Groups, p.OC/p.Groups
	for px := range p.N * p.OH * p.OW {
		b, y, x := px/(p.OH*p.OW), px/p.OW%p.OH, px%p.OW
		for o := range p.OC {
			s, m := 0.0, 0.0
			for i := range p.KH {
				for j := range p.KW {
					iy, ix := y*p.StrideH-p.PadTop+i*p.DilH, x*p.StrideW-p.PadLeft+j*p.DilW
					if iy < 0 || iy >= p.H || ix < 0 || ix >= p.W {
						continue
					}
					for c := range cg {
						v := in[((b*p.H+iy)*p.W+ix)*p.LdIn+o/og*cg+c] * filter[((i*p.KW+j)*cg+c)*p.OC+o]
						s, m = s+v, m+math.Abs(v)
					}
				}
			}
			if len(bias) > 0 {
				s, m = s+bias[o], m+1
			}
			if len(res) > 0 {
				s, m = s+res[px*p.LdRes+o], m+1
			}
			out[px*p.LdOut+o], mag[px*p.LdOut+o] = min(max(s, float64(lo)), float64(hi)), m
		}
	}
	return out, mag
}

func compare(t *testing.T, what string, got, want, mag []float64, ld, used int, tol float64) {
	t.Helper()
	for i := range want {
		if i%ld >= used {
			continue
		}
		if d := math.Abs(got[i] - want[i]); !(d <= tol*(mag[i]+1e-3)) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func (p Params) sizes() (in, filter, out, res int) {
	p.dense()
	ext := func(px, ld, c int) int {
		if px == 0 {
			return 0
		}
		return (px-1)*ld + c
	}
	out = p.N * p.OH * p.OW
	return ext(p.N*p.H*p.W, p.LdIn, p.C), p.KH * p.KW * p.C / p.Groups * p.OC, ext(out, p.LdOut, p.OC), ext(out, p.LdRes, p.OC)
}

func testF32(t *testing.T, r *rand.Rand, p Params, withBias, withRes bool) {
	t.Helper()
	what := fmt.Sprintf("%+v bias %v res %v", p, withBias, withRes)
	ni, nf, no, nr := p.sizes()
	in, filter := random(r, ni), random(r, nf)
	var bias, res []float32
	if withBias {
		bias = random(r, p.OC)
	}
	if withRes {
		res = random(r, nr)
	}
	groups := max(p.Groups, 1)
	packed := make([]float32, PackedLen(p.KH, p.KW, p.C/groups, p.OC, groups))
	PackF32(packed, filter, p.KH, p.KW, p.C/groups, p.OC, groups)
	out, check := result(t, no)
	F32(out, in, packed, nans(ScratchLen(p)), p.plus(bias, res))
	check()
	want, mag := reference(widen(in, f32id), widen(filter, f32id), widen(bias, f32id), widen(res, f32id), p)
	ld := p.LdOut
	if ld == 0 {
		ld = p.OC
	}
	compare(t, what, widen(out, f32id), want, mag, ld, p.OC, 1e-6)
	for i, v := range out {
		if i%ld >= p.OC && v == v {
			t.Fatalf("%s: wrote between pixels at %d", what, i)
		}
	}
	if res == nil || p.LdRes != p.LdOut {
		return
	}
	// The result may replace the residual.
	F32(res, in, packed, nans(ScratchLen(p)), p.plus(bias, res))
	for i, v := range out {
		if i%ld < p.OC && v != res[i] {
			t.Fatalf("%s: element %d is %v, and in place of the residual %v", what, i, v, res[i])
		}
	}
}

// same returns p with the output size and the padding of TensorFlow's SAME.
func same(p Params) Params {
	q := p
	q.dense()
	set := func(in, k, stride, dil int) (out, before int) {
		out = (in + stride - 1) / stride
		return out, max((out-1)*stride+(k-1)*dil+1-in, 0) / 2
	}
	p.OH, p.PadTop = set(p.H, p.KH, q.StrideH, q.DilH)
	p.OW, p.PadLeft = set(p.W, p.KW, q.StrideW, q.DilW)
	return p
}

// valid returns p with the output size of TensorFlow's VALID.
func valid(p Params) Params {
	q := p
	q.dense()
	p.OH = max((p.H-(p.KH-1)*q.DilH-1)/q.StrideH+1, 0)
	p.OW = max((p.W-(p.KW-1)*q.DilW-1)/q.StrideW+1, 0)
	return p
}

// cases returns convolutions of every kind.
func cases() []Params {
	base := []Params{
		{N: 1, H: 5, W: 5, C: 1, KH: 1, KW: 1, OC: 1},
		{N: 2, H: 5, W: 7, C: 3, KH: 1, KW: 1, OC: 20},
		{N: 2, H: 5, W: 7, C: 3, KH: 1, KW: 1, OC: 20, StrideH: 2, StrideW: 2},
		{N: 1, H: 9, W: 11, C: 3, KH: 3, KW: 3, OC: 17, Act: gemm.Relu},
		{N: 2, H: 9, W: 11, C: 4, KH: 3, KW: 3, OC: 33, StrideH: 2, StrideW: 2, Act: gemm.Relu6},
		{N: 1, H: 12, W: 13, C: 5, KH: 3, KW: 3, OC: 8, DilH: 2, DilW: 3},
		{N: 1, H: 12, W: 13, C: 5, KH: 3, KW: 2, OC: 8, StrideH: 3, StrideW: 2, DilH: 2},
		{N: 1, H: 4, W: 3, C: 2, KH: 7, KW: 7, OC: 5},
		{N: 2, H: 10, W: 10, C: 8, KH: 3, KW: 3, OC: 12, Groups: 4},
		{N: 1, H: 10, W: 10, C: 6, KH: 3, KW: 3, OC: 36, Groups: 2, DilW: 2},
		{N: 2, H: 6, W: 6, C: 6, KH: 1, KW: 1, OC: 40, Groups: 2},
		{N: 1, H: 6, W: 6, C: 6, KH: 2, KW: 3, OC: 10, LdIn: 9, LdOut: 13, LdRes: 11, Act: gemm.Clip, Lo: -1, Hi: 1},
		{N: 2, H: 6, W: 5, C: 6, KH: 1, KW: 1, OC: 10, LdIn: 9, LdOut: 13},
		{N: 1, H: 20, W: 60, C: 40, KH: 3, KW: 3, OC: 70},
		{N: 1, H: 30, W: 30, C: 128, KH: 3, KW: 3, OC: 20, StrideH: 2, StrideW: 2},
		{N: 2, H: 40, W: 1, C: 20, KH: 3, KW: 1, OC: 33},
		{N: 1, H: 90, W: 5, C: 70, KH: 5, KW: 3, OC: 40, StrideH: 2, StrideW: 2, DilH: 1, LdRes: 45, LdOut: 41},
		{N: 2, H: 7, W: 131, C: 3, KH: 3, KW: 5, OC: 10, StrideH: 2, StrideW: 2, Act: gemm.Relu},
		{N: 1, H: 5, W: 120, C: 2, KH: 2, KW: 3, OC: 5, DilH: 2, DilW: 7, LdIn: 3, LdOut: 6},
		{N: 1, H: 1, W: 100, C: 8, KH: 1, KW: 2, OC: 16, DilW: 16},
		{N: 1, H: 2, W: 40, C: 64, KH: 1, KW: 9, OC: 150},
	}
	var all []Params
	for _, p := range base {
		all = append(all, same(p))
		if v := valid(p); v.OH > 0 && v.OW > 0 {
			all = append(all, v)
		}
	}
	for ow := 1; ow <= 33; ow++ {
		all = append(all, same(Params{N: 1, H: 2, W: ow, C: 2, KH: 3, KW: 3, OC: 1 + 5*ow%50}))
	}
	crop := Params{N: 1, H: 8, W: 8, C: 3, KH: 2, KW: 2, OH: 3, OW: 4, OC: 4, PadTop: -2, PadLeft: -1}
	far := Params{N: 1, H: 3, W: 3, C: 3, KH: 2, KW: 2, OH: 12, OW: 13, OC: 4, PadTop: 4, PadLeft: 5}
	wide := Params{N: 2, H: 3, W: 3, C: 3, KH: 2, KW: 3, OH: 9, OW: 5, OC: 4, PadTop: 4, PadLeft: -7, DilH: 4, DilW: 2}
	long := Params{N: 1, H: 6, W: 90, C: 3, KH: 3, KW: 4, OH: 8, OW: 70, OC: 5, PadTop: 2, PadLeft: -3}
	return append(all, crop, far, wide, long)
}

func TestF32(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 1))
		for i, p := range cases() {
			testF32(t, r, p, i%2 == 0, i%3 == 0)
			testF32(t, r, p, i%2 == 1, i%3 == 1)
		}
	})
}

func TestEmpty(t *testing.T) {
	for _, p := range []Params{{N: 0, H: 3, W: 3, C: 2, KH: 1, KW: 1, OH: 3, OW: 3, OC: 2}, {N: 1, C: 2, KH: 3, KW: 3, OC: 2}, {N: 1, H: 1, W: 1, C: 1, KH: 1, KW: 1, OH: 1, OW: 1}} {
		F32(nil, make([]float32, 32), nil, nil, p)
		F64(nil, make([]float64, 32), nil, nil, p)
	}
	out := []float32{9, 9, 9, 9}
	F32(out, nil, nil, nil, Params{N: 1, H: 2, W: 1, KH: 3, KW: 3, OH: 2, OW: 1, OC: 2, Act: gemm.Relu}.plus([]float32{1, -2}, nil))
	if fmt.Sprint(out) != "[1 0 1 0]" {
		t.Errorf("no input channels: %v, want the clamped bias", out)
	}
}

func TestOtherTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, p := range cases() {
		if p.H*p.W*p.C*p.OC > 1<<16 {
			continue
		}
		what := fmt.Sprintf("%+v", p)
		ni, nf, no, _ := p.sizes()
		in, filter := random(r, ni), random(r, nf)
		ld := p.LdOut
		if ld == 0 {
			ld = p.OC
		}
		toF64 := func(v float32) float64 { return float64(v) }
		want, mag := reference(widen(in, f32id), widen(filter, f32id), nil, nil, p)
		out := make([]float64, no)
		F64(out, narrowed(in, toF64), narrowed(filter, toF64), make([]float64, AccLen(p)), p)
		compare(t, "f64 "+what, out, want, mag, ld, p.OC, 1e-14)

		half := make([]tensor.F16, no)
		hi, hf := narrowed(in, tensor.ToF16), narrowed(filter, tensor.ToF16)
		want, mag = reference(widen(hi, tensor.F16.Float32), widen(hf, tensor.F16.Float32), nil, nil, p)
		F16(half, hi, hf, make([]float32, AccLen(p)), p)
		compare(t, "f16 "+what, widen(half, tensor.F16.Float32), want, mag, ld, p.OC, 1e-3)

		bf := make([]tensor.BF16, no)
		bi, bw := narrowed(in, tensor.ToBF16), narrowed(filter, tensor.ToBF16)
		want, mag = reference(widen(bi, tensor.BF16.Float32), widen(bw, tensor.BF16.Float32), nil, nil, p)
		BF16(bf, bi, bw, make([]float32, AccLen(p)), p)
		compare(t, "bf16 "+what, widen(bf, tensor.BF16.Float32), want, mag, ld, p.OC, 8e-3)

		toI := func(v float32) int32 { return int32(v * 100) }
		p.Act = gemm.NoAct
		ints := make([]int32, no)
		ii, iw := narrowed(in, toI), narrowed(filter, toI)
		fromI := func(v int32) float32 { return float32(v) }
		want, mag = reference(widen(ii, fromI), widen(iw, fromI), nil, nil, p)
		I32(ints, ii, iw, make([]int32, AccLen(p)), p)
		compare(t, "i32 "+what, widen(ints, fromI), want, mag, ld, p.OC, 1e-6)
	}
}

func TestDoesNotAllocate(t *testing.T) {
	p := same(Params{N: 1, H: 9, W: 9, C: 8, KH: 3, KW: 3, OC: 16})
	in, w, out, s := make([]float32, 648), make([]float32, PackedLen(3, 3, 8, 16, 1)), make([]float32, 81*16), make([]float32, ScratchLen(p))
	d := DepthwiseParams{N: 1, H: 9, W: 9, C: 8, KH: 3, KW: 3, OH: 9, OW: 9, PadTop: 1, PadLeft: 1, Mult: 2}
	ds := make([]float32, DepthwiseScratchLen(d))
	b := BackpropParams{N: 1, H: 9, W: 9, C: 8, KH: 3, KW: 3, OH: 9, OW: 9, OC: 8, PadTop: 1, PadLeft: 1}
	bw, bs := make([]float32, BackpropPackedLen(3, 3, 8, 8)), make([]float32, BackpropScratchLen(b))
	f64, a64 := make([]float64, 81*16*9), make([]float64, AccLen(p))
	levels(t, func(t *testing.T) {
		if n := testing.AllocsPerRun(3, func() {
			F32(out, in, w, s, p)
			DepthwiseF32(out, in, w, ds, d)
			BackpropInputF32(out, in, bw, bs, b)
			F64(f64, f64, f64, a64, p)
		}); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

// bench runs f and reports the speed of the fastest call, because other work on the machine has
// disturbed that call least.
func bench(b *testing.B, flop int, f func()) {
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(flop)/float64(best.Nanoseconds()), "GFLOP/s")
	b.ReportMetric(float64(best.Nanoseconds())/1e3, "µs")
}

func BenchmarkF32(b *testing.B) {
	for _, p := range []Params{
		same(Params{N: 1, H: 28, W: 28, C: 128, KH: 3, KW: 3, OC: 128}),
		same(Params{N: 1, H: 7, W: 7, C: 512, KH: 3, KW: 3, OC: 512}),
		same(Params{N: 1, H: 56, W: 56, C: 64, KH: 1, KW: 1, OC: 256}),
		same(Params{N: 1, H: 56, W: 56, C: 256, KH: 1, KW: 1, OC: 512, StrideH: 2, StrideW: 2}),
		same(Params{N: 1, H: 224, W: 224, C: 3, KH: 7, KW: 7, OC: 64, StrideH: 2, StrideW: 2}),
		same(Params{N: 1, H: 224, W: 224, C: 3, KH: 3, KW: 3, OC: 32, StrideH: 2, StrideW: 2}),
		valid(Params{N: 1, H: 299, W: 299, C: 3, KH: 3, KW: 3, OC: 32, StrideH: 2, StrideW: 2}),
		valid(Params{N: 1, H: 35, W: 35, C: 288, KH: 3, KW: 3, OC: 384, StrideH: 2, StrideW: 2}),
		same(Params{N: 1, H: 56, W: 56, C: 128, KH: 3, KW: 3, OC: 128, StrideH: 2, StrideW: 2}),
		same(Params{N: 1, H: 17, W: 17, C: 160, KH: 1, KW: 7, OC: 160}),
		same(Params{N: 1, H: 17, W: 17, C: 160, KH: 7, KW: 1, OC: 160}),
		same(Params{N: 1, H: 35, W: 35, C: 48, KH: 5, KW: 5, OC: 64}),
		same(Params{N: 1, H: 1, W: 1000, C: 64, KH: 1, KW: 2, OC: 64, DilW: 64}),
		same(Params{N: 1, H: 8, W: 8, C: 384, KH: 1, KW: 3, OC: 384}),
		same(Params{N: 1, H: 112, W: 112, C: 32, KH: 1, KW: 1, OC: 16}),
		same(Params{N: 1, H: 100, W: 1, C: 256, KH: 5, KW: 1, OC: 256}),
		same(Params{N: 1, H: 28, W: 28, C: 256, KH: 3, KW: 3, OC: 256, Groups: 32}),
	} {
		p.Act = gemm.Relu
		r := rand.New(rand.NewPCG(1, 1))
		ni, nf, no, _ := p.sizes()
		g := max(p.Groups, 1)
		in, filter, bias, out := random(r, ni), random(r, nf), random(r, p.OC), make([]float32, no)
		packed := make([]float32, PackedLen(p.KH, p.KW, p.C/g, p.OC, g))
		PackF32(packed, filter, p.KH, p.KW, p.C/g, p.OC, g)
		scratch := make([]float32, ScratchLen(p))
		b.Run(fmt.Sprintf("%dx%d_%dx%dx%d_%d_s%d_g%d", p.KH, p.KW, p.H, p.W, p.C, p.OC, max(p.StrideH, 1), g), func(b *testing.B) {
			bench(b, 2*p.N*p.OH*p.OW*p.KH*p.KW*p.C/g*p.OC, func() { F32(out, in, packed, scratch, p.plus(bias, nil)) })
		})
	}
}

// plus returns p with a bias and a residual, each of which may be nil.
func (p Params) plus(bias, res []float32) Params {
	p.Bias, p.Res = bias, res
	return p
}

func (p DepthwiseParams) plus(bias []float32) DepthwiseParams {
	p.Bias = bias
	return p
}

func (p BackpropParams) plus(bias []float32) BackpropParams {
	p.Bias = bias
	return p
}
