package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/mem"
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

func cases() []Params {
	var all []Params
	same := func(p Params) Params {
		p.OH, p.OW = (p.H+p.StrideH-1)/p.StrideH, (p.W+p.StrideW-1)/p.StrideW
		p.PadTop = max((p.OH-1)*p.StrideH+p.KH-p.H, 0) / 2
		p.PadLeft = max((p.OW-1)*p.StrideW+p.KW-p.W, 0) / 2
		return p
	}
	for c := 0; c <= 140; c++ {
		all = append(all, same(Params{N: 1 + c%2, H: 5, W: 4 + c%7, C: c, KH: 2 + c%2, KW: 3, StrideH: 2, StrideW: 1 + c%3}))
	}
	for w := 1; w <= 20; w++ {
		all = append(all, same(Params{N: 1, H: 3, W: w, C: 20, KH: 3, KW: 5, StrideH: 1, StrideW: 2}))
	}
	return append(all,
		Params{N: 2, H: 7, W: 7, C: 33, KH: 7, KW: 7, OH: 1, OW: 1, StrideH: 1, StrideW: 1},
		Params{N: 1, H: 8, W: 8, C: 5, KH: 2, KW: 2, OH: 4, OW: 4, StrideH: 2, StrideW: 2},
		Params{N: 1, H: 3, W: 3, C: 18, KH: 2, KW: 2, OH: 5, OW: 5, StrideH: 2, StrideW: 2, PadTop: 3, PadLeft: 3}, // windows outside
		Params{N: 1, H: 5, W: 5, C: 3, KH: 1, KW: 1, OH: 2, OW: 2, StrideH: 4, StrideW: 4},
		Params{N: 0, H: 5, W: 5, C: 3, KH: 1, KW: 1, OH: 2, OW: 2, StrideH: 4, StrideW: 4})
}

// reference computes one element of the results of maximum and of average pooling from the
// definitions, in float64.
func reference(in func(i int) float64, p *Params, n, y, x, c int) (largest, average float64) {
	largest = math.Inf(-1)
	var sum, count float64
	for i := range p.KH {
		for j := range p.KW {
			iy, ix := y*p.StrideH-p.PadTop+i, x*p.StrideW-p.PadLeft+j
			if iy < 0 || iy >= p.H || ix < 0 || ix >= p.W {
				continue
			}
			v := in(((n*p.H+iy)*p.W+ix)*p.C + c)
			sum += v
			count++
			if v > largest {
				largest = v
			}
		}
	}
	return largest, sum / count
}

// run compares the results of the pooling function f with those of reference, within the relative
// tolerance tol. The expected result of maximum pooling for empty windows is the parameter lowest.
// Elements before and after the result must not change.
func run[T any](t *testing.T, f func(run *mem.Budget, out, in []T, p Params), mk func(r *rand.Rand) T, val func(T) float64, fill T, isFill func(T) bool, avg bool, lowest, tol float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	for _, p := range cases() {
		in := make([]T, p.N*p.H*p.W*p.C)
		for i := range in {
			in[i] = mk(r)
		}
		no := p.N * p.OH * p.OW * p.C
		all := make([]T, no+2*guard)
		for i := range all {
			all[i] = fill
		}
		out := all[guard : guard+no : guard+no]
		f(nil, out, in, p)
		for i, v := range all {
			if (i < guard || i >= guard+no) && !isFill(v) {
				t.Fatalf("%+v: wrote outside at %d of %d", p, i-guard, no)
			}
		}
		for i, got := range out {
			px := i / p.C
			m, a := reference(func(i int) float64 { return val(in[i]) }, &p, px/(p.OH*p.OW), px/p.OW%p.OH, px%p.OW, i%p.C)
			want := max(m, lowest)
			if avg {
				want = a
			}
			g := val(got)
			if g == want || math.IsNaN(want) && math.IsNaN(g) {
				continue
			}
			if !(math.Abs(g-want) <= tol*(1+math.Abs(want))) {
				t.Fatalf("%+v: element %d is %v, want %v", p, i, g, want)
			}
		}
	}
}

