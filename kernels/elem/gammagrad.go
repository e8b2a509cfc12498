package elem

import "math"

// The derivatives below are computed as in TensorFlow. The power series and the continued fraction
// are differentiated term by term, in the type of the arguments. They end after at most gammaTerms
// terms, even if they have not converged.

// gammaTerms returns the largest number of terms of a derivative's series or continued fraction.
func gammaTerms[T float]() int {
	if isFloat32[T]() {
		return 200
	}
	return 500
}

func isFloat32[T float]() bool {
	var x T
	_, ok := any(x).(float32)
	return ok
}

// epsilon returns half of the distance between 1 and the next larger number of type T.
func epsilon[T float]() T {
	if isFloat32[T]() {
		return 1.0 / (1 << 24)
	}
	return 1.0 / (1 << 53)
}

func absT[T float](x T) T { return T(math.Abs(float64(x))) }

// gammaDensity returns x^a·e^-x/Γ(a), or 0 if that is too small or a is infinite.
func gammaDensity[T float](a, x T) T {
	l := T(a*T(math.Log(float64(x)))) - x - T(lgamma(float64(a)))
	most := math.MaxFloat64
	if isFloat32[T]() {
		most = math.MaxFloat32
	}
	if !(float64(l) >= -math.Log(most)) {
		return 0
	}
	return T(math.Exp(float64(l)))
}

// gammaDerivative returns the derivative with respect to a of the regularised lower incomplete gamma
// function P(a, x). If sample is true, it returns ∂x/∂a for constant P instead: how a gamma variable x
// changes with its shape a. This derivative is -∂P/∂a / p(x), where p is the variable's density.
func gammaDerivative[T float](a, x T, sample bool) T {
	switch {
	case x == 0:
		return 0
	case !(x > 0) || !(a > 0):
		return T(math.NaN())
	case x > 1 && x > a:
		return -fractionDerivative(a, x, sample)
	}
	return seriesDerivative(a, x, sample)
}

// fractionDerivative returns the same derivative as gammaDerivative, but for 1-P instead of P. It
// computes the derivative by the continued fraction, for x ≥ 1 and x ≥ a.
func fractionDerivative[T float](a, x T, sample bool) T {
	if math.IsInf(float64(x), 1) {
		return 0
	}
	ax := gammaDensity(a, x)
	if ax == 0 {
		return 0
	}
	big := 1 / (2 * epsilon[T]())
	if isFloat32[T]() {
		big = 1 << 24
	}
	y := 1 - a
	z := x + y + 1
	var c, dp2, dq2, dp1 T
	p2, q2, p1, q1 := T(1), x, x+1, T(z*x)
	dq1 := -x
	ans := p1 / q1
	dans := (dp1 - T(ans*dq1)) / q1
	for range gammaTerms[T]() {
		c++
		y++
		z += 2
		yc := T(y * c)
		p := T(p1*z) - T(p2*yc)
		q := T(q1*z) - T(q2*yc)
		dp := T(dp1*z) - p1 - T(dp2*yc) + T(p2*c)
		dq := T(dq1*z) - q1 - T(dq2*yc) + T(q2*c)
		if q != 0 {
			ans = p / q
			before := dans
			dans = (dp - T(ans*dq)) / q
			if absT(dans-before) <= epsilon[T]() {
				break
			}
		}
		p2, p1, q2, q1 = p1, p, q1, q
		dp2, dp1, dq2, dq1 = dp1, dp, dq1, dq
		if absT(p) > big {
			for _, v := range []*T{&p2, &p1, &q2, &q1, &dp2, &dp1, &dq2, &dq1} {
				*v /= big
			}
		}
	}
	dlog := T(math.Log(float64(x))) - T(digamma(float64(a)))
	if sample {
		return -(dans + T(ans*dlog)) * x
	}
	return T(ans*T(ax*dlog)) + T(dans*ax)
}

// seriesDerivative returns the same derivative as gammaDerivative, computed by the power series.
func seriesDerivative[T float](a, x T, sample bool) T {
	ax := gammaDensity(a, x)
	if ax == 0 {
		return 0
	}
	ax /= a
	r := a
	c, ans := T(1), T(1)
	var dc, dans T
	for range gammaTerms[T]() {
		r++
		term := x / r
		dterm := -x / T(r*r)
		dc = T(term*dc) + T(dterm*c)
		dans += dc
		c *= term
		ans += c
		if absT(dc) <= epsilon[T]()*absT(dans) {
			break
		}
	}
	dlog := T(math.Log(float64(x))) - T(digamma(float64(a+1)))
	if sample {
		return -(dans + T(ans*dlog)) * x / a
	}
	return T(ans*T(ax*dlog)) + T(dans*ax)
}

func gammaGrad[T float](dst, a, x []T, s Dims, sample bool) {
	w := s.rows(0)
	for w.next() {
		d, u, v := dst[w.D:w.D+w.N], a[w.A:w.A+w.NA], x[w.B:w.B+w.NB]
		for i := range d {
			d[i] = gammaDerivative(u[min(i, len(u)-1)], v[min(i, len(v)-1)], sample)
		}
	}
}
