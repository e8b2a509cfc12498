//go:build arm64 && !noasm

package vmath

import (
	"math"

	"github.com/graphc/graphc/rt/cpu"
)

// Softmax sets rows of n floats to e^x / Σ e^x with sums in float64. The results equal those of
// ExpSum followed by Mul.
func Softmax(dst, src []float32, n int) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for n > 0 && len(dst) >= n {
		softmaxRow(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
	return true
}

func softmaxRow(dst, src []float32) {
	m, _ := Max(src)
	k := [1]float32{float32(1 / expSum(dst, src, m))}
	Mul(dst, dst, k[:])
}

// LogSoftmax sets rows of n floats to x - log Σ e^x.
func LogSoftmax(dst, src []float32, n int) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for n > 0 && len(dst) >= n {
		m, _ := Max(src[:n])
		subLog(dst[:n], src[:n], m, math.Log(sumExp(src[:n], m)))
		dst, src = dst[n:], src[n:]
	}
	return true
}

// SoftmaxMasked computes the softmax of x·scale + mask for rows x of n floats. Both the product and
// the sum are rounded to float32. Neighbouring rows of the mask begin step floats apart. If mask is
// empty, nothing is added.
func SoftmaxMasked(dst, src, mask []float32, n, step int, scale float32) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	k := [1]float32{scale}
	for n > 0 && len(dst) >= n {
		d := dst[:n]
		Mul(d, src[:n], k[:])
		if len(mask) != 0 {
			Add(d, d, mask[:n])
		}
		softmaxRow(d, d)
		dst, src = dst[n:], src[n:]
		if len(mask) != 0 && len(dst) >= n {
			mask = mask[step:]
		}
	}
	return true
}

// LayerNorm sets rows of n floats to (x - mean)/√(variance + epsilon)·gamma + beta. If gamma is
// empty, it applies neither gamma nor beta.
func LayerNorm(dst, src, gamma, beta []float32, n int, epsilon float32) bool {
	if !cpu.UseNEON() || n <= 0 {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= n {
		d, x := dst[:n], src[:n]
		s, _ := Sum(x)
		mean := float32(s / float64(n))
		k := inverse(x, mean, epsilon)
		if len(gamma) == 0 {
			NormalizeBy(d, x, mean, k, 0)
		} else {
			layerRow(d, x, gamma[:n], beta[:n], mean, k)
		}
		dst, src = dst[n:], src[n:]
	}
	return true
}

// RMSNorm sets rows of n floats to x/√(mean(x²) + epsilon)·gamma; gamma may be empty.
func RMSNorm(dst, src, gamma []float32, n int, epsilon float32) bool {
	if !cpu.UseNEON() || n <= 0 {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= n {
		d, x := dst[:n], src[:n]
		k := [1]float32{inverse(x, 0, epsilon)}
		Mul(d, x, k[:])
		if len(gamma) != 0 {
			Mul(d, d, gamma[:n])
		}
		dst, src = dst[n:], src[n:]
	}
	return true
}

// inverse returns 1/√(mean((x - mean)²) + epsilon).
func inverse(x []float32, mean, epsilon float32) float32 {
	n := float64(len(x))
	s := 0.0
	for len(x) >= lanes {
		c := min(len(x), chunk) / lanes
		s += float64(squaresNEON(&x[0], c, mean))
		x = x[c*lanes:]
	}
	for _, v := range x {
		d := float64(v - mean)
		s += float64(d * d)
	}
	return float32(1 / math.Sqrt(s/n+float64(epsilon)))
}

// layerRow computes dst = (src - mean)·k·gamma + beta. The multiplication by gamma and the addition
// of beta are one fused operation, which rounds once.
func layerRow(dst, src, gamma, beta []float32, mean, k float32) {
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		layerNEON(&dst[0], &src[0], &gamma[0], &beta[0], n, mean, k)
		n *= lanes
		dst, src, gamma, beta = dst[n:], src[n:], gamma[n:], beta[n:]
	}
	if len(dst) > 0 {
		var x, g, b [lanes]float32
		copy(x[:], src)
		copy(g[:], gamma)
		copy(b[:], beta)
		layerNEON(&x[0], &x[0], &g[0], &b[0], 1, mean, k)
		copy(dst, x[:])
	}
}

// row32 returns the parts of the slices dst, a and b that belong to row i of the current piece. The
// part of dst is d, the part of the operand a is x, and the part of the operand b is y.
func (p *pieces) row32(i int, dst, a, b []float32) (d, x, y []float32) {
	r := p.r
	x, y = a[p.a+i*r.StepA:], b[p.b+i*r.StepB:]
	nx, ny := p.n, p.n
	if r.OneA && !r.OneB {
		nx = 1
	}
	if r.OneB && !r.OneA {
		ny = 1
	}
	return dst[p.d+i*p.n:][:p.n], x[:nx], y[:ny]
}
