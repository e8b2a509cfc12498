// Package fmath holds the pieces of exponentials and logarithms that float32
// kernels share. They compute in float64 with polynomials whose errors lie far
// below a float32's last place, so that a result is the exact one rounded, but
// for near ties: within 0.51 ulp. They have no branch and are small enough to be
// inlined: a row of them runs at the speed of its arithmetic.
package fmath

import "math"

// Log2E is log2(e), Ln2 log(2).
const (
	Log2E = 1.4426950408889634
	Ln2   = 0.6931471805599453
)

const shifter = 0x1.8p52 // adding it rounds a small float64 to an integer in its low bits

// Coefficients of (2^r - 1)/r on [-0.5, 0.5]: Taylor's ln2^k/k!, whose rest
// after eight terms is below 1e-10 of the sum.
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

// Split cuts 2^t, |t| < 1000, into s = 2^n for an integer n and r = t - n, so
// that |r| ≤ 0.5.
func Split(t float64) (s, r float64) {
	k := t + shifter
	return math.Float64frombits((math.Float64bits(k) + 1023) << 52), t - (k - shifter)
}

// Pow2m1 is 2^r - 1 for |r| ≤ 0.5, relatively exact near 0.
func Pow2m1(r float64) float64 {
	r2 := r * r
	lo := float64(e2*r) + e1
	mi := float64(e4*r) + e3
	hi := float64(e6*r) + e5 + float64((float64(e8*r)+e7)*r2)
	return r * (lo + float64(r2*(mi+float64(r2*hi))))
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

// LogParts splits a positive, normal x into 2^e · m with √½ ≤ m < √2.
func LogParts(x float64) (e, m float64) {
	const sqrtHalf = 0x3fe6a09e667f3bcd
	b := math.Float64bits(x) - sqrtHalf
	return float64(int64(b) >> 52), math.Float64frombits(b&(1<<52-1) + sqrtHalf)
}

// LogPoly is log(m) for √½ ≤ m < √2.
func LogPoly(m float64) float64 {
	s := (m - 1) / (m + 1)
	z := s * s
	return s * (l1 + float64(z*(l3+float64(z*(l5+float64(z*(l7+float64(z*(l9+float64(z*(l11+float64(z*l13))))))))))))
}
