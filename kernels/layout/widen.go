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

// WidenF64 rounds half to even.
func WidenF64(dst []float32, src []float64) { widen(dst, src) }

// WidenI8 converts exactly.
func WidenI8(dst []float32, src []int8) { widen(dst, src) }

// WidenI16 converts exactly.
func WidenI16(dst []float32, src []int16) { widen(dst, src) }

// WidenI32 rounds half to even.
func WidenI32(dst []float32, src []int32) { widen(dst, src) }

// WidenI64 rounds half to even.
func WidenI64(dst []float32, src []int64) { widen(dst, src) }

// WidenU8 converts exactly.
func WidenU8(dst []float32, src []uint8) { widen(dst, src) }

// WidenU16 converts exactly.
func WidenU16(dst []float32, src []uint16) { widen(dst, src) }

// WidenU32 rounds half to even.
func WidenU32(dst []float32, src []uint32) { widen(dst, src) }

// WidenU64 rounds half to even.
func WidenU64(dst []float32, src []uint64) { widen(dst, src) }

// NarrowF16 rounds half to even: dst[i] = src[i].
func NarrowF16(dst []tensor.F16, src []float32) {
	for i, v := range src {
		dst[i] = tensor.ToF16(v)
	}
}

// NarrowBF16 rounds half to even.
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
