package strs

import (
	"slices"
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// RawParams describes the conversion of bytes to elements.
type RawParams struct {
	Width int  // elements in each string
	Big   bool // whether the first byte of a number is its most significant one
	Part  int  // size of a number in bytes; if Big is set, the bytes of each number are reversed
}

// RawWidth returns the number of elements in each string. size is the size of an element in bytes.
// RawWidth returns InvalidArgument if the strings differ in length or hold a part of an element.
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

// PaddedWidth returns the number of elements in length[0] bytes. size is the size of an element in
// bytes. PaddedWidth returns InvalidArgument unless length[0] is a positive multiple of size.
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

// RawBool is RawF32 for bool: any byte but 0 is true.
func RawBool(dst []bool, src []string, p RawParams) {
	for i, s := range src {
		for k := range p.Width {
			dst[i*p.Width+k] = k < len(s) && s[k] != 0
		}
	}
}