func TestFloats(t *testing.T) {
	levels(t, func(t *testing.T) {
		nan := float32(math.NaN())
		val := func(v float32) float64 { return float64(v) }
		isNaN := func(v float32) bool { return v != v }
		sometimes := func(r *rand.Rand) float32 {
			switch r.IntN(8) {
			case 0:
				return nan
			case 1:
				return float32(math.Inf(-1))
			}
			return r.Float32() - 0.5
		}
		plain := func(r *rand.Rand) float32 { return r.Float32() - 0.5 }
		run(t, MaxF32, sometimes, val, nan, isNaN, false, -math.MaxFloat32, 0)
		run(t, AvgF32, sometimes, val, nan, isNaN, true, 0, 1e-6)
		run(t, AvgF32, plain, val, nan, isNaN, true, 0, 1e-6)
	})
	id := func(v float64) float64 { return v }
	isNaN := func(v float64) bool { return v != v }
	mk := func(r *rand.Rand) float64 { return r.Float64() - 0.5 }
	run(t, MaxF64, mk, id, math.NaN(), isNaN, false, -math.MaxFloat64, 0)
	run(t, AvgF64, mk, id, math.NaN(), isNaN, true, 0, 1e-14)
}

func TestHalf(t *testing.T) {
	f16 := func(r *rand.Rand) tensor.F16 { return tensor.ToF16(r.Float32()) }
	v16 := func(v tensor.F16) float64 { return float64(v.Float32()) }
	n16 := func(v tensor.F16) bool { return v == 0x7e00 }
	run(t, MaxF16, f16, v16, 0x7e00, n16, false, -65504, 0)
	run(t, AvgF16, f16, v16, 0x7e00, n16, true, 0, 1e-2)
	bf := func(r *rand.Rand) tensor.BF16 { return tensor.ToBF16(r.Float32()) }
	vb := func(v tensor.BF16) float64 { return float64(v.Float32()) }
	nb := func(v tensor.BF16) bool { return v == 0x7fc0 }
	run(t, MaxBF16, bf, vb, 0x7fc0, nb, false, float64(tensor.BF16(0xff7f).Float32()), 0)
	run(t, AvgBF16, bf, vb, 0x7fc0, nb, true, 0, 0.2)
}

func integers[T int8 | int16 | int32 | int64 | uint8 | uint16](t *testing.T, f func(run *mem.Budget, out, in []T, p Params), lowest T) {
	t.Helper()
	val := func(v T) float64 { return float64(v) }
	run(t, f, func(r *rand.Rand) T { return T(r.IntN(100)) + lowest }, val, 7, func(v T) bool { return v == 7 }, false, float64(lowest), 0)
}

func TestIntegers(t *testing.T) {
	integers(t, MaxI8, math.MinInt8)
	integers(t, MaxI16, math.MinInt16)
	integers(t, MaxI32, math.MinInt32)
	integers(t, MaxI64, math.MinInt64)
	integers(t, MaxU8, 0)
	integers(t, MaxU16, 0)
}

// TestHalfAverageSteps checks that the sum of the elements of a window and their count are both
// rounded after each addition, as in TensorFlow. Sums of ones therefore stop growing at 2048 for
// f16 and at 256 for bf16.
func TestHalfAverageSteps(t *testing.T) {
	p := Params{N: 1, H: 100, W: 100, C: 1, KH: 100, KW: 100, OH: 1, OW: 1, StrideH: 1, StrideW: 1}
	in, bin := make([]tensor.F16, 10000), make([]tensor.BF16, 10000)
	for i := range 5000 {
		in[i], bin[i] = tensor.ToF16(1), tensor.ToBF16(1)
	}
	out, bout := make([]tensor.F16, 1), make([]tensor.BF16, 1)
	AvgF16(nil, out, in, p)
	AvgBF16(nil, bout, bin, p)
	if out[0].Float32() != 1 || bout[0].Float32() != 1 {
		t.Errorf("got %v and %v, want 1 and 1", out[0].Float32(), bout[0].Float32())
	}
}

func TestDoesNotAllocate(t *testing.T) {
	p := Params{N: 1, H: 8, W: 8, C: 20, KH: 3, KW: 3, OH: 4, OW: 4, StrideH: 2, StrideW: 2}
	in, out := make([]float32, 1280), make([]float32, 320)
	hin, hout := make([]tensor.F16, 1280), make([]tensor.F16, 320)
	levels(t, func(t *testing.T) {
		if n := testing.AllocsPerRun(3, func() {
			MaxF32(nil, out, in, p)
			AvgF32(nil, out, in, p)
			AvgF16(nil, hout, hin, p)
			MaxF16(nil, hout, hin, p)
		}); n != 0 {
			t.Errorf("%v allocations a call", n)
		}
	})
}

