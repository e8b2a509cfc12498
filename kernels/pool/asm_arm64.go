//go:build arm64 && !noasm

package pool

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

// args are a kernel's arguments, with steps in bytes. The generated assembly relies on the offsets
// of the fields.
type args struct {
	dst, src      unsafe.Pointer
	dstStep, step int // distances between neighbouring output pixels, and between neighbouring windows of the input
	row, col      int // distances between neighbouring rows and columns of the input
	rows, cols    int // numbers of rows and columns of a window
	pixels        int
	blocks        int // number of vectors of channels
	init, count   float32
}

// lanes is the number of channels in a vector.
const lanes = 4

// stripSIMD pools a strip with NEON, and reports whether it did. It needs at least lanes channels.
func stripSIMD(out, in []float32, s *strip, avg bool) bool {
	if !cpu.UseNEON() || s.c < lanes {
		return false
	}
	const f = 4 // bytes of a float
	g := args{
		dst: unsafe.Pointer(&out[0]), src: unsafe.Pointer(&in[0]), dstStep: s.c * f,
		step: s.step * f, row: s.row * f, col: s.c * f, rows: s.rows, cols: s.cols, pixels: s.pixels,
		blocks: s.c / lanes, init: lowestF32, count: float32(s.rows * s.cols),
	}
	if avg {
		g.init = 0
	}
	g.pool(avg)
	if s.c%lanes != 0 { // the last vector overlaps the one before
		at := s.c - lanes
		g.dst, g.src, g.blocks = unsafe.Pointer(&out[at]), unsafe.Pointer(&in[at]), 1
		g.pool(avg)
	}
	return true
}

func (g *args) pool(avg bool) {
	if avg {
		avgNEON((*byte)(unsafe.Pointer(g)))
	} else {
		maxNEON((*byte)(unsafe.Pointer(g)))
	}
}
