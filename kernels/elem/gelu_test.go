package elem

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// TestActivations compares each function, also in place, with its float64 formula, at every CPU
// level and for rows of many lengths.
func TestActivations(t *testing.T) {
	inf := math.Inf(1)
	fns := []struct {
		name string
		fn   func(dst, src []float32)
		want func(x float64) float64
	}{
		{"GeluErf", GeluErfF32, func(x float64) float64 { return 0.5 * x * math.Erfc(-x/math.Sqrt2) }},
		{"GeluTanh", GeluTanhF32, func(x float64) float64 {
			return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}},
		{"Swish", SwishF32, func(x float64) float64 { return x / (1 + math.Exp(-x)) }},
		{"HardSwish", HardSwishF32, func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 }},
	}
	for _, f := range fns {
		for _, level := range []cpu.Level{cpu.Portable, cpu.AVX2, cpu.AVX512} {
			func() {
				defer cpu.SetLimit(cpu.SetLimit(level))
				for n := range 300 {
					x, y := make([]float32, n), make([]float32, n)
					for i := range x {
						x[i] = float32(i-n/2) * 0.07
					}
					copy(y, x)
					f.fn(y, y)
					for i, v := range x {
						if w := f.want(float64(v)); math.Abs(float64(y[i])-w) > 2e-6*(1+math.Abs(w)) {
							t.Fatalf("%s level %d: f(%v) = %v, want %v", f.name, level, v, y[i], w)
						}
					}
				}
				y := []float32{float32(math.NaN()), float32(inf), 0, 1e30}
				f.fn(y, y)
				if y[0] == y[0] || y[1] != float32(inf) || y[2] != 0 || math.Abs(float64(y[3])/1e30-1) > 1e-6 {
					t.Errorf("%s level %d: f(NaN, Inf, 0, 1e30) = %v", f.name, level, y)
				}
			}()
		}
	}
}