func BenchmarkF32(b *testing.B) {
	for _, p := range []Params{
		{N: 1, H: 112, W: 112, C: 64, KH: 3, KW: 3, OH: 56, OW: 56, StrideH: 2, StrideW: 2, PadTop: 0, PadLeft: 0},
		{N: 1, H: 28, W: 28, C: 10, KH: 2, KW: 2, OH: 14, OW: 14, StrideH: 2, StrideW: 2},
		{N: 1, H: 7, W: 7, C: 2048, KH: 7, KW: 7, OH: 1, OW: 1, StrideH: 1, StrideW: 1},
	} {
		in, out := make([]float32, p.N*p.H*p.W*p.C), make([]float32, p.N*p.OH*p.OW*p.C)
		name := fmt.Sprintf("%dx%dx%d_%dx%d", p.H, p.W, p.C, p.KH, p.KW)
		b.Run("max"+name, func(b *testing.B) {
			for b.Loop() {
				MaxF32(nil, out, in, p)
			}
		})
		b.Run("avg"+name, func(b *testing.B) {
			for b.Loop() {
				AvgF32(nil, out, in, p)
			}
		})
	}
}

// TestRows checks that any split of the rows gives exactly the same results.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	levels(t, func(t *testing.T) {
		for _, p := range cases() {
			in := make([]float32, p.N*p.H*p.W*p.C)
			half := make([]tensor.F16, len(in))
			for i := range in {
				in[i] = r.Float32() - 0.5
				half[i] = tensor.ToF16(in[i])
			}
			no, row := p.N*p.OH*p.OW*p.C, p.OW*p.C
			for k, f := range []func(out []float32, p Params){
				func(out []float32, p Params) { MaxF32(nil, out, in, p) },
				func(out []float32, p Params) { AvgF32(nil, out, in, p) },
				func(out []float32, p Params) {
					h := make([]tensor.F16, len(out))
					MaxF16(nil, h, half, p)
					for i, v := range h {
						out[i] = v.Float32()
					}
				},
			} {
				whole, parts := make([]float32, no), make([]float32, no)
				f(whole, p)
				for y := 0; y < p.N*p.OH; {
					q := p
					q.First, q.Rows = y, 1+r.IntN(p.N*p.OH-y)
					f(parts[y*row:(y+q.Rows)*row:(y+q.Rows)*row], q)
					y += q.Rows
				}
				for i, v := range whole {
					if w := parts[i]; v != w && (v == v || w == w) {
						t.Fatalf("%d %+v: element %d is %v in parts, %v at once", k, p, i, w, v)
					}
				}
			}
		}
	})
}

// TestEnds checks that pooling with large windows stops when the run is cancelled.
func TestEnds(t *testing.T) {
	p := Params{N: 1, H: 128, W: 128, C: 1, KH: 64, KW: 64, OH: 65, OW: 65, StrideH: 1, StrideW: 1}
	typed.Ends(t, "pooling", []any{MaxF32, MaxF64, MaxF16, MaxBF16, MaxI8, MaxI16, MaxI32, MaxI64, MaxU8, MaxU16, MaxU32, MaxU64, AvgF32, AvgF64, AvgF16, AvgBF16},
		typed.Out(65*65), typed.Seq(0, 128*128), p)

	regions := make(typed.E, 21) // the regions alternate between the whole image and an empty region
	for i := 1; i < 20; i += 2 {
		regions[i] = 128
	}
	f := FractionalParams{N: 1, H: 128, W: 128, C: 1, ON: 1, OH: 20, OW: 20, OC: 1}
	in, out := typed.Seq(0, 128*128), typed.Seq(0, 400)
	typed.Ends(t, "regions", []any{FractionalMaxF32, FractionalMaxF64, FractionalMaxI32, FractionalMaxI64, FractionalAvgF32, FractionalAvgF64, FractionalAvgI32, FractionalAvgI64},
		typed.Out(400), in, regions, regions, f)
	typed.Ends(t, "gradients of the largest", []any{FractionalMaxGradF32, FractionalMaxGradF64, FractionalMaxGradI32, FractionalMaxGradI64},
		typed.Out(128*128), in, out, out, regions, regions, typed.Out(400), f)
	typed.Ends(t, "gradients of means", []any{FractionalAvgGradF32, FractionalAvgGradF64, FractionalAvgGradI32, FractionalAvgGradI64},
		typed.Out(128*128), out, regions, regions, typed.Out(128*128), f)
}
