//go:build arm64 && !noasm

package vmath

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

func bits[T tensor.F16 | tensor.BF16](x *T) *uint16 { return (*uint16)(unsafe.Pointer(x)) }

// LoadF16 converts the binary16 numbers of src to float32 and stores them in dst.
func LoadF16(dst []float32, src []tensor.F16) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		loadF16NEON(&dst[0], bits(&src[0]), n)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	if len(dst) > 0 {
		var x [lanes]float32
		var h [lanes]tensor.F16
		copy(h[:], src)
		loadF16NEON(&x[0], bits(&h[0]), 1)
		copy(dst, x[:])
	}
	return true
}

// LoadBF16 converts the bfloat16 numbers of src to float32 and stores them in dst.
func LoadBF16(dst []float32, src []tensor.BF16) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		loadBF16NEON(&dst[0], bits(&src[0]), n)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	if len(dst) > 0 {
		var x [lanes]float32
		var h [lanes]tensor.BF16
		copy(h[:], src)
		loadBF16NEON(&x[0], bits(&h[0]), 1)
		copy(dst, x[:])
	}
	return true
}

// StoreF16 rounds the numbers of src to binary16, ties to even, and stores them in dst. The payload
// of a NaN is truncated.
func StoreF16(dst []tensor.F16, src []float32) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		storeF16NEON(bits(&dst[0]), &src[0], n)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	if len(dst) > 0 {
		var x [lanes]float32
		var h [lanes]tensor.F16
		copy(x[:], src)
		storeF16NEON(bits(&h[0]), &x[0], 1)
		copy(dst, h[:])
	}
	return true
}

// StoreBF16 rounds the numbers of src to bfloat16, ties to even, and stores them in dst.
func StoreBF16(dst []tensor.BF16, src []float32) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		storeBF16NEON(bits(&dst[0]), &src[0], n)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	if len(dst) > 0 {
		var x [lanes]float32
		var h [lanes]tensor.BF16
		copy(x[:], src)
		storeBF16NEON(bits(&h[0]), &x[0], 1)
		copy(dst, h[:])
	}
	return true
}
