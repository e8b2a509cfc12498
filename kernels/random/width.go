package random

import "github.com/graphc/graphc/rt/tensor"

// brain stands for the width of bfloat16 where half has 16.
const brain = -16

// rounded returns x, a result of numbers of a type of that many bits, as such a number.
func rounded(x float64, bits int) float64 {
	switch bits {
	case 16:
		return float64(tensor.ToF16(float32(x)).Float32())
	case brain:
		return float64(tensor.ToBF16(float32(x)).Float32())
	case 32:
		return float64(float32(x))
	}
	return x
}

// Bits is how kernels of this package name the width of a floating-point type.
func Bits(d tensor.DType) int {
	if d == tensor.BFloat16 {
		return brain
	}
	return 8 * d.Size()
}
