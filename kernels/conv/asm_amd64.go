//go:build amd64 && !noasm

package conv

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../_gen ./conv -pkg conv -out ../conv/depthwise_amd64.s -stubs ../conv/depthwise_amd64.go

// dwArgs is what a depthwise kernel reads; steps are in bytes. The generator
// knows the offsets.
type dwArgs struct {
	dst, src, w, bias unsafe.Pointer
	dstStep, srcStep  int // between output pixels, between their windows
	row, col          int // between taps of the input
	wRow, wCol        int // between taps of the filter
	rows, cols        int // taps
	pixels            int
	lo, hi            float32
	mask              uint64 // AVX-512: channels
}

// stripSIMD computes a strip of all its channels if the machine can.
func stripSIMD(out, in, filter, bias []float32, s *strip) bool {
	lanes := 8
	wide := cpu.UseAVX512()
	if wide {
		lanes = 16
	}
	if !cpu.UseAVX2() || !wide && s.c < lanes {
		return false
	}
	const f = 4 // bytes of a float
	g := dwArgs{
		dstStep: s.c * f, srcStep: s.step * f, row: s.row * f, col: s.col * f, wRow: s.wRow * f, wCol: s.c * f,
		rows: s.rows, cols: s.cols, pixels: s.pixels, lo: s.lo, hi: s.hi,
	}
	three := wide && s.rows == 3 && s.cols == 3 && s.wRow == 3*s.c && s.pixels >= 4 && (s.step == s.col || s.step == 2*s.col)
	for c := 0; c < s.c; c += lanes {
		g.mask = 0xffff
		if left := s.c - c; left < lanes {
			if wide {
				g.mask = 1<<left - 1
			} else {
				c = s.c - lanes // the last vector overlaps the one before
			}
		}
		g.dst, g.src, g.w = unsafe.Pointer(&out[c]), unsafe.Pointer(&in[c]), unsafe.Pointer(&filter[c])
		if len(bias) != 0 {
			g.bias = unsafe.Pointer(&bias[c])
		}
		g.pixels = s.pixels
		switch {
		case three:
			n := s.pixels &^ 3
			g.pixels = n
			if s.step == s.col {
				depthwise512k3s1((*byte)(unsafe.Pointer(&g)))
			} else {
				depthwise512k3s2((*byte)(unsafe.Pointer(&g)))
			}
			if g.pixels = s.pixels - n; g.pixels > 0 {
				g.dst, g.src = unsafe.Pointer(&out[n*s.c+c]), unsafe.Pointer(&in[n*s.step+c])
				depthwise512((*byte)(unsafe.Pointer(&g)))
			}
		case wide:
			depthwise512((*byte)(unsafe.Pointer(&g)))
		default:
			depthwise256((*byte)(unsafe.Pointer(&g)))
		}
	}
	return true
}
