package elem

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ulps returns the distance of got from the exact value want in units in the last place of
// the float32 nearest to want.
func ulps(got float32, want float64) float64 {
	w := float32(want)
	if got == w || math.IsNaN(float64(got)) && math.IsNaN(want) {
		if math.IsInf(want, 0) || math.IsNaN(want) || math.IsInf(float64(w), 0) {
			return 0
		}
	} else if math.IsInf(float64(got), 0) || math.IsInf(float64(w), 0) || math.IsNaN(want) || math.IsNaN(float64(got)) {
		return math.Inf(1)
	}
	a := float32(math.Abs(float64(w)))
	unit := float64(math.Nextafter32(a, math.MaxFloat32)) - float64(a)
	return math.Abs(float64(got)-want) / unit
}

// TestF32Accuracy compares each function with package math over the function's range. It also checks that
// a number gives the same result alone as in a row.
func TestF32Accuracy(t *testing.T) {
	inf := math.Inf(1)
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, float32(inf), float32(-inf), float32(math.NaN()),
		1e-45, -1e-45, 1e-38, 1e-20, 88.7, 88.8, -87.4, -103.9, -104.1, 110, -110, 3e38, -3e38, 9, -9, 0.921875, 4, 20, 20.5, -18.5}
	for _, k := range []struct {
		name   string
		one    func(float32) float32
		row    func(dst, src []float32)
		exact  func(float64) float64
		lo, hi float64
		limit  float64 // ulp
	}{
		{"exp", exp32, ExpF32, math.Exp, -105, 89, 0.7},
		{"expm1", expm132, Expm1F32, math.Expm1, -20, 89, 0.7},
		{"expm1 near 0", expm132, Expm1F32, math.Expm1, -0.02, 0.02, 0.7},
		{"tanh", tanh32, TanhF32, math.Tanh, -10, 10, 0.7},
		{"tanh near 0", tanh32, TanhF32, math.Tanh, -0.02, 0.02, 0.7},
		{"sigmoid", sigmoid32, SigmoidF32, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, -80, 20, 0.7},
		{"log", log32, LogF32, math.Log, 0, 10, 0.7},
		{"log near 1", log32, LogF32, math.Log, 0.9, 1.1, 0.7},
		{"softplus", softplus32, SoftplusF32, func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, -90, 25, 0.7},
		{"erf", erf32, ErfF32, math.Erf, -4.5, 4.5, 1},
		{"erf near 0", erf32, ErfF32, math.Erf, -1e-3, 1e-3, 1},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		xs := append([]float32{}, special...)
		for range 100000 {
			xs = append(xs, float32(k.lo+(k.hi-k.lo)*r.Float64()))
		}
		dst := make([]float32, len(xs))
		k.row(dst, xs)
		for i, x := range xs {
			one := k.one(x)
			if one != dst[i] && (one == one || dst[i] == dst[i]) {
				t.Fatalf("%s(%g): %g alone, %g in a row", k.name, x, one, dst[i])
			}
			if math.Abs(k.exact(float64(x))) < 0x1p-126 && one == 0 {
				continue // flushed
			}
			if u := ulps(one, k.exact(float64(x))); u > k.limit {
				t.Errorf("%s(%g) = %g, want %g: off by %.2f ulp", k.name, x, one, k.exact(float64(x)), u)
				break
			}
			if x == 0 && k.exact(0) == 0 && math.Signbit(float64(one)) != math.Signbit(float64(x)) {
				t.Errorf("%s(%g) lost the sign of zero", k.name, x)
			}
		}
	}
}
