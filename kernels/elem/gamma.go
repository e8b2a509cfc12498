package elem

import "math"

// The functions below compute in float64. The kernels of float32 and f16 round their results. Names
// and domains are those of TensorFlow's tf.math.

const eulerGamma = 0.57721566490153286

// lgamma returns log|Γ(x)|.
func lgamma(x float64) float64 {
	if math.IsInf(x, -1) {
		return math.Inf(1)
	}
	y, _ := math.Lgamma(x)
	return y
}

// digamma returns Γ'(x)/Γ(x), or NaN if x is 0 or a negative integer. For other x below 0, it uses the
// reflection formula. For small arguments, it uses the recurrence until the argument is so large that
// the asymptotic series holds.
func digamma(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, -1) || x <= 0 && x == math.Floor(x) {
		return math.NaN()
	}
	if math.IsInf(x, 1) {
		return x
	}
	reflect := 0.0
	if x < 0 {
		// ψ(x) = ψ(1-x) - π/tan(πx)
		f := x - math.Floor(x)
		if f != 0.5 {
			reflect = math.Pi / math.Tan(math.Pi*f)
		}
		x = 1 - x
	}
	s := 0.0
	for x < 10 {
		s -= 1 / x
		x++
	}
	z := 1 / (x * x)
	p := z * (1.0/12 - z*(1.0/120-z*(1.0/252-z*(1.0/240-z*(1.0/132-z*(691.0/32760-z/12))))))
	return s + math.Log(x) - 0.5/x - p - reflect
}

// zetaTerms are (2k)!/B(2k): the divisors of Euler and Maclaurin's correction.
var zetaTerms = [...]float64{12, -720, 30240, -1209600, 47900160, -1.8924375803183791606e9, 7.47242496e10,
	-2.950130727918164224e12, 1.1646782814350067249e14, -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18}

// zeta returns Hurwitz's Σ (k+q)^-x over k ≥ 0, for x > 1. As in Cephes, it sums nine terms and adds the
// correction of Euler and Maclaurin.
func zeta(x, q float64) float64 {
	switch {
	case x == 1:
		return math.Inf(1)
	case !(x > 1) || math.IsNaN(q):
		return math.NaN()
	case q <= 0 && q == math.Floor(q):
		if x == math.Floor(x) && math.Mod(x, 2) == 0 || math.IsInf(x, 1) {
			return math.Inf(1)
		}
		return math.NaN()
	case q <= 0 && x != math.Floor(x):
		return math.NaN()
	case math.IsInf(q, 1):
		return 0
	}
	const eps = 0x1p-53
	s := math.Pow(q, -x)
	a, b := q, 0.0
	for i := 0; i < 9 || a <= 9; i++ {
		a++
		b = math.Pow(a, -x)
		s += b
		if b == 0 || math.Abs(b) < eps*math.Abs(s) {
			return s
		}
	}
	w := a
	s += b * w / (x - 1)
	s -= 0.5 * b
	f, k := 1.0, 0.0
	for _, d := range zetaTerms {
		f *= x + k
		b /= w
		t := f * b / d
		s += t
		if math.Abs(t) < eps*math.Abs(s) {
			break
		}
		k++
		f *= x + k
		b /= w
		k++
	}
	return s
}

// polygamma returns the n-th derivative of digamma: (-1)^(n+1) · n! · ζ(n+1, x). It returns NaN unless n
// is a whole number of at least 0.
func polygamma(n, x float64) float64 {
	switch {
	case !(n >= 0) || n != math.Floor(n):
		return math.NaN()
	case n == 0:
		return digamma(x)
	}
	y := math.Gamma(n+1) * zeta(n+1, x)
	if math.Mod(n, 2) == 0 {
		return -y
	}
	return y
}

// igamma returns the regularised lower incomplete gamma function P(a, x).
func igamma(a, x float64) float64 {
	switch {
	case x == 0:
		return 0
	case !(x > 0) || !(a > 0):
		return math.NaN()
	case math.IsInf(a, 1):
		return 0
	case math.IsInf(x, 1):
		return 1
	case x > 1 && x > a:
		return 1 - gammaFraction(a, x)
	}
	return gammaSeries(a, x)
}

// igammac returns the regularised upper incomplete gamma function 1 - P(a, x).
func igammac(a, x float64) float64 {
	switch {
	case !(x >= 0) || !(a > 0):
		return math.NaN()
	case x == 0:
		return 1
	case math.IsInf(x, 1):
		return 0
	case math.IsInf(a, 1):
		return 1
	case x < 1 || x < a:
		return 1 - gammaSeries(a, x)
	}
	return gammaFraction(a, x)
}

// gammaFactor returns x^a e^-x / Γ(a).
func gammaFactor(a, x float64) float64 {
	if a > 50 {
		// With Γ(a) = √(2π/a) (a/e)^a e^s(a), the logarithm of (x/a)^a e^(a-x) is computed without
		// the cancellation of large logarithms.
		d := (x - a) / a
		i := 1 / a
		s := i * (1.0/12 - i*i*(1.0/360-i*i*(1.0/1260-i*i/1680)))
		return math.Sqrt(a/(2*math.Pi)) * math.Exp(a*(math.Log1p(d)-d)-s)
	}
	return math.Exp(a*math.Log(x) - x - lgamma(a))
}

// gammaSeries returns P(a, x), computed by its power series, for x ≤ a or x ≤ 1.
func gammaSeries(a, x float64) float64 {
	f := gammaFactor(a, x)
	if f == 0 {
		return 0
	}
	r, c, s := a, 1.0, 1.0
	for range 5000 {
		r++
		c *= x / r
		s += c
		if c <= s*0x1p-54 {
			break
		}
	}
	return s * f / a
}

// gammaFraction returns 1 - P(a, x), computed by its continued fraction with Lentz's method, for x ≥ a
// and x ≥ 1.
func gammaFraction(a, x float64) float64 {
	f := gammaFactor(a, x)
	if f == 0 {
		return 0
	}
	const tiny = 1e-300
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for i := 1.0; i < 5000; i++ {
		an := -i * (i - a)
		b += 2
		if d = an*d + b; math.Abs(d) < tiny {
			d = tiny
		}
		if c = b + an/c; math.Abs(c) < tiny {
			c = tiny
		}
		d = 1 / d
		h *= d * c
		if math.Abs(d*c-1) < 0x1p-52 {
			break
		}
	}
	return f * h
}

// betainc returns the regularised incomplete beta function I_x(a, b).
func betainc(a, b, x float64) float64 {
	switch {
	case !(a > 0) || !(b > 0) || !(x >= 0) || x > 1 || math.IsInf(a, 1) || math.IsInf(b, 1):
		return math.NaN()
	case x == 0 || x == 1:
		return x
	}
	f := math.Exp(lgamma(a+b) - lgamma(a) - lgamma(b) + a*math.Log(x) + b*math.Log1p(-x))
	if x < (a+1)/(a+b+2) {
		return f * betaFraction(a, b, x) / a
	}
	return 1 - f*betaFraction(b, a, 1-x)/b
}

// betaFraction returns the value of the continued fraction of the incomplete beta function.
func betaFraction(a, b, x float64) float64 {
	const tiny = 1e-300
	safe := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/safe(1-(a+b)*x/(a+1))
	h := d
	for m := 1.0; m < 5000; m++ {
		t := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d, c = 1/safe(1+t*d), safe(1+t/c)
		h *= d * c
		t = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d, c = 1/safe(1+t*d), safe(1+t/c)
		h *= d * c
		if math.Abs(d*c-1) < 0x1p-52 {
			break
		}
	}
	return h
}
