package bundle

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// Encode encodes a slice of any numeric element type as little-endian bytes. It passes the bytes to
// f in one or more calls.
func Encode(src any, f func([]byte)) {
	le := binary.LittleEndian
	switch d := src.(type) {
	case []uint8:
		f(d)
	case []int8:
		numbers(d, 1, f, func(b []byte, v int8) { b[0] = byte(v) })
	case []bool:
		numbers(d, 1, f, func(b []byte, v bool) {
			if b[0] = 0; v {
				b[0] = 1
			}
		})
	case []int16:
		numbers(d, 2, f, func(b []byte, v int16) { le.PutUint16(b, uint16(v)) })
	case []uint16:
		numbers(d, 2, f, le.PutUint16)
	case []tensor.F16:
		numbers(d, 2, f, func(b []byte, v tensor.F16) { le.PutUint16(b, uint16(v)) })
	case []tensor.BF16:
		numbers(d, 2, f, func(b []byte, v tensor.BF16) { le.PutUint16(b, uint16(v)) })
	case []int32:
		numbers(d, 4, f, func(b []byte, v int32) { le.PutUint32(b, uint32(v)) })
	case []uint32:
		numbers(d, 4, f, le.PutUint32)
	case []float32:
		numbers(d, 4, f, func(b []byte, v float32) { le.PutUint32(b, math.Float32bits(v)) })
	case []int64:
		numbers(d, 8, f, func(b []byte, v int64) { le.PutUint64(b, uint64(v)) })
	case []uint64:
		numbers(d, 8, f, le.PutUint64)
	case []float64:
		numbers(d, 8, f, func(b []byte, v float64) { le.PutUint64(b, math.Float64bits(v)) })
	case []complex64:
		numbers(d, 8, f, func(b []byte, v complex64) {
			le.PutUint32(b, math.Float32bits(real(v)))
			le.PutUint32(b[4:], math.Float32bits(imag(v)))
		})
	case []complex128:
		numbers(d, 16, f, func(b []byte, v complex128) {
			le.PutUint64(b, math.Float64bits(real(v)))
			le.PutUint64(b[8:], math.Float64bits(imag(v)))
		})
	}
}

// The function named numbers encodes the elements of src, and passes the bytes to f in several
// parts. On a little-endian host, it does not encode, but passes the memory of src to f.
func numbers[T any](src []T, size int, f func([]byte), put func([]byte, T)) {
	if len(src) == 0 {
		return
	}
	if littleHost {
		f(unsafe.Slice((*byte)(unsafe.Pointer(&src[0])), len(src)*size))
		return
	}
	const part = 1024
	b := make([]byte, part*size)
	for len(src) > 0 {
		n := min(part, len(src))
		for i, v := range src[:n] {
			put(b[i*size:], v)
		}
		f(b[:n*size])
		src = src[n:]
	}
}
