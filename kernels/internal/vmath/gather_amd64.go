//go:build !noasm

package vmath

import "github.com/graphc/graphc/rt/cpu"

// SumGathered sets dst to the sum of the rows of data, as long as dst, that the
// indices name, in their order. The indices must be in range.
func SumGathered(dst, data []float32, indices []int32) bool {
	if !cpu.UseAVX2() || len(indices)*len(dst) > many {
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

// SumGatheredLong is SumGathered for int64.
func SumGatheredLong(dst, data []float32, indices []int64) bool {
	if !cpu.UseAVX2() || len(indices)*len(dst) > many {
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
