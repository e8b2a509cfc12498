package elem

import "math"

// The float32 functions of this file compute in float64 with polynomials whose
// errors lie far below a float32's last place, so that a result is the exact
// one rounded, but for near ties: within 0.51 ulp. They have no branch, so that
// rows of them run at the speed of their arithmetic. The pieces (pow2s, pow2m)
// are small enough to be inlined, the whole functions are not.

const (
	log2e   = 1.4426950408889634
	ln2     = 0.6931471805599453
	shifter = 0x1.8p52 // adding it rounds a small float64 to an integer in its low bits
)

// Coefficients of (2^r - 1)/r on [-0.5, 0.5]: Taylor's ln2^k/k!, whose rest
// after eight terms is below 1e-12.
const (
	e1 = 0.6931471805599453
	e2 = 0.24022650695910072
	e3 = 0.05550410866482158
	e4 = 0.009618129107628477
	e5 = 0.0013333558146428441
	e6 = 0.00015403530393381606
	e7 = 1.5252733804059838e-05
	e8 = 1.3215486790144305e-06
)

// pow2s splits 2^t, |t| < 1000, into s = 2^n for an integer n and r = t - n.
func pow2s(t float64) (s, r float64) {
	k := t + shifter
	return math.Float64frombits((math.Float64bits(k) + 1023) << 52), t - (k - shifter)
}

// pow2m is 2^r - 1 for |r| ≤ 0.5, relatively exact near 0.
func pow2m(r float64) float64 {
	r2 := r * r
	lo := float64(e2*r) + e1
	mi := float64(e4*r) + e3
	hi := float64(e6*r) + e5 + float64((float64(e8*r)+e7)*r2)
	return r * (lo + float64(r2*(mi+float64(r2*hi))))
}

// exp32 is e^x: 0 below -104, infinite above 89.
func exp32(x float32) float32 {
	s, r := pow2s(min(max(float64(x), -110), 90) * log2e)
	return float32(s + float64(s*pow2m(r)))
}

// expm132 is e^x - 1 without cancellation; the sign of a zero stays.
func expm132(x float32) float32 {
	s, r := pow2s(min(max(float64(x), -110), 90) * log2e)
	return float32(float64(s*pow2m(r)) - (1 - s))
}

// tanh32 is (e^2x - 1)/(e^2x + 1); the sign of a zero stays.
func tanh32(x float32) float32 {
	s, r := pow2s(min(max(float64(x), -20), 20) * (2 * log2e))
	t := float64(s*pow2m(r)) - (1 - s)
	return float32(t / (t + 2))
}

// sigmoid32 is 1/(1 + e^-x).
func sigmoid32(x float32) float32 {
	s, r := pow2s(min(max(float64(x), -110), 110) * -log2e)
	return float32(1 / (1 + s + float64(s*pow2m(r))))
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
		s, r := pow2s(min(max(float64(x), -110), 90) * log2e)
		dst[i] = float32(s + float64(s*pow2m(r)))
	}
}

func expm1Row32(dst, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		s, r := pow2s(min(max(float64(x), -110), 90) * log2e)
		dst[i] = float32(float64(s*pow2m(r)) - (1 - s))
	}
}

func tanhRow32(dst, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		s, r := pow2s(min(max(float64(x), -20), 20) * (2 * log2e))
		t := float64(s*pow2m(r)) - (1 - s)
		dst[i] = float32(t / (t + 2))
	}
}

func sigmoidRow32(dst, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		s, r := pow2s(min(max(float64(x), -110), 110) * -log2e)
		dst[i] = float32(1 / (1 + s + float64(s*pow2m(r))))
	}
}

// Coefficients of 2·atanh(s) = s·(l1 + l3·s² + …): Taylor's 2/k, for |s| ≤ 0.1716
// exact to 1e-11.
const (
	l1  = 2.0
	l3  = 2.0 / 3
	l5  = 2.0 / 5
	l7  = 2.0 / 7
	l9  = 2.0 / 9
	l11 = 2.0 / 11
	l13 = 2.0 / 13
)

// logParts splits a positive x = 2^e · m with m near 1, √½ ≤ m < √2.
func logParts(x float64) (e, m float64) {
	const sqrtHalf = 0x3fe6a09e667f3bcd
	b := math.Float64bits(x) - sqrtHalf
	return float64(int64(b) >> 52), math.Float64frombits(b&(1<<52-1) + sqrtHalf)
}

// logPoly is log(m) for √½ ≤ m < √2.
func logPoly(m float64) float64 {
	s := (m - 1) / (m + 1)
	z := s * s
	return s * (l1 + float64(z*(l3+float64(z*(l5+float64(z*(l7+float64(z*(l9+float64(z*(l11+float64(z*l13))))))))))))
}

// log32 is the natural logarithm: -Inf of 0, NaN below.
func log32(x float32) float32 {
	if !(x > 0) || x > math.MaxFloat32 {
		return logSpecial(x)
	}
	e, m := logParts(float64(x))
	return float32(float64(e*ln2) + logPoly(m))
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
		e, m := logParts(float64(x))
		dst[i] = float32(float64(e*ln2) + logPoly(m))
	}
}
