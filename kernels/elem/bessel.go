package elem

import "math"

// besselY returns y with corrections. y is the value that package math computes for the Bessel function
// Y of order 0 or 1 at x. TensorFlow's values differ at and below 0, where they are -Inf, and at
// infinity, where the value is NaN.
func besselY(x, y float64) float64 {
	switch {
	case x <= 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return math.NaN()
	}
	return y
}

func besselY0(x float64) float64 { return besselY(x, math.Y0(x)) }

// besselY1 returns the value at x of the Bessel function Y of order 1. If wide is false, the kernel's
// type is narrower than float64, and the value at 0 is NaN, as in TensorFlow.
func besselY1(x float64, wide bool) float64 {
	if x == 0 && !wide {
		return math.NaN()
	}
	return besselY(x, math.Y1(x))
}

// wide reports whether T has the precision of float64.
func wide[T float]() bool {
	tiny := T(1)
	for range 40 {
		tiny /= 2
	}
	return T(1)+tiny != 1
}

// besselJ0 returns the value at x of the Bessel function J of order 0. It returns NaN for an infinite x.
func besselJ0(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return math.J0(x)
}

// besselJ1 returns the value at x of the Bessel function J of order 1. It returns NaN for an infinite x.
// It restores the sign that package math loses for x near 0.
func besselJ1(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	y := math.J1(math.Abs(x))
	if math.Signbit(x) {
		return -y
	}
	return y
}

// scaledI returns e^-|x| I_n(|x|), where the order n is 0 or 1. For |x| up to 30 it sums the power
// series, whose terms are positive. For larger |x| it sums the asymptotic series.
func scaledI(n, x float64) float64 {
	x = math.Abs(x)
	if x > 30 {
		if math.IsInf(x, 1) {
			return 0
		}
		s, t := 1.0, 1.0
		for k := 1.0; k < 30; k++ {
			u := t * -(4*n*n - (2*k-1)*(2*k-1)) / (k * 8 * x)
			if math.Abs(u) > math.Abs(t) {
				break
			}
			t = u
			s += t
		}
		return s / (math.Sqrt(2*math.Pi) * math.Sqrt(x))
	}
	q := x * x / 4
	t, s := 1.0, 1.0
	for k := 1.0; k < 500; k++ {
		t *= q / (k * (k + n))
		s += t
		if t < s*0x1p-54 {
			break
		}
	}
	if n == 1 {
		s *= x / 2
	}
	return s * math.Exp(-x)
}

func besselI0e(x float64) float64 { return scaledI(0, x) }

func besselI1e(x float64) float64 { return math.Copysign(scaledI(1, x), x) }

// besselI0 returns the value at x of the modified Bessel function I of order 0. For an infinite x it
// computes ∞·0, which is NaN, as in TensorFlow.
func besselI0(x float64) float64 { return math.Exp(math.Abs(x)) * besselI0e(x) }

// besselI1 returns the value at x of the modified Bessel function I of order 1. For an infinite x it
// computes ∞·0, which is NaN, as in TensorFlow.
func besselI1(x float64) float64 { return math.Exp(math.Abs(x)) * besselI1e(x) }

// scaledK returns e^x K_0(x) and e^x K_1(x). Both are infinite for x at and below 0. For x up to 2 it
// uses Temme's series, and for larger x Steed's continued fraction.
func scaledK(x float64) (k0, k1 float64) {
	switch {
	case x <= 0:
		return math.Inf(1), math.Inf(1)
	case math.IsInf(x, 1):
		return 0, 0
	case x <= 2:
		q := x * x / 4
		f := -math.Log(x/2) - eulerGamma
		p, c, k := 0.5, 1.0, 0.0
		s0, s1 := f, p
		qq := 0.5
		for k = 1; k < 500; k++ {
			f = (k*f + p + qq) / (k * k)
			c *= q / k
			p /= k
			qq /= k
			d := c * f
			s0 += d
			s1 += c * (p - k*f)
			if math.Abs(d) < math.Abs(s0)*0x1p-54 {
				break
			}
		}
		e := math.Exp(x)
		return s0 * e, s1 * 2 / x * e
	}
	if x > 0x1p60 { // the continued fraction overflows; this is its limit
		k0 = math.Sqrt(math.Pi/2) / math.Sqrt(x)
		return k0, k0
	}
	b := 2 * (1 + x)
	d := 1 / b
	h, delta := d, d
	q1, q2 := 0.0, 1.0
	const a1 = 0.25
	q, c, a := a1, a1, -a1
	s := 1 + q*delta
	for i := 2.0; i < 10000; i++ {
		a -= 2 * (i - 1)
		c = -a * c / i
		qn := (q1 - b*q2) / a
		q1, q2 = q2, qn
		q += c * qn
		b += 2
		d = 1 / (b + a*d)
		delta = (b*d - 1) * delta
		h += delta
		ds := q * delta
		s += ds
		if math.Abs(ds/s) < 0x1p-54 {
			break
		}
	}
	h *= a1
	k0 = math.Sqrt(math.Pi/(2*x)) / s
	return k0, k0 * (x + 0.5 - h) / x
}

func besselK0e(x float64) float64 {
	k, _ := scaledK(x)
	return k
}

func besselK1e(x float64) float64 {
	_, k := scaledK(x)
	return k
}

func besselK0(x float64) float64 {
	if x <= 0 {
		return math.Inf(1)
	}
	return besselK0e(x) * math.Exp(-x)
}

func besselK1(x float64) float64 {
	if x <= 0 {
		return math.Inf(1)
	}
	return besselK1e(x) * math.Exp(-x)
}
