//go:build arm64 && !noasm

package conv

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

// dwArgs are the arguments of a depthwise kernel in assembly. Distances are in bytes. The generator of
// the assembly hard-codes the offsets of the fields.
type dwArgs struct {
	dst, src, w, bias unsafe.Pointer
	dstStep, srcStep  int // distances between output pixels, and between the windows of neighbouring pixels
	row, col          int // distances between rows and between columns of taps in the input
	wRow, wCol        int // distances between rows and between columns of taps in the filter
	rows, cols        int // numbers of rows and of columns of taps
	pixels            int
	lo, hi            float32
}

// lanes is the number of channels in a vector.
const lanes = 4

// stripSIMD computes a strip with vector instructions and reports whether it did. It returns false
// if the machine lacks them or the strip has fewer channels than a vector.
func stripSIMD(out, in, filter, bias []float32, s *strip) bool {
	if !cpu.UseNEON() || s.c < lanes {
		return false
	}
	const f = 4 // bytes of a float
	g := dwArgs{
		dstStep: s.c * f, srcStep: s.step * f, row: s.row * f, col: s.col * f, wRow: s.wRow * f, wCol: s.c * f,
		rows: s.rows, lo: s.lo, hi: s.hi,
	}
	for at := 0; at < s.c; at += lanes {
		c := min(at, s.c-lanes) // the last vector overlaps the vector before it
		if len(bias) != 0 {
			g.bias = unsafe.Pointer(&bias[c])
		}
		for y := range s.lines {
			for i := range s.segs[:s.count] {
				e := &s.segs[i]
				g.w, g.cols = unsafe.Pointer(&filter[e.w+c]), e.cols
				g.segment(out[y*s.dstLine+e.dst+c:], in[y*s.srcLine+e.src+c:], s, e.pixels)
			}
		}
	}
	return true
}

// segment computes the given number of pixels of a row, for one vector of channels.
func (g *dwArgs) segment(out, in []float32, s *strip, pixels int) {
	g.dst, g.src, g.pixels = unsafe.Pointer(&out[0]), unsafe.Pointer(&in[0]), pixels
	if s.rows == 3 && g.cols == 3 && s.wRow == 3*s.c && pixels >= 4 && (s.step == s.col || s.step == 2*s.col) {
		g.pixels = pixels &^ 3
		if s.step == s.col {
			depthwiseNEON3s1((*byte)(unsafe.Pointer(g)))
		} else {
			depthwiseNEON3s2((*byte)(unsafe.Pointer(g)))
		}
		done := g.pixels
		if g.pixels = pixels - done; g.pixels == 0 {
			return
		}
		g.dst, g.src = unsafe.Pointer(&out[done*s.c]), unsafe.Pointer(&in[done*s.step])
	}
	depthwiseNEON((*byte)(unsafe.Pointer(g)))
}
