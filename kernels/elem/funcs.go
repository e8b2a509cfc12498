package elem

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// flush turns a quotient below the least normal number into 0, because TensorFlow's threads
// flush denormals.
func flush(x float32) float32 {
	if x < 0x1p-126 && x > -0x1p-126 {
		return 0
	}
	return x
}

// divNoNan32 returns x / y, or 0 if y is 0. A quotient below the least normal number becomes 0, too.
func divNoNan32(x, y float32) float32 {
	if y == 0 {
		return 0
	}
	return flush(x / y)
}

func divNoNan[T float | cmplxT](x, y T) T {
	if y == 0 {
		return 0
	}
	return x / y
}

func mulNoNan[T float | cmplxT](x, y T) T {
	if y == 0 {
		return 0
	}
	return x * y
}

func xdivy[T float | cmplxT](x, y T) T {
	if x == 0 {
		return 0
	}
	return x / y
}

func xlogy[T float](x, y T) T {
	if x == 0 {
		return 0
	}
	return x * T(math.Log(float64(y)))
}

func xlogyComplex[T cmplxT](x, y T) T {
	if x == 0 {
		return 0
	}
	return x * T(cmplx.Log(complex128(y)))
}

func xlog1py[T float](x, y T) T {
	if x == 0 {
		return 0
	}
	return x * T(math.Log1p(float64(y)))
}

func xlog1pyComplex[T cmplxT](x, y T) T {
	if x == 0 {
		return 0
	}
	return x * log1pComplex(y)
}

// nextAfter32 returns the same as nextafterf in C. For equal operands it returns the second one.
func nextAfter32(x, y float32) float32 {
	if x == y {
		return y
	}
	return math.Nextafter32(x, y)
}

// nextAfter64 returns the same as nextafter in C. For equal operands it returns the second one.
func nextAfter64(x, y float64) float64 {
	if x == y {
		return y
	}
	return math.Nextafter(x, y)
}

// reluGrad returns g if f > 0, and otherwise g·0. In the second case, a NaN or infinite gradient g gives
// NaN.
func reluGrad[T realT](g, f T) T {
	if f > 0 {
		return g
	}
	return g * 0
}

// relu6Grad returns g if 0 < f < 6, and otherwise g·0.
func relu6Grad[T realT](g, f T) T {
	if f > 0 && f < 6 {
		return g
	}
	return g * 0
}

func leakyRelu[T float](x, alpha T) T {
	if x > 0 {
		return x
	}
	return x * alpha
}

func leakyReluGrad[T float](g, f, alpha T) T {
	if f > 0 {
		return g
	}
	return g * alpha
}

// Selu's constants.
const (
	seluScale      = 1.0507009873554804934193349852946
	seluScaleAlpha = 1.7580993408473768599402175208123
)

func elu64(x float64) float64 {
	if x < 0 {
		return math.Expm1(x)
	}
	return x
}

func selu64(x float64) float64 {
	if x < 0 {
		return seluScaleAlpha * math.Expm1(x)
	}
	return seluScale * x
}

func eluGrad[T float](g, y T) T {
	if y < 0 {
		return (y + 1) * g
	}
	return g
}

func seluGrad[T float](g, y T) T {
	if y < 0 {
		return (y + seluScaleAlpha) * g
	}
	return g * seluScale
}

// sqrtGrad returns b / (2·a). If b is 0, it returns 0 for any a.
func sqrtGrad[T float](a, b T) T {
	if b == 0 {
		return 0
	}
	return b * 0.5 / a
}

func sqrtGradCmplx[T cmplxT](a, b T) T {
	if b == 0 {
		return 0
	}
	return b * 0.5 / conj(a)
}

// atanCmplx corrects cmplx.Atan on the imaginary axis beyond ±i, which is a branch cut. There, the
// sign of the zero real part selects the side of the branch cut, but cmplx.Atan ignores this sign.
func atanCmplx(x complex128) complex128 {
	y := cmplx.Atan(x)
	if real(x) == 0 && math.Abs(imag(x)) > 1 {
		y = complex(math.Copysign(real(y), real(x)), imag(y))
	}
	return y
}

// tanhCmplx corrects cmplx.Tanh far from the imaginary axis, where it divides infinity by infinity.
func tanhCmplx(x complex128) complex128 {
	if r := real(x); math.Abs(r) > 300 && !math.IsInf(r, 0) {
		return complex(math.Copysign(1, r), math.Copysign(0, math.Sin(2*imag(x))))
	}
	return cmplx.Tanh(x)
}

func softsignGrad[T float](g, f T) T {
	d := 1 + T(math.Abs(float64(f)))
	return g / (d * d)
}

func softplus64(x float64) float64 {
	if x > 40 {
		return x
	}
	return math.Log1p(math.Exp(x))
}

// popCount counts the bits of x that are set, without those that sign extension adds beyond the
// width of T.
func popCount[T integer](x T) uint8 {
	return uint8(bits.OnesCount64(uint64(x) & (1<<(uint(width[T]())+1) - 1)))
}
