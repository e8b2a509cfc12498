package panel8

import (
	"math"
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

// OutF32 writes dst[i] = min(max(f32(src[i])*scale[i] + bias[i], lo), hi). The result of every
// operation is rounded to float32. All slices have the length of src, and they do not overlap.
func OutF32(dst []float32, src []int32, scale, bias []float32, lo, hi float32) {
	dst, scale, bias = dst[:len(src)], scale[:len(src)], bias[:len(src)]
	i := 0
	if cpu.UseAVX2() || cpu.UseNEON() {
		i = outF32SIMD(dst, src, scale, bias, lo, hi)
	}
	for ; i < len(src); i++ {
		v := float32(float32(src[i])*scale[i]) + bias[i]
		if v < lo {
			v = lo
		}
		if v > hi {
			v = hi
		}
		dst[i] = v
	}
}

// OutBytes writes dst[i] = min(max(round(f32(src[i])*scale[i]) + zero, lo), hi), where round rounds
// ties to even. lo and hi are in the range of T, and zero is between them. All slices have the
// length of src, and they do not overlap.
func OutBytes[T int8 | uint8](dst []T, src []int32, scale []float32, zero, lo, hi int32) {
	dst, scale = dst[:len(src)], scale[:len(src)]
	i := 0
	if cpu.UseAVX2() || cpu.UseNEON() {
		i = outBytesSIMD(unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)), src, scale, zero, lo, hi)
	}
	flo, fhi := float32(lo-zero), float32(hi-zero)
	for ; i < len(src); i++ {
		v := float32(src[i]) * scale[i]
		if !(v > flo) {
			v = flo
		}
		if !(v < fhi) {
			v = fhi
		}
		dst[i] = T(int32(math.RoundToEven(float64(v))) + zero)
	}
}
