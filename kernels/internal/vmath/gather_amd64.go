//go:build !noasm

package vmath

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

// SumGathered sets dst to a sum of rows of data. The elements of indices are the numbers of these
// rows, and the rows are added in the order of indices. Each row has as many elements as dst. The
// indices must be in range.
func SumGathered(dst, data []float32, indices []int32) bool {
	if !cpu.UseAVX2() || len(indices)*len(dst) > plenty {
		return false
	}
	if len(dst) == 0 || len(indices) == 0 {
		clear(dst)
		return true
	}
	if cpu.UseAVX512() {
		sumGathered512(&dst[0], &data[0], &indices[0], len(indices), 4*len(dst), len(dst))
	} else {
		sumGathered256(&dst[0], &data[0], &indices[0], len(indices), 4*len(dst), len(dst))
	}
	return true
}

// SumGatheredLong is SumGathered for int64 indices.
func SumGatheredLong(dst, data []float32, indices []int64) bool {
	if !cpu.UseAVX2() || len(indices)*len(dst) > plenty {
		return false
	}
	if len(dst) == 0 || len(indices) == 0 {
		clear(dst)
		return true
	}
	if cpu.UseAVX512() {
		sumGatheredLong512(&dst[0], &data[0], &indices[0], len(indices), 4*len(dst), len(dst))
	} else {
		sumGatheredLong256(&dst[0], &data[0], &indices[0], len(indices), 4*len(dst), len(dst))
	}
	return true
}

// CopyRows copies rows of n 32-bit words. Rows are dstStep words apart in the destination and srcStep
// words apart in the source; steps may be negative. dst and src point to the first word of the first
// row. The caller must ensure that all rows lie within allocated memory.
func CopyRows(dst, src *float32, n, rows, dstStep, srcStep int) bool {
	if !cpu.UseAVX2() || n > plenty {
		return false
	}
	if n <= 0 {
		return true
	}
	for rows > 0 {
		k := min(rows, max(plenty/n, 1))
		if cpu.UseAVX512() {
			copyRows512(dst, src, n, k, 4*dstStep, 4*srcStep)
		} else {
			copyRows256(dst, src, n, k, 4*dstStep, 4*srcStep)
		}
		if rows -= k; rows > 0 {
			dst = (*float32)(unsafe.Add(unsafe.Pointer(dst), 4*k*dstStep))
			src = (*float32)(unsafe.Add(unsafe.Pointer(src), 4*k*srcStep))
		}
	}
	return true
}
