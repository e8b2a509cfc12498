package elem

import "github.com/graphc/graphc/rt/tensor"

// loadF16 widens the first len(dst) elements of src and returns dst.
func loadF16(dst []float32, src []tensor.F16) []float32 {
	src = src[:len(dst)]
	for i, h := range src {
		dst[i] = h.Float32()
	}
	return dst
}

// storeF16 rounds src to dst, which is as long.
func storeF16(dst []tensor.F16, src []float32) {
	src = src[:len(dst)]
	for i, f := range src {
		dst[i] = tensor.ToF16(f)
	}
}

// loadBF16 widens the first len(dst) elements of src and returns dst.
func loadBF16(dst []float32, src []tensor.BF16) []float32 {
	src = src[:len(dst)]
	for i, h := range src {
		dst[i] = h.Float32()
	}
	return dst
}

// storeBF16 rounds src to dst, which is as long.
func storeBF16(dst []tensor.BF16, src []float32) {
	src = src[:len(dst)]
	for i, f := range src {
		dst[i] = tensor.ToBF16(f)
	}
}
