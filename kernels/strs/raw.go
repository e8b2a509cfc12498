package strs

import (
	"slices"
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// RawParams describes how bytes become elements.
type RawParams struct {
	Width int  // elements of a string
	Big   bool // the first byte counts most
	Part  int  // bytes that are swapped together where Big
}

// RawWidth returns the elements of size bytes each string holds. InvalidArgument
// when the strings differ in length or hold a part of an element.
func RawWidth(src []string, size int) (int, error) {
	if len(src) == 0 {
		return 0, nil
	}
	n := len(src[0])
	for _, s := range src {
		if len(s) != n {
			return 0, tensor.Errorf(tensor.InvalidArgument, "DecodeRaw requires input strings to all be the same size, one has %d bytes, another %d", n, len(s))
		}
	}
	if n%size != 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Input to DecodeRaw has length %d that is not a multiple of %d, the size of an element", n, size)
	}
	return n / size, nil
}

// PaddedWidth returns the elements of size bytes in length bytes, which must be whole.
func PaddedWidth(length []int32, size int) (int, error) {
	n := int(length[0])
	if n <= 0 || n%size != 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "fixed_length is %d, a positive multiple of %d is required", n, size)
	}
	return n / size, nil
}

func raw[T any](dst []T, src []string, p *RawParams) {
	var v T
	size := int(unsafe.Sizeof(v))
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)*size)
	row := p.Width * size
	for i, s := range src {
		d := b[i*row : (i+1)*row]
		clear(d[copy(d, s):])
	}
	if p.Big && p.Part > 1 {
		for i := 0; i < len(b); i += p.Part {
			slices.Reverse(b[i : i+p.Part])
		}
	}
}

// RawF32 copies the bytes of each string to Width elements, zeros behind a
// shorter one; what is too long is left out.
func RawF32(dst []float32, src []string, p RawParams) { raw(dst, src, &p) }

// RawF64 is RawF32 for f64.
func RawF64(dst []float64, src []string, p RawParams) { raw(dst, src, &p) }

// RawF16 is RawF32 for f16.
func RawF16(dst []tensor.F16, src []string, p RawParams) { raw(dst, src, &p) }

// RawBF16 is RawF32 for bf16.
func RawBF16(dst []tensor.BF16, src []string, p RawParams) { raw(dst, src, &p) }

// RawI8 is RawF32 for i8.
func RawI8(dst []int8, src []string, p RawParams) { raw(dst, src, &p) }

// RawI16 is RawF32 for i16.
func RawI16(dst []int16, src []string, p RawParams) { raw(dst, src, &p) }

// RawI32 is RawF32 for i32.
func RawI32(dst []int32, src []string, p RawParams) { raw(dst, src, &p) }

// RawI64 is RawF32 for i64.
func RawI64(dst []int64, src []string, p RawParams) { raw(dst, src, &p) }

// RawU8 is RawF32 for u8.
func RawU8(dst []uint8, src []string, p RawParams) { raw(dst, src, &p) }

// RawU16 is RawF32 for u16.
func RawU16(dst []uint16, src []string, p RawParams) { raw(dst, src, &p) }

// RawU32 is RawF32 for u32.
func RawU32(dst []uint32, src []string, p RawParams) { raw(dst, src, &p) }

// RawU64 is RawF32 for u64.
func RawU64(dst []uint64, src []string, p RawParams) { raw(dst, src, &p) }

// RawC64 is RawF32 for c64.
func RawC64(dst []complex64, src []string, p RawParams) { raw(dst, src, &p) }

// RawC128 is RawF32 for c128.
func RawC128(dst []complex128, src []string, p RawParams) { raw(dst, src, &p) }

// RawBool is RawF32 for bool: any byte but 0 is true.
func RawBool(dst []bool, src []string, p RawParams) {
	for i, s := range src {
		for k := range p.Width {
			dst[i*p.Width+k] = k < len(s) && s[k] != 0
		}
	}
}
