//go:build arm64 && !noasm

package vmath

import (
	"math"

	"github.com/graphc/graphc/rt/cpu"
)

// lanes is the number of floats in a vector. If the length of a row is not a multiple of lanes, the
// last floats are copied to a separate vector and computed there.
const lanes = 4

// row returns the operand x, cut to the length of dst, or unchanged if x has one element.
func row(x, dst []float32) []float32 {
	if len(x) == 1 {
		return x
	}
	return x[:len(dst)]
}

// LeakyRelu sets dst = x where x > 0, else alpha·x.
func LeakyRelu(dst, src []float32, alpha float32) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		leakyReluNEON(&dst[0], &src[0], n, alpha)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	if len(dst) > 0 {
		var t [lanes]float32
		copy(t[:], src)
		leakyReluNEON(&t[0], &t[0], 1, alpha)
		copy(dst, t[:])
	}
	return true
}

// Max returns the largest element of a row: NaN if an element is NaN, -Inf for an empty row. The
// bool reports whether the machine can compute this.
func Max(src []float32) (float32, bool) {
	if !cpu.UseNEON() {
		return 0, false
	}
	m := float32(math.Inf(-1))
	for len(src) >= lanes {
		n := min(len(src), chunk) / lanes
		m = max(m, maxNEON(&src[0], n))
		src = src[n*lanes:]
	}
	for _, v := range src {
		m = max(m, v)
	}
	return m, true
}

// Min returns the smallest element of a row: NaN if an element is NaN, +Inf for an empty row. The
// bool reports whether the machine can compute this.
func Min(src []float32) (float32, bool) {
	if !cpu.UseNEON() {
		return 0, false
	}
	m := float32(math.Inf(1))
	for len(src) >= lanes {
		n := min(len(src), chunk) / lanes
		m = min(m, minNEON(&src[0], n))
		src = src[n*lanes:]
	}
	for _, v := range src {
		m = min(m, v)
	}
	return m, true
}

// Sum returns the sum of a row, added in float64. The bool reports whether the machine can compute
// this.
func Sum(src []float32) (float64, bool) {
	if !cpu.UseNEON() {
		return 0, false
	}
	s := 0.0
	for len(src) >= lanes {
		n := min(len(src), chunk) / lanes
		s += sumNEON(&src[0], n)
		src = src[n*lanes:]
	}
	for _, v := range src {
		s += float64(v)
	}
	return s, true
}

// AddTo adds the first elements of src to those of acc and returns how many it added. It adds whole
// vectors only, and at most chunk elements.
func AddTo(acc []float64, src []float32) int {
	n := min(len(acc), chunk) / lanes
	if n == 0 || !cpu.UseNEON() {
		return 0
	}
	addDoublesNEON(&acc[0], &src[:len(acc)][0], n)
	return n * lanes
}

// ExpSum sets dst = e^(x - m) for x ≤ m and returns the sum of dst, added in float64.
func ExpSum(dst, src []float32, m float32) (float64, bool) {
	if !cpu.UseNEON() {
		return 0, false
	}
	return expSum(dst, src[:len(dst)], m), true
}

func expSum(dst, src []float32, m float32) float64 {
	s := 0.0
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		s += expSumNEON(&dst[0], &src[0], n, m)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	var t [lanes]float32
	if len(dst) > 0 {
		copy(t[:], src)
		expSumNEON(&t[0], &t[0], 1, m)
	}
	for i := range dst {
		dst[i] = t[i]
		s += float64(t[i])
	}
	return s
}

// SumExp returns Σ e^(x - m) for x ≤ m, added in float64.
func SumExp(src []float32, m float32) (float64, bool) {
	if !cpu.UseNEON() {
		return 0, false
	}
	return sumExp(src, m), true
}

func sumExp(src []float32, m float32) float64 {
	s := 0.0
	for len(src) >= lanes {
		n := min(len(src), chunk) / lanes
		s += sumExpNEON(&src[0], n, m)
		src = src[n*lanes:]
	}
	var t [lanes]float32
	if n := copy(t[:], src); n > 0 {
		expSumNEON(&t[0], &t[0], 1, m)
		for _, v := range t[:n] {
			s += float64(v)
		}
	}
	return s
}

// SubLog sets dst = (x - m) - l for each element x of src. The difference x - m is rounded to
// float32. Then l is subtracted in float64, and the result is rounded to float32.
func SubLog(dst, src []float32, m float32, l float64) bool {
	if !cpu.UseNEON() {
		return false
	}
	subLog(dst, src[:len(dst)], m, l)
	return true
}

func subLog(dst, src []float32, m float32, l float64) {
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		subLogNEON(&dst[0], &src[0], n, m, l)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	for i, v := range src[:len(dst)] {
		dst[i] = float32(float64(v-m) - l)
	}
}

// Normalize sets dst = (x - mean)·k + offset, element by element, where x is an element of src. All
// slices have the same length.
func Normalize(dst, src, mean, k, offset []float32) bool {
	if !cpu.UseNEON() {
		return false
	}
	n := len(dst)
	src, mean, k, offset = src[:n], mean[:n], k[:n], offset[:n]
	i := 0
	for n-i >= lanes {
		c := min(chunk, n-i) / lanes
		normalizeNEON(&dst[i], &src[i], &mean[i], &k[i], &offset[i], c)
		i += c * lanes
	}
	for ; i < n; i++ {
		dst[i] = float32((src[i]-mean[i])*k[i]) + offset[i]
	}
	return true
}

// NormalizeBy sets dst = (x - mean)·k + offset.
func NormalizeBy(dst, src []float32, mean, k, offset float32) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		normalizeByNEON(&dst[0], &src[0], n, mean, k, offset)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	for i, v := range src[:len(dst)] {
		dst[i] = float32((v-mean)*k) + offset
	}
	return true
}
