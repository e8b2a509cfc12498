//go:build arm64 && !noasm

package vmath

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

func bits[T tensor.F16 | tensor.BF16](x *T) *uint16 { return (*uint16)(unsafe.Pointer(x)) }

// LoadF16 widens the binary16 numbers of src to dst.
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

// LoadBF16 widens the bfloat16 numbers of src to dst.
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

// StoreF16 rounds src to binary16, ties to even. A NaN's payload is truncated.
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

// StoreBF16 rounds src to bfloat16, ties to even.
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
