package reduce

import "github.com/graphc/graphc/kernels/internal/vmath"

// The rows of this file are package vmath's where the machine has them and the
// row is not too short to gain.

const short = 16

func sum32(a float64, src []float32) float64 {
	if len(src) >= short {
		if s, ok := vmath.Sum(src); ok {
			return a + s
		}
	}
	return sumFloat(a, src)
}

func sums32(a []float64, src []float32) {
	for len(a) >= short {
		n := vmath.AddTo(a, src)
		if n == 0 {
			break
		}
		a, src = a[n:], src[n:]
	}
	sumsFloat(a, src)
}

func max32(a float32, src []float32) float32 {
	if len(src) >= short {
		if m, ok := vmath.Max(src); ok {
			return max(a, m)
		}
	}
	return maxRow(a, src)
}

func maxs32(a, src []float32) {
	if len(a) < short || !vmath.Maximum(a, a, src[:len(a)]) {
		maxColumn(a, src)
	}
}

func min32(a float32, src []float32) float32 {
	if len(src) >= short {
		if m, ok := vmath.Min(src); ok {
			return min(a, m)
		}
	}
	return minRow(a, src)
}

func mins32(a, src []float32) {
	if len(a) < short || !vmath.Minimum(a, a, src[:len(a)]) {
		minColumn(a, src)
	}
}
