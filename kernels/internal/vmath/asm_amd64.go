//go:build amd64 && !noasm

package vmath

import (
	"math"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../../_gen ./vmath -pkg vmath -out ../internal/vmath/vmath_amd64.s -stubs ../internal/vmath/vmath_amd64.go -calls ../internal/vmath

// LeakyRelu sets dst = x where x > 0, else alpha·x.
func LeakyRelu(dst, src []float32, alpha float32) bool {
	if !cpu.UseAVX2() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) > 0 {
		n := min(len(dst), chunk)
		if cpu.UseAVX512() {
			leakyRelu512(&dst[0], &src[0], n, alpha)
		} else {
			leakyRelu256(&dst[0], &src[0], n, alpha)
		}
		dst, src = dst[n:], src[n:]
	}
	return true
}

// Max returns the largest element of a row: NaN if an element is NaN, -Inf for an empty row. The
// bool reports whether the machine can compute this.
func Max(src []float32) (float32, bool) {
	if !cpu.UseAVX2() {
		return 0, false
	}
	m := float32(math.Inf(-1))
	for len(src) > 0 {
		n := min(len(src), chunk)
		if cpu.UseAVX512() {
			m = max(m, max512(&src[0], n))
		} else {
			m = max(m, max256(&src[0], n))
		}
		src = src[n:]
	}
	return m, true
}

// Min returns the smallest element of a row: NaN if an element is NaN, +Inf for an empty row. The
// bool reports whether the machine can compute this.
func Min(src []float32) (float32, bool) {
	if !cpu.UseAVX2() {
		return 0, false
	}
	m := float32(math.Inf(1))
	for len(src) > 0 {
		n := min(len(src), chunk)
		if cpu.UseAVX512() {
			m = min(m, min512(&src[0], n))
		} else {
			m = min(m, min256(&src[0], n))
		}
		src = src[n:]
	}
	return m, true
}

// Sum returns the sum of a row, added in float64. The bool reports whether the machine can compute
// this.
func Sum(src []float32) (float64, bool) {
	if !cpu.UseAVX2() {
		return 0, false
	}
	s := 0.0
	for len(src) > 0 {
		n := min(len(src), chunk)
		if cpu.UseAVX512() {
			s += sum512(&src[0], n)
		} else {
			s += sum256(&src[0], n)
		}
		src = src[n:]
	}
	return s, true
}

// AddTo adds the first elements of src to those of acc and returns how many it added. It adds whole
// vectors only, and at most chunk elements.
func AddTo(acc []float64, src []float32) int {
	n := 0
	switch {
	case cpu.UseAVX512():
		n = min(len(acc), chunk) / 16
		if n > 0 {
			addDoubles512(&acc[0], &src[:len(acc)][0], n)
		}
		n *= 16
	case cpu.UseAVX2():
		n = min(len(acc), chunk) / 8
		if n > 0 {
			addDoubles256(&acc[0], &src[:len(acc)][0], n)
		}
		n *= 8
	}
	return n
}

// ExpSum sets dst = e^(x - m) and returns the sum of dst, added in float64.
func ExpSum(dst, src []float32, m float32) (float64, bool) {
	if !cpu.UseAVX2() {
		return 0, false
	}
	src = src[:len(dst)]
	s := 0.0
	for len(dst) > 0 {
		n := min(len(dst), chunk)
		if cpu.UseAVX512() {
			s += expSum512(&dst[0], &src[0], n, m)
		} else {
			s += expSum256(&dst[0], &src[0], n, m)
		}
		dst, src = dst[n:], src[n:]
	}
	return s, true
}

// SumExp returns Σ e^(x - m), added in float64.
func SumExp(src []float32, m float32) (float64, bool) {
	if !cpu.UseAVX2() {
		return 0, false
	}
	s := 0.0
	for len(src) > 0 {
		n := min(len(src), chunk)
		if cpu.UseAVX512() {
			s += sumExp512(&src[0], n, m)
		} else {
			s += sumExp256(&src[0], n, m)
		}
		src = src[n:]
	}
	return s, true
}

// SubLog sets dst = (x - m) - l for each element x of src. The difference x - m is rounded to
// float32. Then l is subtracted in float64, and the result is rounded to float32.
func SubLog(dst, src []float32, m float32, l float64) bool {
	if !cpu.UseAVX2() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) > 0 {
		n := min(len(dst), chunk)
		if cpu.UseAVX512() {
			subLog512(&dst[0], &src[0], n, m, l)
		} else {
			subLog256(&dst[0], &src[0], n, m, l)
		}
		dst, src = dst[n:], src[n:]
	}
	return true
}

// Normalize sets dst = (x - mean)·k + offset, element by element, where x is an element of src. All
// slices have the same length.
func Normalize(dst, src, mean, k, offset []float32) bool {
	if !cpu.UseAVX2() {
		return false
	}
	n := len(dst)
	src, mean, k, offset = src[:n], mean[:n], k[:n], offset[:n]
	for i := 0; i < n; i += chunk {
		c := min(chunk, n-i)
		if cpu.UseAVX512() {
			normalize512(&dst[i], &src[i], &mean[i], &k[i], &offset[i], c)
		} else {
			normalize256(&dst[i], &src[i], &mean[i], &k[i], &offset[i], c)
		}
	}
	return true
}

// NormalizeBy sets dst = (x - mean)·k + offset.
func NormalizeBy(dst, src []float32, mean, k, offset float32) bool {
	if !cpu.UseAVX2() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) > 0 {
		n := min(len(dst), chunk)
		if cpu.UseAVX512() {
			normalizeBy512(&dst[0], &src[0], n, mean, k, offset)
		} else {
			normalizeBy256(&dst[0], &src[0], n, mean, k, offset)
		}
		dst, src = dst[n:], src[n:]
	}
	return true
}

