package volume

import (
	"github.com/graphc/graphc/kernels/internal/finite"
	"github.com/graphc/graphc/rt/mem"
)

// dilate calls f for every output element; the first argument of f is this element's offset. Each
// input element in the window is added to the filter element at the same place of the window. The
// last argument of f is the largest of these sums. The second and the third argument are the offsets
// of the input element and of the filter element in this sum. If several sums are the largest, the
// first of them is used.
//
// If no sum is greater than the lowest number of type T, the second argument is instead the offset of
// the window's first element, with a negative row or column replaced by 0, and the third argument is
// the channel. If that element is outside the image, both are -1. Neighbouring pixels of a window are
// DilH rows or DilW columns apart. D, KD and OD must be 1.
func dilate[T number](run *mem.Budget, in, filter []T, p *Params, f func(out, in, tap int, v T)) {
	dh, dw := dil(p.DilH), dil(p.DilW)
	lowest := finite.Lowest[T]()
	if p.C == 0 {
		return
	}
	rows := p.KH
	if p.KW == 0 { // the filter is empty, and KH may be arbitrarily large
		rows = 0
	}
	call := run.Call()
	for o := range p.positions() {
		n, y, x := o/(p.OH*p.OW), o/p.OW%p.OH, o%p.OW
		y0, x0 := max(y*p.SH-p.PH, 0), max(x*p.SW-p.PW, 0)
		for c := range p.C {
			best, at, tap := lowest, -1, -1
			if y0 < p.H && x0 < p.W {
				at, tap = ((n*p.H+y0)*p.W+x0)*p.C+c, c
			}
			call.Work(rows)
			for i := range rows {
				iy := y*p.SH - p.PH + i*dh
				if uint(iy) >= uint(p.H) {
					continue
				}
				call.Work(p.KW)
				for j := range p.KW {
					ix := x*p.SW - p.PW + j*dw
					if uint(ix) >= uint(p.W) {
						continue
					}
					a, b := ((n*p.H+iy)*p.W+ix)*p.C+c, (i*p.KW+j)*p.C+c
					if v := in[a] + filter[b]; v > best {
						best, at, tap = v, a, b
					}
				}
			}
			f(o*p.C+c, at, tap, best)
		}
	}
}

func dilateForward[T number](run *mem.Budget, out, in, filter []T, p *Params) {
	dilate(run, in, filter, p, func(o, _, _ int, v T) { out[o] = v })
}

func dilateInput[T number](run *mem.Budget, dx, in, filter, grad []T, p *Params) {
	clear(dx[:p.pixels()*p.C])
	dilate(run, in, filter, p, func(o, i, _ int, _ T) {
		if i >= 0 {
			dx[i] += grad[o]
		}
	})
}

func dilateFilter[T number](run *mem.Budget, dw, in, filter, grad []T, p *Params) {
	clear(dw[:p.KH*p.KW*p.C])
	dilate(run, in, filter, p, func(o, _, t int, _ T) {
		if t >= 0 {
			dw[t] += grad[o]
		}
	})
}
