package elem

import (
	"math"
	"testing"
)

// TestGammaGrad: the values are TensorFlow 2.21's. For the last pair the series ends too early, as
// in TensorFlow.
func TestGammaGrad(t *testing.T) {
	nan := math.NaN()
	a := []float64{.5, 1, 3, 100, 1e6, -1, nan, 2, 2, 2, math.Inf(1), 1e-3}
	x := []float64{.4, 1, 2, 90, 1e6, 1, 1, 0, -1, math.Inf(1), 3, 1e5}
	want := []float64{1.18657887, 1.17356303, .85657142, .94982595, .11792622, nan, nan, 0, nan, 0, 0, 0}
	igamma := []float64{-7.09535e-01, -4.3172961e-01, -2.3184869e-01, -2.4612127e-02, nan, nan, nan, 0, nan, 0, 0, 0}
	n := len(a)
	a32, x32, got32, got := make([]float32, n), make([]float32, n), make([]float32, n), make([]float64, n)
	for i := range a {
		a32[i], x32[i] = float32(a[i]), float32(x[i])
	}
	s := Dims{N: 1, A: [MaxRank]int{n}, B: [MaxRank]int{n}}
	same := func(what string, got float64, want, tol float64) {
		t.Helper()
		if math.IsNaN(want) != math.IsNaN(got) || math.Abs(got-want) > tol {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	GammaGradF64(got, a, x, s)
	GammaGradF32(got32, a32, x32, s)
	for i, w := range want {
		same("f64", got[i], w, 1e-7)
		if i == 4 {
			w = 0.01989669
		}
		same("f32", float64(got32[i]), w, 1e-5)
	}
	IgammaGradAF64(got, a, x, s)
	IgammaGradAF32(got32, a32, x32, s)
	for i, w := range igamma {
		if i != 4 {
			same("igamma f64", got[i], w, 1e-6)
			same("igamma f32", float64(got32[i]), w, 1e-5)
		}
	}
}

// TestGammaGradDifferences compares the derivatives with differences of the function, on both sides
// of x = a.
func TestGammaGradDifferences(t *testing.T) {
	for _, a := range []float64{.1, .7, 1, 2.5, 10, 40} {
		for _, x := range []float64{.01, .5, 1.5, 4, 12, 60} {
			const h = 1e-5
			d := (igamma(a+h, x) - igamma(a-h, x)) / (2 * h)
			if got := gammaDerivative(a, x, false); math.Abs(got-d) > 1e-7 {
				t.Errorf("at %v, %v: %v, the difference is %v", a, x, got, d)
			}
			p := math.Exp((a-1)*math.Log(x) - x - lgamma(a))
			if got := gammaDerivative(a, x, true); p > 1e-6 && math.Abs(got+d/p) > 1e-4*math.Max(1, math.Abs(d/p)) {
				t.Errorf("of a variable at %v, %v: %v, want %v", a, x, got, -d/p)
			}
		}
	}
	// The fraction's terms exceed the range of f32 and are scaled.
	if got, want := gammaDerivative[float32](30, 31, false), gammaDerivative[float64](30, 31, false); math.Abs(float64(got)-want) > 1e-5 {
		t.Errorf("f32 at 30, 31: %v, want %v", got, want)
	}
}
