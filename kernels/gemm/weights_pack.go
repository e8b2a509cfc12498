package gemm

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/narrow"
	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/rt/tensor"
)

// NarrowF16 rounds packed weights to f16, halves to even. It returns false if a weight is too
// large.
func NarrowF16(dst []tensor.F16, src []float32) bool {
	for i, v := range src {
		dst[i] = tensor.ToF16(v)
		if w := dst[i].Float32(); math.IsInf(float64(w), 0) && !math.IsInf(float64(v), 0) {
			return false
		}
	}
	return true
}

// NarrowBF16 rounds packed weights to bf16, halves to even. It returns false if a weight is too
// large.
func NarrowBF16(dst []tensor.BF16, src []float32) bool {
	for i, v := range src {
		dst[i] = tensor.ToBF16(v)
		if w := dst[i].Float32(); math.IsInf(float64(w), 0) && !math.IsInf(float64(v), 0) {
			return false
		}
	}
	return true
}

// NarrowI8 rounds packed weights, in panels of the given depth (rows per panel), to bytes from -127
// to 127, with a scale for each column. It returns false if a weight is not finite.
func NarrowI8(dst []int8, scale, src []float32, depth int) bool {
	size := depth * panel.Width
	for j := 0; size > 0 && j < len(src)/size; j++ {
		p := src[j*size:][:size]
		for x := range panel.Width {
			s, ok := narrowI8(dst[j*size+x:], p[x:], panel.Width)
			if !ok {
				return false
			}
			scale[j*panel.Width+x] = s
		}
	}
	return true
}

// narrowI8 rounds the elements 0, step, 2·step, … of src to bytes, with one common scale, which it
// returns. It returns false if one of these elements is not finite.
func narrowI8(dst []int8, src []float32, step int) (float32, bool) {
	most := float32(0)
	for i := 0; i < len(src); i += step {
		v := src[i]
		if v-v != 0 { // infinite or NaN
			return 0, false
		}
		most = max(most, v, -v)
	}
	scale := most / 127
	if scale == 0 {
		scale = 1
	}
	for i := 0; i < len(src); i += step {
		dst[i] = int8(min(max(math.RoundToEven(float64(src[i])/float64(scale)), -127), 127))
	}
	return scale, true
}

// NarrowRowsI8 is like NarrowI8, but src is a row-major matrix with n floats in each row, and each
// row has a separate scale.
func NarrowRowsI8(dst []int8, scale, src []float32, n int) bool {
	for r := range scale {
		s, ok := narrowI8(dst[r*n:][:n], src[r*n:][:n], 1)
		if !ok {
			return false
		}
		scale[r] = s
	}
	return true
}

// WidenRowsI8 writes dst[r,j] = src[r,j] * scale[r] for rows of n elements.
func WidenRowsI8(dst []float32, src []int8, scale []float32, n int) {
	for r, s := range scale {
		d := dst[r*n:][:n]
		for j, v := range src[r*n:][:n] {
			d[j] = float32(v) * s
		}
	}
}

// WidenF16 writes src to dst as floats.
func WidenF16(dst []float32, src []tensor.F16) {
	n := len(src) / panel.Width
	if n > 0 {
		narrow.Expand(dst, narrow.Panels{F16: src}, 1, n)
	}
	for i := n * panel.Width; i < len(src); i++ {
		dst[i] = src[i].Float32()
	}
}

// WidenBF16 writes src to dst as floats.
func WidenBF16(dst []float32, src []tensor.BF16) {
	n := len(src) / panel.Width
	if n > 0 {
		narrow.Expand(dst, narrow.Panels{BF16: src}, 1, n)
	}
	for i := n * panel.Width; i < len(src); i++ {
		dst[i] = src[i].Float32()
	}
}
