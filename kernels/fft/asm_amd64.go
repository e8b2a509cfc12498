//go:build amd64 && !noasm

package fft

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../_gen ./fft -pkg fft -out ../fft/fft_amd64.s -stubs ../fft/fft_amd64.go

// lanes returns how many transforms togetherSIMD computes in one call: 8 with AVX-512, 4 with AVX2. The
// result is 1 if the machine has neither.
func lanes() int {
	switch {
	case cpu.UseAVX512():
		return 8
	case cpu.UseAVX2():
		return 4
	}
	return 1
}

// togetherSIMD does the work of the function Together with vector instructions: AVX-512 for 8 lanes, AVX2
// for 4 lanes. For other numbers of lanes, it returns false.
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
