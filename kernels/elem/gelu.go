package elem

import (
	"github.com/graphc/graphc/kernels/internal/half"
	"github.com/graphc/graphc/kernels/internal/vmath"
)

// The kernels of this file compute activations that graphs express with several ops. dst may be
// src.

// GeluErfF32 sets dst = x/2 · (1 + erf(x/√2)).
func GeluErfF32(dst, src []float32) {
	if !vmath.GeluErf(dst, src) {
		pieces(dst, src, func(x float32) float32 { return x * 0.70710678118654752440 }, erfRow32,
			func(x, e float32) float32 { return 0.5 * x * (1 + e) })
	}
}

// GeluTanhF32 sets dst = x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))).
func GeluTanhF32(dst, src []float32) {
	if !vmath.GeluTanh(dst, src) {
		pieces(dst, src, func(x float32) float32 {
			return 0.79788456080286535588 * (x + float32(0.044715*float32(x*x)*x))
		}, tanhRow32, func(x, e float32) float32 { return 0.5 * x * (1 + e) })
	}
}

// SwishF32 sets dst = x / (1 + e^-x).
func SwishF32(dst, src []float32) {
	if !vmath.Swish(dst, src) {
		pieces(dst, src, func(x float32) float32 { return x }, sigmoidRow32, func(x, e float32) float32 { return x * e })
	}
}

// HardSwishF32 sets dst = x · min(max(x + 3, 0), 6) / 6.
func HardSwishF32(dst, src []float32) {
	if vmath.HardSwish(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = x * min(max(x+3, 0), 6) / 6
	}
}

// pieces sets dst = join(x, f(arg(x))). It computes one piece of the row at a time.
func pieces(dst, src []float32, arg func(float32) float32, f func(dst, src []float32), join func(x, e float32) float32) {
	var e [half.Chunk]float32
	src = src[:len(dst)]
	for i := 0; i < len(dst); i += half.Chunk {
		x := src[i:min(i+half.Chunk, len(src))]
		for k, v := range x {
			e[k] = arg(v)
		}
		f(e[:len(x)], e[:len(x)])
		for k, v := range x {
			dst[i+k] = join(v, e[k])
		}
	}
}
