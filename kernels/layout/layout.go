// Package layout moves channels between the places that tensor formats give them.
package layout

import "github.com/graphc/graphc/rt/tensor"

// block is the side of the squares that are transposed at once, so that the
// cache lines of both sides stay.
const block = 16

// transpose writes n matrices: dst[i, c, r] = src[i, r, c]. NCHW becomes NHWC
// with rows the channels and cols the pixels, and the other way round. dst does
// not overlap src; nothing happens when a size is zero.
func transpose[T any](dst, src []T, n, rows, cols int) {
	for i := range n {
		d, s := dst[i*rows*cols:(i+1)*rows*cols], src[i*rows*cols:(i+1)*rows*cols]
		for r0 := 0; r0 < rows; r0 += block {
			r1 := min(r0+block, rows)
			for c0 := 0; c0 < cols; c0 += block {
				c1 := min(c0+block, cols)
				for r := r0; r < r1; r++ {
					o := c0*rows + r
					for _, v := range s[r*cols+c0 : r*cols+c1] {
						d[o] = v
						o += rows
					}
				}
			}
		}
	}
}

// F32 transposes n matrices [rows, cols]: dst[i, c, r] = src[i, r, c]. The others are the same for their type.
func F32(dst, src []float32, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// F64 is F32 for f64.
func F64(dst, src []float64, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// F16 is F32 for f16.
func F16(dst, src []tensor.F16, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// BF16 is F32 for bf16.
func BF16(dst, src []tensor.BF16, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// I8 is F32 for i8.
func I8(dst, src []int8, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// I16 is F32 for i16.
func I16(dst, src []int16, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// I32 is F32 for i32.
func I32(dst, src []int32, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// I64 is F32 for i64.
func I64(dst, src []int64, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// U8 is F32 for u8.
func U8(dst, src []uint8, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// U16 is F32 for u16.
func U16(dst, src []uint16, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// C64 is F32 for c64.
func C64(dst, src []complex64, n, rows, cols int) { transpose(dst, src, n, rows, cols) }

// C128 is F32 for c128.
func C128(dst, src []complex128, n, rows, cols int) { transpose(dst, src, n, rows, cols) }
