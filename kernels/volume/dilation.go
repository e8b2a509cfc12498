package volume

import "math"

// dilate calls f for every output element with the offsets of the input and
// filter elements whose sum is largest, the first of equals; -1 where the window is empty.
// The window's taps are DilH and DilW apart; D, KD and OD are 1.
func dilate[T sum](in, filter []T, p *Params, f func(out, in, tap int, v T)) {
	dh, dw := dil(p.DilH), dil(p.DilW)
	for o := range p.positions() {
		n, y, x := o/(p.OH*p.OW), o/p.OW%p.OH, o%p.OW
		for c := range p.C {
			best, at, tap := T(math.Inf(-1)), -1, -1
			for i := range p.KH {
				iy := y*p.SH - p.PH + i*dh
				if uint(iy) >= uint(p.H) {
					continue
				}
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

// DilateF32 is Dilation2D: out[n,y,x,c] = max over the taps of in + filter[KH,KW,C].
func DilateF32(out, in, filter []float32, p Params) {
	dilate(in, filter, &p, func(o, i, _ int, v float32) {
		if i < 0 {
			v = -math.MaxFloat32
		}
		out[o] = v
	})
}

// DilateF64 is DilateF32 for f64.
func DilateF64(out, in, filter []float64, p Params) {
	dilate(in, filter, &p, func(o, i, _ int, v float64) {
		if i < 0 {
			v = -math.MaxFloat64
		}
		out[o] = v
	})
}

func dilateInput[T sum](dx, in, filter, grad []T, p *Params) {
	clear(dx[:p.pixels()*p.C])
	dilate(in, filter, p, func(o, i, _ int, _ T) {
		if i >= 0 {
			dx[i] += grad[o]
		}
	})
}

// DilateInputF32 is the gradient of DilateF32 with respect to in.
func DilateInputF32(dx, in, filter, grad []float32, p Params) { dilateInput(dx, in, filter, grad, &p) }

// DilateInputF64 is DilateInputF32 for f64.
func DilateInputF64(dx, in, filter, grad []float64, p Params) { dilateInput(dx, in, filter, grad, &p) }

func dilateFilter[T sum](dw, in, filter, grad []T, p *Params) {
	clear(dw[:p.KH*p.KW*p.C])
	dilate(in, filter, p, func(o, _, t int, _ T) {
		if t >= 0 {
			dw[t] += grad[o]
		}
	})
}

// DilateFilterF32 is the gradient of DilateF32 with respect to filter.
func DilateFilterF32(dw, in, filter, grad []float32, p Params) {
	dilateFilter(dw, in, filter, grad, &p)
}

// DilateFilterF64 is DilateFilterF32 for f64.
func DilateFilterF64(dw, in, filter, grad []float64, p Params) {
	dilateFilter(dw, in, filter, grad, &p)
}