// rowsOf returns how many rows of n floats one call of assembly processes.
func rowsOf(rows, n int) int { return min(rows, max(chunk/n, 1)) }

// Softmax sets rows of n floats to e^x / Σ e^x with sums in float64. The results equal those of
// ExpSum followed by Mul. Softmax returns false for very long rows.
func Softmax(dst, src []float32, n int) bool {
	if !cpu.UseAVX2() || n > chunk {
		return false
	}
	if n <= 0 {
		return true
	}
	src = src[:len(dst)]
	for len(dst) >= n {
		rows := rowsOf(len(dst)/n, n)
		d, s := &dst[0], &src[0]
		wide := cpu.UseAVX512()
		switch {
		case n == 2 && wide:
			softmax2x512(d, s, 2*rows)
		case n == 2:
			softmax2x256(d, s, 2*rows)
		case n == 4 && wide:
			softmax4x512(d, s, 4*rows)
		case n == 4:
			softmax4x256(d, s, 4*rows)
		case n == 8 && wide:
			softmax8x512(d, s, 8*rows)
		case n == 8:
			softmax8x256(d, s, 8*rows)
		case n <= 16 && wide:
			softmaxShort512(d, s, n, rows)
		case n < 8:
			softmaxShort256(d, s, n, rows)
		case wide:
			softmax512(d, s, n, rows)
		default:
			softmax256(d, s, n, rows)
		}
		dst, src = dst[rows*n:], src[rows*n:]
	}
	return true
}

// LogSoftmax sets rows of n floats to x - log Σ e^x. It returns false for very long rows.
func LogSoftmax(dst, src []float32, n int) bool {
	if !cpu.UseAVX2() || n > chunk {
		return false
	}
	if n <= 0 {
		return true
	}
	src = src[:len(dst)]
	for len(dst) >= n {
		rows := rowsOf(len(dst)/n, n)
		if cpu.UseAVX512() {
			logSoftmax512(&dst[0], &src[0], n, rows)
		} else {
			logSoftmax256(&dst[0], &src[0], n, rows)
		}
		dst, src = dst[rows*n:], src[rows*n:]
	}
	return true
}

// SoftmaxMasked computes the softmax of x·scale + mask for rows x of n floats. Both the product and
// the sum are rounded to float32. Neighbouring rows of the mask begin step floats apart. If mask is
// empty, nothing is added.
func SoftmaxMasked(dst, src, mask []float32, n, step int, scale float32) bool {
	if !cpu.UseAVX2() || n > chunk {
		return false
	}
	if n <= 0 {
		return true
	}
	src = src[:len(dst)]
	for len(dst) >= n {
		rows := rowsOf(len(dst)/n, n)
		wide := cpu.UseAVX512()
		if len(mask) != 0 {
			at := &mask[:(rows-1)*step+n][0]
			if wide {
				softmaxMasked512(&dst[0], &src[0], at, n, rows, 4*step, scale)
			} else {
				softmaxMasked256(&dst[0], &src[0], at, n, rows, 4*step, scale)
			}
			if len(dst) > rows*n {
				mask = mask[rows*step:]
			}
		} else if wide {
			softmaxScaled512(&dst[0], &src[0], n, rows, scale)
		} else {
			softmaxScaled256(&dst[0], &src[0], n, rows, scale)
		}
		dst, src = dst[rows*n:], src[rows*n:]
	}
	return true
}

// LayerNorm sets rows of n floats to (x - mean)/√(variance + epsilon)·gamma + beta. If gamma is
// empty, it applies neither gamma nor beta. It returns false for very long rows.
func LayerNorm(dst, src, gamma, beta []float32, n int, epsilon float32) bool {
	if !cpu.UseAVX2() || n > chunk || n <= 0 {
		return false
	}
	var g, b *float32
	if len(gamma) != 0 {
		g, b = &gamma[:n][0], &beta[:n][0]
	}
	src = src[:len(dst)]
	for len(dst) >= n {
		rows := rowsOf(len(dst)/n, n)
		if cpu.UseAVX512() {
			layerNorm512(&dst[0], &src[0], g, b, n, rows, epsilon)
		} else {
			layerNorm256(&dst[0], &src[0], g, b, n, rows, epsilon)
		}
		dst, src = dst[rows*n:], src[rows*n:]
	}
	return true
}

// RMSNorm sets rows of n floats to x/√(mean(x²) + epsilon)·gamma; gamma may be empty. It returns
// false for very long rows.
func RMSNorm(dst, src, gamma []float32, n int, epsilon float32) bool {
	if !cpu.UseAVX2() || n > chunk || n <= 0 {
		return false
	}
	var g *float32
	if len(gamma) != 0 {
		g = &gamma[:n][0]
	}
	src = src[:len(dst)]
	for len(dst) >= n {
		rows := rowsOf(len(dst)/n, n)
		if cpu.UseAVX512() {
			rmsNorm512(&dst[0], &src[0], g, n, rows, epsilon)
		} else {
			rmsNorm256(&dst[0], &src[0], g, n, rows, epsilon)
		}
		dst, src = dst[rows*n:], src[rows*n:]
	}
	return true
}

// Clip sets dst to src clamped to [lo, hi]. Elements that are NaN stay NaN, and a bound that is NaN
// has no effect.
func Clip(dst, src []float32, lo, hi float32) bool {
	if !cpu.UseAVX2() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) > 0 {
		n := min(len(dst), many)
		if cpu.UseAVX512() {
			clip512(&dst[0], &src[0], n, lo, hi)
		} else {
			clip256(&dst[0], &src[0], n, lo, hi)
		}
		dst, src = dst[n:], src[n:]
	}
	return true
}
