package elem

import "math"

// TensorFlow computes the sign x/|x| of complex numbers with Eigen: a register of elements at
// a time, and the rest one by one. The two ways differ in the last digit and for NaN.
const (
	signLanesC64  = 4
	signLanesC128 = 2
)

// SignAllC64 sets dst = x/|x| for each x of src, and 0 for 0. dst and src must be whole tensors.
func SignAllC64(dst, src []complex64) {
	n := len(dst) - len(dst)%signLanesC64
	SignC64(dst[:n], src[:n])
	for i, x := range src[n:len(dst)] {
		r, j := float64(real(x)), float64(imag(x))
		a := float32(math.Sqrt(float64(r*r) + float64(j*j))) // the squares are exact
		if a == 0 {
			dst[n+i] = 0
			continue
		}
		a = 1 / a
		dst[n+i] = complex(real(x)*a, imag(x)*a)
	}
}

// SignAllC128 is SignAllC64 for c128.
func SignAllC128(dst, src []complex128) {
	n := len(dst) - len(dst)%signLanesC128
	SignC128(dst[:n], src[:n])
	for i, x := range src[n:len(dst)] {
		a := hypot(real(x), imag(x))
		if a == 0 {
			dst[n+i] = 0
			continue
		}
		a = 1 / a
		dst[n+i] = complex(real(x)*a, imag(x)*a)
	}
}

// signC64 returns x/|x|, computed in float32 as Eigen does for an element of a register. For 0 it
// returns 0.
func signC64(x complex64) complex64 {
	r, j := signPart(real(x), imag(x)), signPart(imag(x), real(x))
	return complex(r, j)
}

// signComplex returns x/|x|, computed in float64 in the same way as in signC64.
func signComplex[T cmplxT](x T) T {
	z := complex128(x)
	return T(complex(signPart(real(z), imag(z)), signPart(imag(z), real(z))))
}

// signPart returns x/|x+iy|, where x is one part of a complex number and y is the other part. If y is
// NaN, the modulus is computed as if |y| were |x|.
func signPart[T float32 | float64](x, y T) T {
	p, q := T(math.Abs(float64(x))), T(math.Abs(float64(y)))
	high, low := p, p
	if q > p {
		high = q
	}
	if q < p {
		low = q
	}
	if high == 0 {
		return 0
	}
	k := low / high
	m := high
	if low != 0 {
		m = high * T(math.Sqrt(float64(1+T(k*k))))
	}
	return x / m
}

// hypot returns the square root of x² + y², computed as in the C library: the root of the rounded sum,
// and one step of correction. math.Hypot differs in the last digit.
func hypot(x, y float64) float64 {
	const (
		tiny  = 0x1p-54
		scale = 0x1p-600
	)
	x, y = math.Abs(x), math.Abs(y)
	if math.IsInf(x, 1) || math.IsInf(y, 1) {
		return math.Inf(1)
	}
	high, low := max(x, y), min(x, y)
	switch {
	case low <= high*tiny || high != high:
		return high + low
	case high > 0x1p+511:
		return hypotNear(high*scale, low*scale) / scale
	case low < 0x1p-459:
		return hypotNear(high/scale, low/scale) * scale
	}
	return hypotNear(high, low)
}

// hypotNear returns the same as hypot for x ≥ y ≥ 0 whose squares are far from overflow and underflow.
func hypotNear(x, y float64) float64 {
	h := math.Sqrt(float64(x*x) + float64(y*y))
	var s, t float64
	if h <= 2*y {
		d := h - y
		s = float64(x * (2*d - x))
		t = float64((d - 2*(x-y)) * d)
	} else {
		d := h - x
		s = float64(2 * d * (x - 2*y))
		t = float64((4*d-y)*y) + float64(d*d)
	}
	return h - float64((s+t)/(2*h))
}
