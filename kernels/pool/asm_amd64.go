//go:build amd64 && !noasm

package pool

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../_gen ./pool -pkg pool -out ../pool/pool_amd64.s -stubs ../pool/pool_amd64.go

// args are a kernel's arguments, with steps in bytes. The generated assembly relies on the offsets
// of the fields.
type args struct {
	dst, src       unsafe.Pointer
	step, row, col int // distances in the input between neighbouring windows, rows and columns
	rows, cols     int // numbers of rows and columns of a window
	pixels         int // the kernel's counter
	rest           int // number of channels in the last vector, which is masked
	init, count    float32
	blocks         int            // number of whole vectors of channels
	mask           uint64         // AVX-512
	tab            unsafe.Pointer // AVX2
}

// tails[8-n:] is a vector mask of n channels.
var tails = [16]int32{-1, -1, -1, -1, -1, -1, -1, -1}

// stripSIMD pools a strip with AVX-512 or AVX2, and reports whether it did.
func stripSIMD(out, in []float32, s *strip, avg bool) bool {
	if !cpu.UseAVX2() {
		return false
	}
	const f = 4 // bytes of a float
	lanes := 8
	wide := cpu.UseAVX512()
	if wide {
		lanes = 16
	}
	g := args{
		dst: unsafe.Pointer(&out[0]), src: unsafe.Pointer(&in[0]),
		step: s.step * f, row: s.row * f, col: s.c * f, rows: s.rows, cols: s.cols, pixels: s.pixels,
		rest: s.c % lanes, blocks: s.c / lanes, init: lowestF32, count: float32(s.rows * s.cols),
	}
	g.mask = 1<<g.rest - 1
	g.tab = unsafe.Pointer(&tails[8-g.rest%8])
	p := (*byte)(unsafe.Pointer(&g))
	if avg {
		g.init = 0
	}
	switch {
	case wide && avg:
		avg512(p)
	case wide:
		max512(p)
	case avg:
		avg256(p)
	default:
		max256(p)
	}
	return true
}
