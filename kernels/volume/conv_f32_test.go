package volume

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/cpu"
)

// convShapes returns convolutions with all kinds of windows, strides, dilations and padding.
func convShapes() []ConvParams {
	var all []ConvParams
	r := rand.New(rand.NewPCG(5, 6))
	pick := func(v ...int) int { return v[r.IntN(len(v))] }
	for len(all) < 150 {
		p := ConvParams{
			N: pick(1, 2), D: 1 + r.IntN(6), H: 1 + r.IntN(9), W: 1 + r.IntN(20), C: pick(1, 3, 8, 17), OC: pick(1, 4, 16, 20, 33),
			KD: pick(1, 2, 3), KH: pick(1, 2, 3, 5), KW: pick(1, 2, 3), SD: pick(1, 1, 2), SH: pick(1, 1, 2, 3), SW: pick(1, 1, 2),
			DilD: pick(0, 1, 2), DilH: pick(0, 1, 1, 2), DilW: pick(0, 1, 1, 2), PD: r.IntN(2), PH: r.IntN(3), PW: r.IntN(3),
		}
		out := func(size, k, s, d, pad int) int { return (size+2*pad-(k-1)*dil(d)-1)/s + 1 }
		p.OD, p.OH, p.OW = out(p.D, p.KD, p.SD, p.DilD, p.PD), out(p.H, p.KH, p.SH, p.DilH, p.PH), out(p.W, p.KW, p.SW, p.DilW, p.PW)
		if min(p.OD, p.OH, p.OW) > 0 {
			all = append(all, p)
		}
	}
	return append(all,
		ConvParams{N: 2, D: 3, H: 4, W: 5, C: 6, KD: 1, KH: 1, KW: 1, OD: 3, OH: 4, OW: 5, OC: 7, SD: 1, SH: 1, SW: 1},
		// A slice of the result is computed in several pieces, of one row or more.
		ConvParams{N: 1, D: 4, H: 80, W: 40, C: 5, KD: 3, KH: 3, KW: 3, OD: 4, OH: 80, OW: 40, OC: 33, SD: 1, SH: 1, SW: 1, PD: 1, PH: 1, PW: 1},
		ConvParams{N: 1, D: 2, H: 5, W: 200, C: 3, KD: 3, KH: 3, KW: 3, OD: 2, OH: 5, OW: 200, OC: 170, SD: 1, SH: 1, SW: 1, PD: 1, PH: 1, PW: 1},
		// Nothing is computed, or only the bias.
		ConvParams{N: 0, D: 3, H: 4, W: 5, C: 6, KD: 1, KH: 1, KW: 1, OD: 3, OH: 4, OW: 5, OC: 7, SD: 1, SH: 1, SW: 1},
		ConvParams{N: 1, D: 1, H: 2, W: 2, C: 2, KD: 2, KH: 2, KW: 2, OD: 2, OH: 3, OW: 3, OC: 2, SD: 9, SH: 9, SW: 9, PD: 9, PH: 9, PW: 9},
	)
}

func (p *ConvParams) params() Params {
	return Params{N: p.N, D: p.D, H: p.H, W: p.W, C: p.C, KD: p.KD, KH: p.KH, KW: p.KW, OD: p.OD, OH: p.OH, OW: p.OW, OC: p.OC,
		SD: p.SD, SH: p.SH, SW: p.SW, PD: p.PD, PH: p.PH, PW: p.PW, DilD: p.DilD, DilH: p.DilH, DilW: p.DilW}
}

