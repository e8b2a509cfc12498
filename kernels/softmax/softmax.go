// Package softmax holds softmax, its logarithm, and cross entropies with their gradients. Rows are
// contiguous. The largest element is subtracted first, and sums are computed in float64. The
// float32 kernels replace exponentials below float32's normal numbers by 0. A row that holds +Inf
// or NaN, or only -Inf, gives NaN.
package softmax

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/fmath"
	"github.com/graphc/graphc/kernels/internal/vmath"
	"github.com/graphc/graphc/rt/tensor"
)

type float interface{ float32 | float64 }

// largest returns the largest element, or NaN if there is a NaN.
func largest[T float](x []T) T {
	a := T(math.Inf(-1))
	b, c, d := a, a, a // four separate accumulators, so that the CPU can compute four maxima in parallel
	for len(x) >= 4 {
		a, b, c, d = max(a, x[0]), max(b, x[1]), max(c, x[2]), max(d, x[3])
		x = x[4:]
	}
	for _, v := range x {
		a = max(a, v)
	}
	return max(a, b, c, d)
}

func largest32(x []float32) float32 {
	if m, ok := vmath.Max(x); ok {
		return m
	}
	return largest(x)
}

// exp returns e^x for x ≤ 0, to a float32's accuracy. Below -110 it returns e^-110,
// which rounds to 0 in float32.
func exp(x float64) float64 {
	if x < -110 {
		x = -110
	}
	s, p := fmath.Exp(x)
	return s + float64(s*p)
}

// SoftmaxF32 sets dst = e^x / Σ e^x over rows of n elements. dst may be src.
func SoftmaxF32(dst, src []float32, n int) {
	if n == 0 || vmath.Softmax(dst, src, n) {
		return
	}
	for len(dst) >= n {
		softmaxRow(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
}

func softmaxRow(dst, src []float32) {
	src = src[:len(dst)]
	m := largest32(src)
	sum, ok := vmath.ExpSum(dst, src, m)
	if !ok {
		sum = expSum(dst, src, m)
	}
	k := [1]float32{float32(1 / sum)}
	if vmath.Mul(dst, dst, k[:]) {
		return
	}
	for i, e := range dst {
		dst[i] = e * k[0]
	}
}

// expSum is the portable equivalent of vmath.ExpSum.
func expSum(dst, src []float32, m float32) float64 {
	sum := 0.0
	for i, x := range src {
		t := x - m
		if t < -110 {
			t = -110
		}
		s, p := fmath.Exp(float64(t))
		e := s + float64(s*p)
		if e < 0x1p-126 {
			e = 0
		}
		dst[i] = float32(e)
		sum += e
	}
	return sum
}

// LogSoftmaxF32 sets dst = x - log(Σ e^x) over rows of n elements. dst may be src.
func LogSoftmaxF32(dst, src []float32, n int) {
	if n == 0 || vmath.LogSoftmax(dst, src, n) {
		return
	}
	for len(dst) >= n {
		d, x := dst[:n], src[:n]
		logSoftmaxRow(d, x)
		dst, src = dst[n:], src[n:]
	}
}

func logSoftmaxRow(dst, src []float32) {
	m := largest32(src)
	sum, ok := vmath.SumExp(src, m)
	if !ok {
		for _, v := range src {
			sum += exp(float64(v - m))
		}
	}
	l := math.Log(sum)
	if vmath.SubLog(dst, src, m, l) {
		return
	}
	for i, v := range src {
		dst[i] = float32(float64(v-m) - l)
	}
}

// SoftmaxF64 is SoftmaxF32 for float64.
func SoftmaxF64(dst, src []float64, n int) {
	if n == 0 {
		return
	}
	for len(dst) >= n {
		d, x := dst[:n], src[:n]
		m := largest(x)
		sum := 0.0
		for i, v := range x {
			e := math.Exp(v - m)
			d[i] = e
			sum += e
		}
		for i := range d {
			d[i] /= sum
		}
		dst, src = dst[n:], src[n:]
	}
}

// LogSoftmaxF64 is LogSoftmaxF32 for float64.
func LogSoftmaxF64(dst, src []float64, n int) {
	if n == 0 {
		return
	}
	for len(dst) >= n {
		d, x := dst[:n], src[:n]
		m := largest(x)
		sum := 0.0
		for _, v := range x {
			sum += math.Exp(v - m)
		}
		l := math.Log(sum)
		for i, v := range x {
			d[i] = v - m - l
		}
		dst, src = dst[n:], src[n:]
	}
}

// rows16 computes softmax, or its logarithm, of rows of n 16-bit floats. It computes in float64 and
// rounds only the results to 16 bits.
func rows16[T any](dst, src []T, n int, logarithm bool, get func(T) float64, put func(float64) T) {
	if n == 0 {
		return
	}
	for len(dst) >= n {
		d, x := dst[:n], src[:n]
		m := math.Inf(-1)
		for _, v := range x {
			m = max(m, get(v))
		}
		sum := 0.0
		for _, v := range x {
			sum += exp(get(v) - m)
		}
		if logarithm {
			l := math.Log(sum)
			for i, v := range x {
				d[i] = put(get(v) - m - l)
			}
		} else {
			for i, v := range x {
				d[i] = put(exp(get(v)-m) / sum)
			}
		}
		dst, src = dst[n:], src[n:]
	}
}

func getF16(x tensor.F16) float64 { return float64(x.Float32()) }

func putF16(x float64) tensor.F16 { return tensor.ToF16(float32(x)) }

func getBF16(x tensor.BF16) float64 { return float64(x.Float32()) }

func putBF16(x float64) tensor.BF16 { return tensor.ToBF16(float32(x)) }
