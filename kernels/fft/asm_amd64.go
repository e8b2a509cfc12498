//go:build amd64 && !noasm

package fft

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../_gen ./fft -pkg fft -out ../fft/fft_amd64.s -stubs ../fft/fft_amd64.go

// lanes returns the number of transforms that together computes with vector instructions, or 1.
func lanes() int {
	switch {
	case cpu.UseAVX512():
		return 8
	case cpu.UseAVX2():
		return 4
	}
	return 1
}

// togetherSIMD is together with vector instructions. It returns false if the machine lacks them for this
// number of lanes.
func togetherSIMD(x []float64, n, lanes int, roots []float64) bool {
	if lanes != 8 && lanes != 4 {
		return false
	}
	_ = x[:2*n*lanes]
	_ = roots[:RootsLen(n)]
	if lanes == 8 {
		together512(unsafe.SliceData(x), n, unsafe.SliceData(roots))
	} else {
		together256(unsafe.SliceData(x), n, unsafe.SliceData(roots))
	}
	return true
}
