// Package volume holds three-dimensional convolution and pooling over NDHWC tensors, with their
// gradients. Two-dimensional images are treated as volumes of depth 1.
package volume

import "github.com/graphc/graphc/rt/mem"

// Params describes how windows of KD×KH×KW pixels move over an input of the shape [N, D, H, W, C].
// There are OD×OH×OW windows in each of the N volumes. SD, SH and SW are the strides of the
// windows, and PD, PH and PW are the padding. Along a dimension, window o begins at o·stride −
// padding. The parts of windows outside the input are ignored.
type Params struct {
	N, D, H, W, C    int
	KD, KH, KW       int
	OD, OH, OW, OC   int // OC is the number of output channels of a convolution
	SD, SH, SW       int
	PD, PH, PW       int
	DilD, DilH, DilW int // 0 means 1
	Groups           int // channel multiplier, used only by DepthwiseFilter and DepthwiseInput
}

type sum interface{ float32 | float64 }

func dil(d int) int { return max(d, 1) }

// taps calls f for every tap of every window. A tap is an element of a window that is inside the
// input. The arguments of f are the number of the pixel in the input, the number of the window, and
// the number of the tap in the window. The approximate cost of a call of f in nanoseconds is given
// by the parameter each.
func (p *Params) taps(run *mem.Budget, each int, f func(in, out, tap int)) {
	if p.pixels() == 0 || p.positions() == 0 || p.C == 0 {
		return
	}
	call := run.Call()
	row := mem.Mul(p.KW, 1+each)
	dd, dh, dw := dil(p.DilD), dil(p.DilH), dil(p.DilW)
	out := 0
	for n := range p.N {
		for z := range p.OD {
			for y := range p.OH {
				for x := range p.OW {
					tap := 0
					for i := range p.KD {
						iz := z*p.SD - p.PD + i*dd
						for j := range p.KH {
							iy := y*p.SH - p.PH + j*dh
							call.Work(row)
							for k := range p.KW {
								ix := x*p.SW - p.PW + k*dw
								if uint(iz) < uint(p.D) && uint(iy) < uint(p.H) && uint(ix) < uint(p.W) {
									f(((n*p.D+iz)*p.H+iy)*p.W+ix, out, tap)
								}
								tap++
							}
						}
					}
					out++
				}
			}
		}
	}
}

func (p *Params) pixels() int    { return p.N * p.D * p.H * p.W }
func (p *Params) positions() int { return p.N * p.OD * p.OH * p.OW }

func forward[T number](run *mem.Budget, out, in, filter []T, p *Params) {
	clear(out[:p.positions()*p.OC])
	p.taps(run, p.C*p.OC, func(i, o, t int) {
		dst := out[o*p.OC:][:p.OC]
		w := filter[t*p.C*p.OC:][:p.C*p.OC]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			axpy(dst, w[c*p.OC:][:len(dst)], v)
		}
	})
}

// axpy computes dst += x*v.
func axpy[T number](dst, x []T, v T) {
	x = x[:len(dst)]
	for i := range dst {
		dst[i] += T(x[i] * v)
	}
}

func backInput[T sum](run *mem.Budget, in, grad, filter []T, p *Params) {
	clear(in[:p.pixels()*p.C])
	p.taps(run, p.C*p.OC, func(i, o, t int) {
		g := grad[o*p.OC:][:p.OC]
		w := filter[t*p.C*p.OC:][:p.C*p.OC]
		dst := in[i*p.C : (i+1)*p.C]
		for c := range dst {
			var s T
			for k, v := range w[c*p.OC:][:len(g)] {
				s += T(v * g[k])
			}
			dst[c] += s
		}
	})
}

func backFilter[T sum](run *mem.Budget, filter, in, grad []T, p *Params) {
	clear(filter[:p.KD*p.KH*p.KW*p.C*p.OC])
	p.taps(run, p.C*p.OC, func(i, o, t int) {
		g := grad[o*p.OC:][:p.OC]
		w := filter[t*p.C*p.OC:][:p.C*p.OC]
		for c, v := range in[i*p.C : (i+1)*p.C] {
			axpy(w[c*p.OC:][:len(g)], g, v)
		}
	})
}

func depthwiseFilter[T sum](run *mem.Budget, filter, in, grad []T, p *Params) {
	m := p.Groups
	clear(filter[:p.KD*p.KH*p.KW*p.C*m])
	p.taps(run, p.C*m, func(i, o, t int) {
		for c, v := range in[i*p.C : (i+1)*p.C] {
			axpy(filter[(t*p.C+c)*m:][:m], grad[(o*p.C+c)*m:], v)
		}
	})
}

func depthwiseInput[T sum](run *mem.Budget, in, grad, filter []T, p *Params) {
	m := p.Groups
	clear(in[:p.pixels()*p.C])
	p.taps(run, p.C*m, func(i, o, t int) {
		for c := range p.C {
			g, w := grad[(o*p.C+c)*m:][:m], filter[(t*p.C+c)*m:][:m]
			var s T
			for k, v := range g {
				s += T(v * w[k])
			}
			in[i*p.C+c] += s
		}
	})
}
