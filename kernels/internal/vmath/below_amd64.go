//go:build !noasm

package vmath

import "github.com/graphc/graphc/rt/cpu"

// Below reports whether all |x| are below limit. It returns false if an x is NaN, or if the machine
// lacks AVX2.
func Below(src []float32, limit float32) bool {
	if !cpu.UseAVX2() {
		return false
	}
	for len(src) > 0 {
		n := min(len(src), plenty)
		if cpu.UseAVX512() {
			if below512(&src[0], n, limit) == 0 {
				return false
			}
		} else if below256(&src[0], n, limit) == 0 {
			return false
		}
		src = src[n:]
	}
	return true
}
