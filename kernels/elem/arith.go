package elem

import (
	"math"
	"math/cmplx"

	"github.com/graphc/graphc/rt/tensor"
)

// floorDiv rounds the quotient of signed integers toward minus infinity.
func floorDiv[T signed](x, y T) T {
	q := x / y
	if (x < 0) != (y < 0) && q*y != x {
		q--
	}
	return q
}

// floorMod returns the remainder of floorDiv, which has the divisor's sign.
func floorMod[T signed](x, y T) T {
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// floorModF returns the remainder of a division that is rounded toward minus infinity.
func floorModF[T float](x, y T) T {
	r := T(math.Mod(float64(x), float64(y)))
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return r
}

// powInt returns x to the power of y for y ≥ 0. It multiplies squares of x. The result wraps around.
func powInt[T signed](x, y T) T {
	r := T(1)
	for ; y > 0; y >>= 1 {
		if y&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}

// powComplex returns x to the power of y. 0 to the power of 0 is NaN, as in C++.
func powComplex[T cmplxT](x, y T) T {
	if x == 0 && y == 0 {
		return T(cmplx.NaN())
	}
	return T(cmplx.Pow(complex128(x), complex128(y)))
}

// conj returns the complex conjugate of x.
func conj[T cmplxT](x T) T {
	return T(cmplx.Conj(complex128(x)))
}

// sign returns the sign of x as -1, 0 or 1. If x is NaN, it returns NaN.
func sign[T signed | float](x T) T {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	case x == 0:
		return 0
	}
	return x
}

// expm1Complex returns exp(x) - 1 without cancellation near 0.
func expm1Complex[T cmplxT](x T) T {
	a, b := real(complex128(x)), imag(complex128(x))
	h := math.Sin(b / 2)
	m := math.Expm1(a)
	return T(complex(float64(m*math.Cos(b))-2*float64(h*h), float64((m+1)*math.Sin(b))))
}

// log1pComplex returns log(1 + x) without cancellation near 0.
func log1pComplex[T cmplxT](x T) T {
	a, b := real(complex128(x)), imag(complex128(x))
	if math.Abs(a) > 0.5 || math.Abs(b) > 0.5 {
		return T(cmplx.Log(1 + complex128(x)))
	}
	return T(complex(0.5*math.Log1p(float64(a*(2+a))+float64(b*b)), math.Atan2(b, 1+a)))
}

// width returns the number of bits of T minus one, which is the longest shift.
func width[T integer]() T {
	var z T
	switch any(z).(type) {
	case int8, uint8:
		return 7
	case int16, uint16:
		return 15
	case int32, uint32:
		return 31
	}
	return 63
}

// shift clamps a shift count to 0 … width.
func shift[T integer](y T) uint {
	return uint(min(max(y, 0), width[T]()))
}

// hasZero reports whether a divisor is 0.
func hasZero[T integer](b []T) bool {
	for _, y := range b {
		if y == 0 {
			return true
		}
	}
	return false
}

// hasNegative reports whether an exponent is below 0.
func hasNegative[T signed](b []T) bool {
	for _, y := range b {
		if y < 0 {
			return true
		}
	}
	return false
}

// checkDivisor returns TensorFlow's error for an integer division by zero.
func checkDivisor[T integer](n int, b []T) error {
	if n > 0 && hasZero(b) {
		return tensor.Errorf(tensor.InvalidArgument, "Integer division by zero")
	}
	return nil
}

// checkTruncating is checkDivisor for TruncateDiv and TruncateMod, whose error code is
// Internal.
func checkTruncating[T integer](n int, b []T) error {
	if n > 0 && hasZero(b) {
		return tensor.Errorf(tensor.Internal, "Integer division by zero")
	}
	return nil
}

// checkExponent returns TensorFlow's error for integer powers below 0.
func checkExponent[T signed](n int, b []T) error {
	if n > 0 && hasNegative(b) {
		return tensor.Errorf(tensor.InvalidArgument, "Integers to negative integer powers are not allowed")
	}
	return nil
}
