package random

import "github.com/graphc/graphc/rt/tensor"

// brain is the value that represents the width of bfloat16 in this package, because 16 represents
// the other type of 16 bits, binary16.
const brain = -16

// rounded returns x rounded to the type with the given width.
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

// Bits returns the width of a floating-point type as the kernels of this package expect it.
func Bits(d tensor.DType) int {
	if d == tensor.BFloat16 {
		return brain
	}
	return 8 * d.Size()
}
