package pool

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

const lowestF32 = -math.MaxFloat32

// MaxF32 writes the largest element of each window: out[n,y,x,c] = max over the window of
// in[n,·,·,c]. As in TensorFlow, NaN is ignored, and no result is less than the lowest finite
// number. Therefore the result for an empty window, or for a window that contains only -Inf, is the
// lowest finite number. out must not overlap in.
func MaxF32(run *mem.Budget, out, in []float32, p Params) { p.strips(run, out, in, false) }

// AvgF32 writes the average of each window: the sum of its elements divided by their number.
// Positions outside the input are not counted. An empty window gives NaN, and NaN propagates.
// Elements are added row by row. out must not overlap in.
func AvgF32(run *mem.Budget, out, in []float32, p Params) { p.strips(run, out, in, true) }

// strip is a sequence of neighbouring output pixels in one row whose windows have the same size.
type strip struct {
	c, pixels  int
	step, row  int // distances in floats between neighbouring windows, and between neighbouring input rows
	rows, cols int // numbers of rows and columns of each window
}

// stripWork bounds the elements read by one strip, so that a kernel call is short.
const stripWork = 1 << 17

// stripSpeed is the approximate number of elements that a kernel reads in a nanosecond. A
// nanosecond is the unit in which work is counted for the budget. stripPixel is the smallest amount
// of work that is counted for an output pixel.
const (
	stripSpeed = 4
	stripPixel = 2
)

func (p *Params) strips(run *mem.Budget, out, in []float32, avg bool) {
	if p.empty() {
		return
	}
	call := run.Call()
	s := strip{c: p.C, step: p.StrideW * p.C, row: p.W * p.C}
	first, last := p.rows()
	out = out[:(last-first)*p.OW*p.C]
	for y := first; y < last; y++ {
		n, oy := y/p.OH, y%p.OH
		y0, y1 := clip(oy, p.StrideH, p.PadTop, p.KH, p.H)
		s.rows = y1 - y0
		for x := 0; x < p.OW; x += s.pixels {
			x0, x1 := clip(x, p.StrideW, p.PadLeft, p.KW, p.W)
			s.cols = x1 - x0
			s.pixels = 1
			if s.cols == p.KW && s.cols > 0 {
				most := max(stripWork/(max(s.rows, 1)*s.cols*p.C), 1)
				s.pixels = min(((p.W-p.KW+p.PadLeft)/p.StrideW)-x+1, p.OW-x, most)
			}
			dst := out[((y-first)*p.OW+x)*p.C:][:s.pixels*p.C]
			if s.rows <= 0 || s.cols <= 0 {
				s.rows, s.cols = 0, 0
				s.run(dst, nil, avg)
				s.rows = y1 - y0
				continue
			}
			call.Work(1 + max(stripPixel, s.rows*s.cols*p.C/stripSpeed)*s.pixels)
			s.run(dst, in[((n*p.H+y0)*p.W+x0)*p.C:], avg)
		}
	}
}

// run computes the output pixels of the strip. It panics if the slice `in` is too short for the windows
// of the strip, or if the slice `out` is too short for the pixels.
func (s *strip) run(out, in []float32, avg bool) {
	if s.rows > 0 {
		if s.step < 0 || len(in) < (s.pixels-1)*s.step+(s.rows-1)*s.row+s.cols*s.c || len(out) < s.pixels*s.c {
			panic("pool: operand too short")
		}
		if stripSIMD(out, in, s, avg) {
			return
		}
	}
	for x := range s.pixels {
		dst := out[x*s.c:][:s.c]
		if avg {
			clear(dst)
		} else {
			for c := range dst {
				dst[c] = lowestF32
			}
		}
		for r := range s.rows {
			for j := range s.cols {
				for c, v := range in[x*s.step+r*s.row+j*s.c:][:s.c] {
					if avg {
						dst[c] += v
					} else if v > dst[c] {
						dst[c] = v
					}
				}
			}
		}
		if n := float32(s.rows * s.cols); avg {
			for c := range dst {
				dst[c] /= n
			}
		}
	}
}
