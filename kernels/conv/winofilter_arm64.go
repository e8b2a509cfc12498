//go:build arm64 && !noasm

package conv

import (
	"unsafe"

	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/rt/cpu"
)

// winoFilterArgs are the arguments of a filter's transform in assembly. Steps are in bytes. The
// generator of the assembly hard-codes the offsets of the fields.
type winoFilterArgs struct {
	src, dst   unsafe.Pointer
	tap, plane int
	vecs       int
}

// winoFilterSIMD does the same as winoFilter, with vector instructions. It returns false if the machine
// lacks them or there are no channels.
func winoFilterSIMD(dst []float32, plane int, src []float32, c, half int) bool {
	if !cpu.UseNEON() || c <= 0 {
		return false
	}
	const f = 4 // bytes of a float
	_, _ = dst[(winoHalf-1)*plane+c*panel.Width-1], src[winoTaps*winoTaps*c*panel.Width-1]
	g := winoFilterArgs{
		src: unsafe.Pointer(&src[0]), dst: unsafe.Pointer(&dst[0]), tap: c * panel.Width * f, plane: plane * f,
		vecs: c * panel.Width / lanes,
	}
	if half == 0 {
		winoFilterTopNEON((*byte)(unsafe.Pointer(&g)))
	} else {
		winoFilterBottomNEON((*byte)(unsafe.Pointer(&g)))
	}
	return true
}
