package elem

import "math"

// ndtri returns the quantile function of the normal distribution. It uses Erfinv away from the tails. In
// the tails it improves the asymptotic estimate by Halley's method with Erfc, whose relative error stays
// small there.
func ndtri(p float64) float64 {
	switch {
	case !(p >= 0) || p > 1:
		return math.NaN()
	case p == 0:
		return math.Inf(-1)
	case p == 1:
		return math.Inf(1)
	case p > 0.02 && p < 0.98:
		return math.Sqrt2 * math.Erfinv(2*p-1)
	}
	t, sign := p, -1.0
	if p > 0.5 {
		t, sign = 1-p, 1
	}
	l := -2 * math.Log(t)
	x := math.Sqrt(l - math.Log(2*math.Pi*l))
	for range 4 {
		q := 0.5 * math.Erfc(x/math.Sqrt2)
		d := (q - t) / (math.Exp(-x*x/2) / math.Sqrt(2*math.Pi))
		x += d / (1 - x*d/2)
	}
	return sign * x
}

// dawsn returns Dawson's integral e^-x² ∫₀ˣ e^t² dt. It uses Rybicki's sum of Gaussians, but near 0 the
// power series, and far from 0 the asymptotic series.
func dawsn(x float64) float64 {
	a := math.Abs(x)
	z := x * x
	switch {
	case a < 0.2:
		return x * (1 - 2*z/3*(1-2*z/5*(1-2*z/7*(1-2*z/9*(1-2*z/11*(1-2*z/13*(1-2*z/15)))))))
	case a > 50:
		if math.IsInf(x, 0) {
			return 0
		}
		i := 1 / z
		return 0.5 / x * (1 + 0.5*i*(1+1.5*i*(1+2.5*i*(1+3.5*i))))
	}
	const h = 0.25
	// n0 is the even number nearest to x/h. The sum is over odd distances from it.
	n0 := 2 * math.Round(0.5*a/h)
	d := a - n0*h
	s := 0.0
	for k := 1.0; k < 29; k += 2 {
		u, v := d-k*h, d+k*h
		s += math.Exp(-u*u)/(n0+k) + math.Exp(-v*v)/(n0-k)
	}
	return math.Copysign(s/math.SqrtPi, x)
}

// expint returns the exponential integral Ei(x) for x > 0.
func expint(x float64) float64 {
	switch {
	case !(x >= 0) || math.IsInf(x, 1):
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case x > 45:
		s, t := 1.0, 1.0
		for k := 1.0; k < 60; k++ {
			u := t * k / x
			if u > t || u < 0x1p-54 {
				break
			}
			t = u
			s += t
		}
		return math.Exp(x) / x * s
	}
	s, t := 0.0, 1.0
	for k := 1.0; k < 500; k++ {
		t *= x / k
		s += t / k
		if t/k < s*0x1p-54 {
			break
		}
	}
	return eulerGamma + math.Log(x) + s
}

// fresnel returns ∫₀ˣ sin(πt²/2) dt and ∫₀ˣ cos(πt²/2) dt. It uses the power series for small |x|,
// and for larger |x| a continued fraction of the complementary error function.
func fresnel(x float64) (s, c float64) {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return x, x
	case a > 1e8:
		s, c = 0.5, 0.5
	case a < 1.6:
		// The terms of Σ (iπ/2)^k x^(2k+1) / (k! (2k+1)) with an even k are added to c, and those with
		// an odd k to s.
		q := math.Pi / 2 * a * a
		t := a
		for k := 0.0; k < 100; k++ {
			u := t / (2*k + 1)
			switch int(k) & 3 {
			case 0:
				c += u
			case 1:
				s += u
			case 2:
				c -= u
			case 3:
				s -= u
			}
			if k > 2 && u < 1e-18 {
				break
			}
			t *= q / (k + 1)
		}
	default:
		pix2 := math.Pi * a * a
		b := complex(1, -pix2)
		cc := complex(1e300, 0)
		d := 1 / b
		h := d
		n := -1.0
		for range 1000 {
			n += 2
			e := complex(-n*(n+1), 0)
			b += 4
			d = 1 / (e*d + b)
			cc = b + e/cc
			del := cc * d
			h *= del
			if math.Abs(real(del)-1)+math.Abs(imag(del)) < 0x1p-52 {
				break
			}
		}
		h *= complex(a, -a)
		sin, cos := math.Sincos(math.Pi / 2 * math.Mod(a*a, 4))
		v := complex(0.5, 0.5) * (1 - complex(cos, sin)*h)
		c, s = real(v), imag(v)
	}
	return math.Copysign(s, x), math.Copysign(c, x)
}

func fresnelSin(x float64) float64 {
	s, _ := fresnel(x)
	return s
}

func fresnelCos(x float64) float64 {
	_, c := fresnel(x)
	return c
}

// spence returns the dilogarithm Li₂(1 - x) for x ≥ 0.
func spence(x float64) float64 {
	const pi26 = math.Pi * math.Pi / 6
	switch {
	case !(x >= 0) || math.IsInf(x, 1):
		return math.NaN()
	case x == 0:
		return pi26
	case x < 0.5:
		return pi26 - math.Log(x)*math.Log1p(-x) - dilog(x)
	case x > 1.5:
		l := math.Log(x)
		return -spence(1/x) - l*l/2
	}
	return dilog(1 - x)
}

// dilog returns Li₂(z) for |z| ≤ ½, computed by Bernoulli's series in u = -log(1 - z).
func dilog(z float64) float64 {
	u := -math.Log1p(-z)
	v := u * u
	return u - v/4 + u*v*(1.0/36+v*(-1.0/3600+v*(1.0/211680+v*(-1.0/10886400+v*(1.0/526901760+v*(-691.0/16999766784000+v/1120863744000))))))
}

// squareC64 returns x², computed in float32. Go would compute the product of two complex64 in float64.
func squareC64(x complex64) complex64 {
	a, b := real(x), imag(x)
	ab := float32(a * b)
	return complex(float32(a*a)-float32(b*b), ab+ab)
}

// whereInverse returns f(x), or NaN if 1/x is not a normal number of type T. In the second case,
// TensorFlow flushes 1/x to 0, and then multiplies 0 by the logarithm of 0 or by an infinity.
func whereInverse[T float](x T, f func(float64) float64) T {
	if x > 0x1p126 && (!wide[T]() || x*0x1p-1022 > 1) {
		return T(math.NaN())
	}
	return T(f(float64(x)))
}
