package elem

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// RootArgF32 sets dst = x, but 0 for -0 and ∞ for -∞: the arguments whose square
// root is no power with exponent ½. dst may be src.
func RootArgF32(dst, src []float32) { rootArg(dst, src) }

// RootArgF64 is RootArgF32 of f64.
func RootArgF64(dst, src []float64) { rootArg(dst, src) }

// RootArgF16 is RootArgF32 of f16.
func RootArgF16(dst, src []tensor.F16) {
	src = src[:len(dst)]
	for i, x := range src {
		if x == 0x8000 || x == 0xfc00 {
			x &= 0x7fff
		}
		dst[i] = x
	}
}

// RootArgBF16 is RootArgF32 of bf16.
func RootArgBF16(dst, src []tensor.BF16) {
	src = src[:len(dst)]
	for i, x := range src {
		if x == 0x8000 || x == 0xff80 {
			x &= 0x7fff
		}
		dst[i] = x
	}
}

func rootArg[T float32 | float64](dst, src []T) {
	src = src[:len(dst)]
	for i, x := range src {
		if math.IsInf(float64(x), -1) {
			x = -x
		}
		dst[i] = x + 0 // -0 + 0 is 0
	}
}
