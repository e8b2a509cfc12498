package elem

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/fmath"
	"github.com/graphc/graphc/kernels/internal/vmath"
)

// The row functions of this file use package vmath if the machine supports it. Their portable
// versions call functions of package fmath, which are inlined into the loops, and round the float64
// results. The functions that take a single number call a row function with a row of one element. NaN
// stays NaN.

// one applies f to a row of one number.
func one(x float32, f func(dst, src []float32)) float32 {
	v := [1]float32{x}
	f(v[:], v[:])
	return v[0]
}

// expLimit clamps x so that e^x is neither 0 nor infinite in float64. At the limits e^x is 0 or
// infinite in float32.
func expLimit(x float32) float64 {
	if x > 90 {
		x = 90
	} else if x < -110 {
		x = -110
	}
	return float64(x)
}

// exp32 returns e^x. The result is 0 if e^x is below the normal numbers, and infinite for x above 89.
func exp32(x float32) float32 { return one(x, expRow32) }

// expm132 returns e^x - 1 without cancellation. Zeros keep their sign.
func expm132(x float32) float32 { return one(x, expm1Row32) }

// expm1Go is the portable version of expm132.
func expm1Go(x float32) float32 {
	s, p := fmath.Exp(expLimit(x))
	return float32(float64(s*p) - (1 - s))
}

// tanh32 returns (e^2x - 1)/(e^2x + 1). Zeros keep their sign.
func tanh32(x float32) float32 { return one(x, tanhRow32) }

// tanhLimit clamps x to limits beyond which tanh is ±1 in float32.
func tanhLimit(x float32) float64 {
	if x > 20 {
		x = 20
	} else if x < -20 {
		x = -20
	}
	return float64(x)
}

// sigmoidLimit returns -x, clamped so that e^-x is finite in float64. At the limits the
// sigmoid is 0 or 1 in float32.
func sigmoidLimit(x float32) float64 {
	if x > 110 {
		x = 110
	} else if x < -110 {
		x = -110
	}
	return -float64(x)
}

// sigmoid32 returns 1/(1 + e^-x).
func sigmoid32(x float32) float32 { return one(x, sigmoidRow32) }

func expRow32(dst, src []float32) {
	if vmath.Exp(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, x := range src {
		s, p := fmath.Exp(expLimit(x))
		dst[i] = flush(float32(s + float64(s*p)))
	}
}

func expm1Row32(dst, src []float32) {
	if vmath.Expm1(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = expm1Go(x)
	}
}

func tanhRow32(dst, src []float32) {
	if vmath.Tanh(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, x := range src {
		s, p := fmath.Exp(2 * tanhLimit(x))
		t := float64(s*p) - (1 - s)
		dst[i] = float32(t / (t + 2))
	}
}

func sigmoidRow32(dst, src []float32) {
	if vmath.Sigmoid(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, x := range src {
		s, p := fmath.Exp(sigmoidLimit(x))
		dst[i] = flush(float32(1 / (1 + s + float64(s*p))))
	}
}

// softplus32 returns log(1 + e^x).
func softplus32(x float32) float32 { return one(x, softplusRow32) }

func softplusRow32(dst, src []float32) {
	if vmath.Softplus(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = softplusGo(x)
	}
}

// softplusGo is the portable version of softplus32.
func softplusGo(x float32) float32 {
	if x > 20 {
		return x
	}
	s, p := fmath.Exp(expLimit(x))
	y := s + float64(s*p)
	if y < 1e-8 {
		return flush(float32(y))
	}
	e, m := fmath.LogParts(1 + y)
	y = float64(e*fmath.Ln2) + fmath.LogPoly(m)
	if x != x {
		return x
	}
	return float32(y)
}

// log32 returns the natural logarithm of x. It returns -Inf for 0, and NaN for negative x.
func log32(x float32) float32 { return one(x, logRow32) }

// logSpecial returns the logarithm of a number that is 0, negative, infinite or NaN.
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
	if vmath.Log(dst, src) {
		return
	}
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
