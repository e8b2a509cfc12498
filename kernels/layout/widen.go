package layout

import "github.com/graphc/graphc/rt/tensor"

type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func widen[T number](dst []float32, src []T) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = float32(v)
	}
}

// WidenBF16 converts exactly: dst[i] = src[i].
func WidenBF16(dst []float32, src []tensor.BF16) {
	for i, v := range src {
		dst[i] = v.Float32()
	}
}

// WidenF16 converts exactly.
func WidenF16(dst []float32, src []tensor.F16) {
	for i, v := range src {
		dst[i] = v.Float32()
	}
}

// NarrowF16 converts float32 to binary16: dst[i] = src[i], with ties rounded to even.
func NarrowF16(dst []tensor.F16, src []float32) {
	for i, v := range src {
		dst[i] = tensor.ToF16(v)
	}
}

// NarrowBF16 converts float32 to bfloat16, with ties rounded to even.
func NarrowBF16(dst []tensor.BF16, src []float32) {
	for i, v := range src {
		dst[i] = tensor.ToBF16(v)
	}
}

// NarrowF64 converts exactly.
func NarrowF64(dst []float64, src []float32) {
	for i, v := range src {
		dst[i] = float64(v)
	}
}
