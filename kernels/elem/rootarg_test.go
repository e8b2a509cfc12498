package elem

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestRootArg: the root of RootArg's result equals the power, for every kind of number.
func TestRootArg(t *testing.T) {
	negZero, inf := math.Copysign(0, -1), math.Inf(1)
	for _, x := range []float64{0, negZero, 1, 2.25, -1, -4, inf, -inf, math.NaN(), 0x1p-20, 65504} {
		want := math.Pow(x, 0.5)
		check := func(typ string, got float64) {
			if got != want && (got == got || want == want) || math.Signbit(got) != math.Signbit(want) && want == want {
				t.Errorf("%s: the root for %g is %g, want %g", typ, x, got, want)
			}
		}
		f, d := []float32{float32(x)}, []float64{x}
		h, b := []tensor.F16{tensor.ToF16(float32(x))}, []tensor.BF16{tensor.ToBF16(float32(x))}
		RootArgF32(f, f)
		RootArgF64(d, d)
		RootArgF16(h, h)
		RootArgBF16(b, b)
		check("f64", math.Sqrt(d[0]))
		want = float64(float32(want))
		check("f32", float64(float32(math.Sqrt(float64(f[0])))))
		if x = float64(tensor.ToF16(float32(x)).Float32()); x == float64(h[0].Float32()) || x <= 0 {
			want = math.Pow(x, 0.5)
			check("f16", math.Sqrt(float64(h[0].Float32())))
		}
		if x = float64(tensor.ToBF16(float32(x)).Float32()); x == float64(b[0].Float32()) || x <= 0 {
			want = math.Pow(x, 0.5)
			check("bf16", math.Sqrt(float64(b[0].Float32())))
		}
	}
}
