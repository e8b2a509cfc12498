package elem

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestExtremes: the values are TensorFlow 2.21's.
func TestExtremes(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		got  float64
		want float64
	}{
		{"Erf of f64 is NaN where x² overflows", erf64(1e155), nan},
		{"and 1 before", erf64(-1e150), -1},
		{"Erf of f32", float64(erf32(float32(inf))), 1},
		{"Spence where 1/x is not normal", float64(whereInverse(float32(1e38), spence)), nan},
		{"and where it is", whereInverse(1e38, spence), -3829.61536983},
		{"Spence of the largest", whereInverse(1.7e308, spence), nan},
		{"Expint", float64(whereInverse(float32(1e20), expint)), inf},
		{"Expint where 1/x is not normal", float64(whereInverse(float32(3.4e38), expint)), nan},
		{"BesselK0e", besselK0e(1.7e308), 9.61248063e-155},
		{"BesselK1e", besselK1e(1e300), 1.25331414e-150},
		{"BesselK1", besselK1(1.7e308), 0},
		{"Tanh", real(tanhCmplx(complex(1e4, -0.001))), 1},
		{"Tanh below", real(tanhCmplx(complex(-1e4, -0.001))), -1},
		{"Tanh near", real(tanhCmplx(1.75)), real(cmplx.Tanh(1.75))},
	} {
		if !(math.Abs(c.got-c.want) <= 1e-8*math.Abs(c.want) || c.got == c.want || c.got != c.got && c.want != c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	if z := tanhCmplx(complex(1e4, -0.001)); imag(z) != 0 || !math.Signbit(imag(z)) {
		t.Errorf("tanh of a large number has the imaginary part %v", imag(z))
	}
}

// TestRoundedBetween: kernels of half types round between two operations, as in TensorFlow.
func TestRoundedBetween(t *testing.T) {
	f16 := func(x float32) []tensor.F16 { return []tensor.F16{tensor.ToF16(x)} }
	bf := func(x float32) []tensor.BF16 { return []tensor.BF16{tensor.ToBF16(x)} }
	s, h, b := Dims{N: 1, A: [8]int{1}, B: [8]int{1}}, make([]tensor.F16, 1), make([]tensor.BF16, 1)
	if SquaredDifferenceF16(h, f16(-0.2964), f16(1), s); h[0] != tensor.ToF16(1.6816406) {
		t.Errorf("SquaredDifference of f16: %v", h[0].Float32())
	}
	if SquaredDifferenceBF16(b, bf(3), bf(-3.265625), s); b[0] != tensor.ToBF16(39) {
		t.Errorf("SquaredDifference of bf16: %v", b[0].Float32())
	}
	if TruncateDivBF16(b, bf(8.97), bf(3), s); b[0].Float32() != 3 {
		t.Errorf("TruncateDiv of bf16: %v", b[0].Float32())
	}
	if FloorDivBF16(b, bf(8.97), bf(3), s); b[0].Float32() != 3 {
		t.Errorf("FloorDiv of bf16: %v", b[0].Float32())
	}
}