func narrow(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// rounded returns normally distributed numbers that are exact in f32, and their values in f32.
func rounded(r *rand.Rand, n int) ([]float64, []float32) {
	y := narrow(fill(r, n))
	x := make([]float64, n)
	for i, v := range y {
		x[i] = float64(v)
	}
	return x, y
}

// levels runs f with each set of vector instructions that the machine has, and without any.
func levels(t *testing.T, f func(t *testing.T)) {
	for l := cpu.Portable; l <= cpu.Available(); l++ {
		t.Run(fmt.Sprint(l), func(t *testing.T) {
			defer cpu.SetLimit(cpu.SetLimit(l))
			f(t)
		})
	}
}

func nans(n int) []float32 { return slices.Repeat([]float32{float32(math.NaN())}, n) }

// compare checks that got is near want. size[i] is the sum of the magnitudes of the products in want[i].
// The number of products is given by the parameter n.
func compare(t *testing.T, p ConvParams, got []float32, want, size []float64, n int) {
	t.Helper()
	for i, w := range want {
		if !(math.Abs(float64(got[i])-w) <= 0x1p-24*(size[i]*math.Sqrt(float64(n+16))+math.Abs(w))) {
			t.Fatalf("%+v: element %d is %v, want %v", p, i, got[i], w)
		}
	}
}

// magnitudes returns the numbers without their signs.
func magnitudes(x []float64) []float64 {
	y := slices.Clone(x)
	for i, v := range y {
		y[i] = math.Abs(v)
	}
	return y
}

func TestPackedConv(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for i, p := range convShapes() {
			q := p.params()
			x64, x := rounded(r, q.pixels()*p.C)
			w64, w := rounded(r, p.KD*p.KH*p.KW*p.C*p.OC)
			want, size := make([]float64, q.positions()*p.OC), make([]float64, q.positions()*p.OC)
			ConvF64(nil, want, x64, w64, q)
			ConvF64(nil, size, magnitudes(x64), magnitudes(w64), q)
			if i%2 == 0 {
				bias64, bias := rounded(r, p.OC)
				p.Bias, p.Act = bias, gemm.Relu
				for k := range want {
					want[k] = max(want[k]+bias64[k%p.OC], 0)
					size[k] += math.Abs(bias64[k%p.OC])
				}
			}
			packed := nans(PackedLen(p.KD, p.KH, p.KW, p.C, p.OC))
			PackF32(packed, w, p.KD, p.KH, p.KW, p.C, p.OC)
			got := nans(len(want))
			PackedConvF32(got, x, packed, nans(ConvScratchLen(p)), p)
			compare(t, p, got, want, size, p.KD*p.KH*p.KW*p.C)
			// Ranges of rows give the same numbers.
			total := p.N * p.OD * p.OH
			for first := 0; first < total; {
				p.First, p.Rows = first, min(1+r.IntN(2*p.OH), total-first)
				row := p.OW * p.OC
				part := nans(p.Rows * row)
				PackedConvF32(part, x, packed, nans(ConvScratchLen(p)), p)
				if !slices.Equal(part, got[first*row:][:len(part)]) {
					t.Fatalf("%+v: the rows differ from those of the whole", p)
				}
				first += p.Rows
			}
		}
	})
}

func TestPackedInput(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, p := range convShapes() {
			q := p.params()
			g64, g := rounded(r, q.positions()*p.OC)
			w64, w := rounded(r, p.KD*p.KH*p.KW*p.C*p.OC)
			want, size := make([]float64, q.pixels()*p.C), make([]float64, q.pixels()*p.C)
			InputF64(nil, want, g64, w64, q)
			InputF64(nil, size, magnitudes(g64), magnitudes(w64), q)
			packed := nans(InputPackedLen(p.KD, p.KH, p.KW, p.C, p.OC))
			PackInputF32(packed, w, p.KD, p.KH, p.KW, p.C, p.OC)
			got := nans(len(want))
			PackedInputF32(got, g, packed, nans(InputScratchLen(p)), p)
			compare(t, p, got, want, size, p.KD*p.KH*p.KW*p.OC)
			for s := range p.N * p.D {
				p.First, p.Rows = s, 1
				size := p.H * p.W * p.C
				part := nans(size)
				PackedInputF32(part, g, packed, nans(InputScratchLen(p)), p)
				if !slices.Equal(part, got[s*size:][:size]) {
					t.Fatalf("%+v: a slice differs from that of the whole", p)
				}
			}
		}
	})
}

func TestSumFilter(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, p := range convShapes() {
			q := p.params()
			x64, x := rounded(r, q.pixels()*p.C)
			g64, g := rounded(r, q.positions()*p.OC)
			taps, each := p.KD*p.KH*p.KW, p.C*p.OC
			want, size := make([]float64, taps*each), make([]float64, taps*each)
			FilterF64(nil, want, x64, g64, q)
			FilterF64(nil, size, magnitudes(x64), magnitudes(g64), q)
			got := nans(len(want))
			SumFilterF32(got, x, g, nans(FilterScratchLen(p)), p)
			compare(t, p, got, want, size, q.positions())
			for first := 0; first < taps; {
				p.First, p.Rows = first, min(1+r.IntN(4), taps-first)
				part := nans(p.Rows * each)
				SumFilterF32(part, x, g, nans(FilterScratchLen(p)), p)
				if !slices.Equal(part, got[first*each:][:len(part)]) {
					t.Fatalf("%+v: the taps differ from those of the whole", p)
				}
				first += p.Rows
			}
		}
	})
}
