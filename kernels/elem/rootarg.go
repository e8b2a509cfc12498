package elem

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// RootArgF16 is RootArgF32 for f16.
func RootArgF16(dst, src []tensor.F16) {
	src = src[:len(dst)]
	for i, x := range src {
		if x == 0x8000 || x == 0xfc00 {
			x &= 0x7fff
		}
		dst[i] = x
	}
}

// RootArgBF16 is RootArgF32 for bf16.
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
