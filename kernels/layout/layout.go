// Package layout moves channels between the places that tensor formats give them.
package layout

import (
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/rt/tensor"
)

// F32 transposes n matrices [rows, cols]: dst[i, c, r] = src[i, r, c]. NCHW becomes
// NHWC with rows the channels and cols the pixels, and the other way round. dst does
// not overlap src; nothing happens when a size is zero. The others are the same for
// their type.
func F32(dst, src []float32, n, rows, cols int) {
	array.MoveF32(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// F64 is F32 for f64.
func F64(dst, src []float64, n, rows, cols int) {
	array.MoveF64(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// F16 is F32 for f16.
func F16(dst, src []tensor.F16, n, rows, cols int) {
	array.MoveF16(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// BF16 is F32 for bf16.
func BF16(dst, src []tensor.BF16, n, rows, cols int) {
	array.MoveBF16(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// I8 is F32 for i8.
func I8(dst, src []int8, n, rows, cols int) {
	array.MoveI8(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// I16 is F32 for i16.
func I16(dst, src []int16, n, rows, cols int) {
	array.MoveI16(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// I32 is F32 for i32.
func I32(dst, src []int32, n, rows, cols int) {
	array.MoveI32(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// I64 is F32 for i64.
func I64(dst, src []int64, n, rows, cols int) {
	array.MoveI64(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// U8 is F32 for u8.
func U8(dst, src []uint8, n, rows, cols int) {
	array.MoveU8(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// U16 is F32 for u16.
func U16(dst, src []uint16, n, rows, cols int) {
	array.MoveU16(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// C64 is F32 for c64.
func C64(dst, src []complex64, n, rows, cols int) {
	array.MoveC64(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}

// C128 is F32 for c128.
func C128(dst, src []complex128, n, rows, cols int) {
	array.MoveC128(dst, src, []int{n, cols, rows}, []int{rows * cols, rows, 1}, 0, []int{rows * cols, 1, cols}, 0)
}
