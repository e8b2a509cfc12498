package elem

import "math"

// The float32 functions below compute in float64 with polynomials whose errors
// lie far below a float32's last place, so that a result is the exact one
// rounded, but for rare ties: within 0.51 ulp.

const (
	log2e  = 1.4426950408889634
	ln2    = 0.6931471805599453
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

// pow2 splits 2^t, |t| < 1000, into s = 2^n and m = 2^(t-n) - 1.
func pow2(t float64) (s, m float64) {
	k := t + shifter
	s = math.Float64frombits((math.Float64bits(k) + 1023) << 52)
	r := t - (k - shifter)
	r2 := r * r
	lo := float64(e2*r) + e1
	mi := float64(e4*r) + e3
	hi := float64(e6*r) + e5 + float64((float64(e8*r)+e7)*r2)
	return s, r * (lo + float64(r2*(mi+float64(r2*hi))))
}

// exp32 is e^x: 0 below -104, infinite above 89.
func exp32(x float32) float32 {
	s, m := pow2(min(max(float64(x), -110), 90) * log2e)
	return float32(s + s*m)
}

// expm132 is e^x - 1 without cancellation.
func expm132(x float32) float32 {
	s, m := pow2(min(max(float64(x), -110), 90) * log2e)
	return float32(s*m + (s - 1))
}

// tanh32 is (e^2x - 1)/(e^2x + 1); the sign of 0 stays.
func tanh32(x float32) float32 {
	s, m := pow2(min(max(float64(x), -20), 20) * (2 * log2e))
	t := s*m + (s - 1)
	return float32(t / (t + 2))
}

// sigmoid32 is 1/(1 + e^-x).
func sigmoid32(x float32) float32 {
	s, m := pow2(min(max(float64(x), -110), 110) * -log2e)
	return float32(1 / (1 + s + s*m))
}
