// Package pool holds maximum and average pooling over the rows and columns of
// NHWC tensors.
package pool

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Params describes pooling of in[N,H,W,C] into out[N,OH,OW,C]. The window of
// output (y,x) begins at row y*StrideH-PadTop and column x*StrideW-PadLeft.
// Positions outside the input are ignored, so the padding below and to the right
// follows from OH and OW.
type Params struct {
	N, H, W, C       int
	KH, KW           int
	OH, OW           int
	StrideH, StrideW int
	PadTop, PadLeft  int
	// First is the number of the first output row to compute, and Rows is the number of rows. There are
	// N*OH output rows in all. Row 0 of the argument out is output row First. If both are 0, all rows
	// are computed.
	First, Rows int
}

func (p *Params) empty() bool { return p.N <= 0 || p.OH <= 0 || p.OW <= 0 || p.C <= 0 }

// rows returns the range [from, to) that First and Rows select from the output rows
// of all images.
func (p *Params) rows() (from, to int) {
	total := p.N * p.OH
	if p.Rows == 0 && p.First == 0 {
		return 0, total
	}
	if p.First < 0 || p.Rows <= 0 || p.First > total || p.Rows > total-p.First {
		panic("pool: no such rows")
	}
	return p.First, p.First + p.Rows
}

// clip returns the part [lo, hi) of a window that lies inside the input, in one dimension. o is the
// output position, k is the size of the window, and size is the size of the input.
func clip(o, stride, pad, k, size int) (int, int) {
	at := o*stride - pad
	lo, hi := max(at, 0), min(at+k, size)
	return lo, max(lo, hi)
}

// windows calls the function f for each output pixel of the selected rows. The arguments of this
// function are the offset of the output pixel, the offset of the first input pixel of its window,
// and the numbers of rows and columns of the window.
func (p *Params) windows(f func(out, in, rows, cols int)) {
	if p.empty() {
		return
	}
	first, last := p.rows()
	for row := first; row < last; row++ {
		n, y := row/p.OH, row%p.OH
		y0, y1 := clip(y, p.StrideH, p.PadTop, p.KH, p.H)
		for x := range p.OW {
			x0, x1 := clip(x, p.StrideW, p.PadLeft, p.KW, p.W)
			f(((row-first)*p.OW+x)*p.C, ((n*p.H+y0)*p.W+x0)*p.C, y1-y0, x1-x0)
		}
	}
}

type ordered interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float64
}

func maximum[T ordered](run *mem.Budget, out, in []T, p *Params, lowest T) {
	call := run.Call()
	p.windows(func(o, i, rows, cols int) {
		call.Work(1 + p.C)
		dst := out[o : o+p.C]
		for c := range dst {
			dst[c] = lowest
		}
		for r := range rows {
			call.Work(1 + cols*p.C)
			for x := range cols {
				at := i + (r*p.W+x)*p.C
				for c, v := range in[at : at+p.C] {
					if v > dst[c] {
						dst[c] = v
					}
				}
			}
		}
	})
}

type half interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}

func maximumHalf[T half](run *mem.Budget, out, in []T, p *Params, lowest T) {
	call := run.Call()
	p.windows(func(o, i, rows, cols int) {
		for c := range p.C {
			call.Work(1)
			best := lowest
			for r := range rows {
				call.Work(2 * cols)
				for x := range cols {
					if v := in[i+(r*p.W+x)*p.C+c]; v.Float32() > best.Float32() {
						best = v
					}
				}
			}
			out[o+c] = best
		}
	})
}

// AvgF64 is AvgF32 for f64.
func AvgF64(run *mem.Budget, out, in []float64, p Params) { average(run, out, in, &p) }

func average(run *mem.Budget, out, in []float64, p *Params) {
	call := run.Call()
	p.windows(func(o, i, rows, cols int) {
		call.Work(1 + p.C)
		dst := out[o : o+p.C]
		clear(dst)
		for r := range rows {
			call.Work(1 + cols*p.C)
			for x := range cols {
				at := i + (r*p.W+x)*p.C
				for c, v := range in[at : at+p.C] {
					dst[c] += v
				}
			}
		}
		n := float64(rows * cols)
		for c := range dst {
			dst[c] /= n
		}
	})
}

func averageHalf[T half](run *mem.Budget, out, in []T, p *Params, round func(float32) T) {
	call := run.Call()
	p.windows(func(o, i, rows, cols int) {
		var n T
		call.Work(rows * cols)
		for range rows * cols {
			n = round(n.Float32() + 1)
		}
		for c := range p.C {
			var s T
			for r := range rows {
				call.Work(2 * cols)
				for x := range cols {
					s = round(s.Float32() + in[i+(r*p.W+x)*p.C+c].Float32())
				}
			}
			out[o+c] = round(s.Float32() / n.Float32())
		}
	})
}
