package elem

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/fmath"
)

// The float32 functions of this file round results of float64 polynomials: see
// package fmath. The rows inline its pieces; the functions of one number are for
// what is computed element by element.

// exp32 is e^x: 0 below -104, infinite above 89.
func exp32(x float32) float32 {
	s, r := fmath.Split(min(max(float64(x), -110), 90) * fmath.Log2E)
	return float32(s + float64(s*fmath.Pow2m1(r)))
}

// expm132 is e^x - 1 without cancellation; the sign of a zero stays.
func expm132(x float32) float32 {
	s, r := fmath.Split(min(max(float64(x), -110), 90) * fmath.Log2E)
	return float32(float64(s*fmath.Pow2m1(r)) - (1 - s))
}

// tanh32 is (e^2x - 1)/(e^2x + 1); the sign of a zero stays.
func tanh32(x float32) float32 {
	s, r := fmath.Split(min(max(float64(x), -20), 20) * (2 * fmath.Log2E))
	t := float64(s*fmath.Pow2m1(r)) - (1 - s)
	return float32(t / (t + 2))
}

// sigmoid32 is 1/(1 + e^-x).
func sigmoid32(x float32) float32 {
	s, r := fmath.Split(min(max(float64(x), -110), 110) * -fmath.Log2E)
	return float32(1 / (1 + s + float64(s*fmath.Pow2m1(r))))
}

// softplus32 is log(1 + e^x).
func softplus32(x float32) float32 {
	if x > 30 {
		return x
	}
	return float32(math.Log1p(math.Exp(float64(x))))
}

func expRow32(dst, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		s, r := fmath.Split(min(max(float64(x), -110), 90) * fmath.Log2E)
		dst[i] = float32(s + float64(s*fmath.Pow2m1(r)))
	}
}

func expm1Row32(dst, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		s, r := fmath.Split(min(max(float64(x), -110), 90) * fmath.Log2E)
		dst[i] = float32(float64(s*fmath.Pow2m1(r)) - (1 - s))
	}
}

func tanhRow32(dst, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		s, r := fmath.Split(min(max(float64(x), -20), 20) * (2 * fmath.Log2E))
		t := float64(s*fmath.Pow2m1(r)) - (1 - s)
		dst[i] = float32(t / (t + 2))
	}
}

func sigmoidRow32(dst, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		s, r := fmath.Split(min(max(float64(x), -110), 110) * -fmath.Log2E)
		dst[i] = float32(1 / (1 + s + float64(s*fmath.Pow2m1(r))))
	}
}

// log32 is the natural logarithm: -Inf of 0, NaN below.
func log32(x float32) float32 {
	if !(x > 0) || x > math.MaxFloat32 {
		return logSpecial(x)
	}
	e, m := fmath.LogParts(float64(x))
	return float32(float64(e*fmath.Ln2) + fmath.LogPoly(m))
}

// logSpecial is the logarithm of what is not positive and finite.
func logSpecial(x float32) float32 {
	switch {
	case x == 0:
		return float32(math.Inf(-1))
	case x > 0:
		return x
	}
	return float32(math.NaN())
}

func logRow32(dst, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		if !(x > 0) || x > math.MaxFloat32 {
			dst[i] = logSpecial(x)
			continue
		}
		e, m := fmath.LogParts(float64(x))
		dst[i] = float32(float64(e*fmath.Ln2) + fmath.LogPoly(m))
	}
}
