package elem

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/fmath"
	"github.com/graphc/graphc/kernels/internal/vmath"
)

// erf64 returns the error function of x. As in TensorFlow, it returns NaN if x² is infinite.
func erf64(x float64) float64 {
	if math.IsInf(x*x, 0) {
		return math.NaN()
	}
	return math.Erf(x)
}

// erf32 returns the error function of x, computed as a row of one number.
func erf32(x float32) float32 { return one(x, erfRow32) }

func erfRow32(dst, src []float32) {
	if vmath.Erf(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = erfGo(x)
	}
}

// erfGo is the portable version of erf32. For |x| up to 0.921875 it is x times a polynomial in x².
// For larger |x| it is ±(1 - e^q), where q is a polynomial in |x|. The coefficients are N. Juffa's
// minimax fits for float32. They are evaluated in float64, and the error is within 0.9 ulp.
func erfGo(x float32) float32 {
	a := float64(x)
	t, s := math.Abs(a), a*a
	if t > 0.921875 {
		if t > 4 {
			t = 4
		}
		r := float64(-1.72853470e-5*t) + 3.83197126e-4
		u := float64(-3.88396438e-3*t) + 2.42546219e-2
		r = float64(r*float64(t*t)) + u
		r = float64(r*t) - 1.06777877e-1
		r = float64(r*t) - 6.34846687e-1
		r = float64(r*t) - 1.28717512e-1
		e, p := fmath.Exp(float64(r*t) - t)
		return float32(math.Copysign(1-(e+float64(e*p)), a))
	}
	r := float64(-5.96761703e-4*s) + 4.99119423e-3
	r = float64(r*s) - 2.67681349e-2
	r = float64(r*s) + 1.12819925e-1
	r = float64(r*s) - 3.76125336e-1
	r = float64(r*s) + 1.28379166e-1
	return float32(float64(r*a) + a)
}
