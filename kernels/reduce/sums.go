package reduce

import (
	"math"
	"math/cmplx"

	"github.com/graphc/graphc/rt/tensor"
)

// sumFloat adds the elements of src to the number a in float64, and returns the total. It computes four
// separate sums, which it adds at the end.
func sumFloat[T float](a float64, src []T) float64 {
	var s0, s1, s2, s3 float64
	for len(src) >= 4 {
		s0 += float64(src[0])
		s1 += float64(src[1])
		s2 += float64(src[2])
		s3 += float64(src[3])
		src = src[4:]
	}
	for _, x := range src {
		s0 += float64(x)
	}
	return a + ((s0 + s1) + (s2 + s3))
}

func sumsFloat[T float](a []float64, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += float64(x)
	}
}

func sumF16(a float64, src []tensor.F16) float64 {
	for _, x := range src {
		a += float64(x.Float32())
	}
	return a
}

func sumsF16(a []float64, src []tensor.F16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += float64(x.Float32())
	}
}

func sumBF16(a float64, src []tensor.BF16) float64 {
	for _, x := range src {
		a += float64(x.Float32())
	}
	return a
}

func sumsBF16(a []float64, src []tensor.BF16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += float64(x.Float32())
	}
}

// sumWide adds the integers in src to the number a, and returns the total. The integers are converted
// to the type A.
func sumWide[T integer, A int64 | uint64](a A, src []T) A {
	for _, x := range src {
		a += A(x)
	}
	return a
}

func sumsWide[T integer, A int64 | uint64](a []A, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += A(x)
	}
}

func sumInt[T integer](a T, src []T) T {
	for _, x := range src {
		a += x
	}
	return a
}

func sumsInt[T integer](a []T, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += x
	}
}

func sumComplex[T complex64 | complex128](a complex128, src []T) complex128 {
	for _, x := range src {
		a += complex128(x)
	}
	return a
}

func sumsComplex[T complex64 | complex128](a []complex128, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += complex128(x)
	}
}

// Each of the following functions returns the result of a reduction. The parameter a is the
// accumulated sum, and n is the number of elements. The result is the sum or the mean.

func sameOf[T any](a T, _ int) T { return a }

func floatOf[T float](a float64, _ int) T { return T(a) }

func f16Of(a float64, _ int) tensor.F16 { return tensor.ToF16(float32(a)) }

func bf16Of(a float64, _ int) tensor.BF16 { return tensor.ToBF16(float32(a)) }

func complexOf[T complex64 | complex128](a complex128, _ int) T { return T(a) }

func meanFloat[T float](a float64, n int) T { return T(a / float64(n)) }

func meanF16(a float64, n int) tensor.F16 { return tensor.ToF16(float32(a / float64(n))) }

func meanBF16(a float64, n int) tensor.BF16 { return tensor.ToBF16(float32(a / float64(n))) }

// meanInt truncates toward zero. The mean of no elements is 0.
func meanInt[T integer, A int64 | uint64](a A, n int) T {
	if n == 0 {
		return 0
	}
	return T(a / A(n))
}

func meanComplex[T complex64 | complex128](a complex128, n int) T {
	if n == 0 {
		return 0
	}
	return T(complex(real(a)/float64(n), imag(a)/float64(n)))
}

// squaresFloat adds squares in float64. Each square is first rounded to T.
func squaresFloat[T float](a float64, src []T) float64 {
	for _, x := range src {
		a += float64(T(x * x))
	}
	return a
}

func squaresColFloat[T float](a []float64, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += float64(T(x * x))
	}
}

func squareF16(x tensor.F16) float64 {
	f := x.Float32()
	return float64(tensor.ToF16(f * f).Float32())
}

func squareBF16(x tensor.BF16) float64 {
	f := x.Float32()
	return float64(tensor.ToBF16(f * f).Float32())
}

func squaresF16(a float64, src []tensor.F16) float64 {
	for _, x := range src {
		a += squareF16(x)
	}
	return a
}

func squaresColF16(a []float64, src []tensor.F16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += squareF16(x)
	}
}

func squaresBF16(a float64, src []tensor.BF16) float64 {
	for _, x := range src {
		a += squareBF16(x)
	}
	return a
}

func squaresColBF16(a []float64, src []tensor.BF16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += squareBF16(x)
	}
}

func squaresInt[T integer](a T, src []T) T {
	for _, x := range src {
		a += x * x
	}
	return a
}

func squaresColInt[T integer](a []T, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] += x * x
	}
}

func squaresComplex[T complex64 | complex128](a complex128, src []T) complex128 {
	for _, x := range src {
		z := complex128(x)
		a += z * cmplx.Conj(z)
	}
	return a
}

func squaresColComplex[T complex64 | complex128](a []complex128, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		z := complex128(x)
		a[i] += z * cmplx.Conj(z)
	}
}

// normFloat returns the square root of the sum a. It rounds the sum to T first, so that a sum that
// overflows gives infinity.
func normFloat[T float](a float64, _ int) T { return T(math.Sqrt(float64(T(a)))) }

func normF16(a float64, _ int) tensor.F16 {
	return tensor.ToF16(float32(math.Sqrt(float64(tensor.ToF16(float32(a)).Float32()))))
}

func normBF16(a float64, _ int) tensor.BF16 {
	return tensor.ToBF16(float32(math.Sqrt(float64(tensor.ToBF16(float32(a)).Float32()))))
}

// normInt returns the square root of the sum a, truncated to an integer. The sum may have wrapped
// to a negative number. Then the result is the integer that converting NaN to T gives.
func normInt[T integer](a T, _ int) T {
	if a < 0 {
		if v := int64(math.MinInt64); int64(T(v>>1)) == v>>1 {
			return T(v)
		}
		v := int32(math.MinInt32)
		return T(v)
	}
	return T(math.Sqrt(float64(a)))
}

func normComplex[T complex64 | complex128](a complex128, _ int) T { return T(cmplx.Sqrt(a)) }
