// Package fmath holds building blocks of the exponentials and logarithms that float32 kernels share.
// The functions compute in float64 with short polynomials. The errors are below a float32's last
// place, so that results are within 0.7 ulp. The functions have no branches and are small enough to
// be inlined. Thus a loop over a row runs at the speed of the arithmetic.
package fmath

import "math"

// Log2E is log2(e), Ln2 log(2).
const (
	Log2E = 1.4426950408889634
	Ln2   = 0.6931471805599453
)

const shifter = 0x1.8p52 // if this is added to a small float64 x, the low bits of the sum are the integer nearest to x

// pow32 is 2^(i/32).
var pow32 = [32]float64{
	0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
	0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
	0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
	0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
	0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
	0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0,
	0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
	0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0,
}

// Coefficients of a polynomial that approximates (2^(r/32) - 1)/r for r in [-0.5, 0.5]. They are
// those of the Taylor series, where the linear coefficient is changed to account for the cubic
// term, which is omitted. The relative error is 1.4e-8.
const (
	e1 = 0.02166084939249829
	e2 = 0.00023459791805775337
	e3 = 1.693850972437182e-06
)

// Exp returns e^x for |x| < 700 in two parts: e^x = s + s·p. A caller can compute e^x - 1 as s·p -
// (1 - s). For x near 0, s is 1, so that no digits cancel.
func Exp(x float64) (s, p float64) {
	t := float64(x * (32 * Log2E))
	k := t + shifter
	n := math.Float64bits(k)
	r := t - (k - shifter)
	s = math.Float64frombits(math.Float64bits(pow32[n&31]) + n>>5<<52)
	return s, float64(r * (e1 + float64(r*(e2+float64(r*e3)))))
}

// Coefficients of the Taylor series 2·atanh(s) = s·(l1 + l3·s² + l5·s⁴ + …). The constant with the
// number k is 2/k. For |s| ≤ 0.1716, the error is at most 1e-11.
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

// LogPoly returns log(m) for √½ ≤ m < √2.
func LogPoly(m float64) float64 {
	s := (m - 1) / (m + 1)
	z := float64(s * s)
	return float64(s * (l1 + float64(z*(l3+float64(z*(l5+float64(z*(l7+float64(z*(l9+float64(z*(l11+float64(z*l13)))))))))))))
}
