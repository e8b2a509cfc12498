// Package half widens and rounds rows of 16-bit floats, so that kernels can compute them
// in float32 piece by piece.
package half

import (
	"github.com/graphc/graphc/kernels/internal/vmath"
	"github.com/graphc/graphc/rt/tensor"
)

// Chunk is the length of the pieces in which rows are computed: scratch of Chunk float32 fits in
// the first-level cache and on the stack.
const Chunk = 256

// LoadF16 widens the first len(dst) elements of src and returns dst.
func LoadF16(dst []float32, src []tensor.F16) []float32 {
	if vmath.LoadF16(dst, src) {
		return dst
	}
	src = src[:len(dst)]
	for i, h := range src {
		dst[i] = h.Float32()
	}
	return dst
}

// StoreF16 rounds the numbers of src and stores them in dst, which has the same length.
func StoreF16(dst []tensor.F16, src []float32) {
	if vmath.StoreF16(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, f := range src {
		dst[i] = tensor.ToF16(f)
	}
}

// LoadBF16 widens the first len(dst) elements of src and returns dst.
func LoadBF16(dst []float32, src []tensor.BF16) []float32 {
	if vmath.LoadBF16(dst, src) {
		return dst
	}
	src = src[:len(dst)]
	for i, h := range src {
		dst[i] = h.Float32()
	}
	return dst
}

// StoreBF16 rounds the numbers of src and stores them in dst, which has the same length.
func StoreBF16(dst []tensor.BF16, src []float32) {
	if vmath.StoreBF16(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, f := range src {
		dst[i] = tensor.ToBF16(f)
	}
}
