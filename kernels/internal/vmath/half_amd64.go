//go:build amd64 && !noasm

package vmath

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

// half16 is the largest number of 16-bit floats in a vector.
const half16 = 16

func bits[T tensor.F16 | tensor.BF16](x *T) *uint16 { return (*uint16)(unsafe.Pointer(x)) }

// LoadF16 converts the binary16 numbers of src to float32 and stores them in dst.
func LoadF16(dst []float32, src []tensor.F16) bool {
	if !cpu.UseAVX2() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= half16 {
		n := min(len(dst), chunk) / half16
		if cpu.UseAVX512() {
			loadF16512(&dst[0], bits(&src[0]), n)
		} else {
			loadF16256(&dst[0], bits(&src[0]), 2*n)
		}
		dst, src = dst[n*half16:], src[n*half16:]
	}
	if len(dst) > 0 {
		var x [half16]float32
		var h [half16]tensor.F16
		copy(h[:], src)
		loadF16256(&x[0], bits(&h[0]), 2)
		copy(dst, x[:])
	}
	return true
}

// LoadBF16 converts the bfloat16 numbers of src to float32 and stores them in dst.
func LoadBF16(dst []float32, src []tensor.BF16) bool {
	if !cpu.UseAVX2() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= half16 {
		n := min(len(dst), chunk) / half16
		if cpu.UseAVX512() {
			loadBF16512(&dst[0], bits(&src[0]), n)
		} else {
			loadBF16256(&dst[0], bits(&src[0]), 2*n)
		}
		dst, src = dst[n*half16:], src[n*half16:]
	}
	if len(dst) > 0 {
		var x [half16]float32
		var h [half16]tensor.BF16
		copy(h[:], src)
		loadBF16256(&x[0], bits(&h[0]), 2)
		copy(dst, x[:])
	}
	return true
}

// StoreF16 rounds the numbers of src to binary16, ties to even, and stores them in dst. The payload
// of a NaN is truncated.
func StoreF16(dst []tensor.F16, src []float32) bool {
	if !cpu.UseAVX2() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= half16 {
		n := min(len(dst), chunk) / half16
		if cpu.UseAVX512() {
			storeF16512(bits(&dst[0]), &src[0], n)
		} else {
			storeF16256(bits(&dst[0]), &src[0], 2*n)
		}
		dst, src = dst[n*half16:], src[n*half16:]
	}
	if len(dst) > 0 {
		var x [half16]float32
		var h [half16]tensor.F16
		copy(x[:], src)
		storeF16256(bits(&h[0]), &x[0], 2)
		copy(dst, h[:])
	}
	return true
}

// StoreBF16 rounds the numbers of src to bfloat16, ties to even, and stores them in dst.
func StoreBF16(dst []tensor.BF16, src []float32) bool {
	if !cpu.UseAVX2() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= half16 {
		n := min(len(dst), chunk) / half16
		if cpu.UseAVX512() {
			storeBF16512(bits(&dst[0]), &src[0], n)
		} else {
			storeBF16256(bits(&dst[0]), &src[0], 2*n)
		}
		dst, src = dst[n*half16:], src[n*half16:]
	}
	if len(dst) > 0 {
		var x [half16]float32
		var h [half16]tensor.BF16
		copy(x[:], src)
		storeBF16256(bits(&h[0]), &x[0], 2)
		copy(dst, h[:])
	}
	return true
}
