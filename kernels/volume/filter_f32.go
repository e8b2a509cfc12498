package volume

import (
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/internal/panel"
)

// chunk describes how many rows of a slice of the result are processed together, and how the slice's input is
// stored for them: transposed, so that the pixels of a channel are adjacent. A product of matrices then sums
// over pixels.
type chunk struct {
	rows  int // rows of the result
	lines int // rows of the input
	wide  int // pixels of a row of the input for one of the SW first columns
}

// chunkFloats bounds both operands of these products, so that they stay in the second-level cache.
const chunkFloats = 1 << 16

func (p *ConvParams) chunk() chunk {
	c := chunk{rows: 1, wide: p.OW + (p.KW-1)*dil(p.DilW)/p.SW}
	span := (p.KH-1)*dil(p.DilH) + 1
	c.lines = span
	if most := chunkFloats / max(gemm.PackedLen(p.OW, p.OC), p.SH*p.SW*c.wide*p.C, 1); most > 1 {
		c.rows = min(most, p.OH)
		c.lines = (c.rows-1)*p.SH + span
	}
	return c
}

// noFilter reports whether no pixel of the result depends on the filter, or there is no filter.
func (p *ConvParams) noFilter() bool {
	return p.N <= 0 || p.OD <= 0 || p.OH <= 0 || p.OW <= 0 || p.D <= 0 || p.H <= 0 || p.W <= 0
}

// FilterScratchLen returns the number of floats of scratch that SumFilterF32 needs for p. It does not depend
// on N, D, H, W, OD, First and Rows.
func FilterScratchLen(p ConvParams) int {
	if p.OH <= 0 || p.OW <= 0 || p.C <= 0 || p.OC <= 0 || p.KH <= 0 || p.KW <= 0 {
		return 0
	}
	c := p.chunk()
	return p.C*c.lines*p.SW*c.wide + gemm.PackedLen(c.rows*p.OW, p.OC)
}

// SumFilterF32 writes the gradient of a convolution's filter, for the input in[N,D,H,W,C] and the gradient
// grad[N,OD,OH,OW,OC] of the result:
//
//	filter[i,j,k,c,o] = Σ_{n,z,y,x} in[n, z*SD-PD+i*DilD, y*SH-PH+j*DilH, x*SW-PW+k*DilW, c] * grad[n,z,y,x,o]
//
// First and Rows count the KD*KH*KW taps of the filter. scratch has FilterScratchLen(p) floats. filter overlaps
// nothing. Act and Bias are not used. Pixels outside the input count as zeros, so an infinite gradient may give
// NaN there.
func SumFilterF32(filter, in, grad, scratch []float32, p ConvParams) {
	first, last := p.selected(p.KD * p.KH * p.KW)
	size := max(p.C, 0) * max(p.OC, 0)
	if last <= first || size == 0 {
		return
	}
	filter = filter[:(last-first)*size]
	clear(filter)
	if p.noFilter() {
		return
	}
	c := p.chunk()
	line := p.SW * c.wide
	turned, packed := scratch[:p.C*c.lines*line], scratch[p.C*c.lines*line:]
	plane := p.KH * p.KW
	for at := range p.N * p.OD {
		n, z := at/p.OD, at%p.OD
		for y := 0; y < p.OH; y += c.rows {
			rows := min(c.rows, p.OH-y)
			k := rows * p.OW
			done := false
			for i := first / plane; i*plane < last; i++ {
				from := z*p.SD - p.PD + i*dil(p.DilD)
				if from < 0 || from >= p.D {
					continue
				}
				if !done {
					gemm.PackF32(packed[:gemm.PackedLen(k, p.OC)], grad[(at*p.OH+y)*p.OW*p.OC:], k, p.OC, false)
					done = true
				}
				p.turn(turned, in[(n*p.D+from)*p.H*p.W*p.C:], &c, y*p.SH-p.PH)
				for t := max(first, i*plane); t < min(last, (i+1)*plane); t++ {
					j, x := t%plane/p.KW, t%p.KW*dil(p.DilW)
					dst := filter[(t-first)*size:][:size]
					panel.Run(dst, turned[j*dil(p.DilH)*line+x%p.SW*c.wide+x/p.SW:], packed, nil, dst, panel.Block{
						M: p.C, N: p.OC, K: p.OW, Segs: 1, Planes: rows, PlaneStep: p.SH * line, PanelStep: k * panel.Width,
						Lda: c.lines * line, Ldc: p.OC, Ldr: p.OC, Lo: panel.Unclamped, Hi: -panel.Unclamped,
					})
				}
			}
		}
	}
}

// turn writes the rows of a slice from row top on, transposed: dst[c][line][s][x] is the pixel at column
// x*SW+s-PW. Pixels outside the slice become zero.
func (p *ConvParams) turn(dst, in []float32, c *chunk, top int) {
	clear(dst)
	line := p.SW * c.wide
	for l := range c.lines {
		if uint(top+l) >= uint(p.H) {
			continue
		}
		row := in[(top+l)*p.W*p.C:][:p.W*p.C]
		for s := range p.SW {
			// The columns of this phase that are inside the slice.
			x0 := max((p.PW-s+p.SW-1)/p.SW, 0)
			x1 := min((p.W+p.PW-s+p.SW-1)/p.SW, c.wide)
			out := dst[l*line+s*c.wide:]
			for x := x0; x < x1; x++ {
				pixel := row[(x*p.SW+s-p.PW)*p.C:][:p.C]
				for ch, v := range pixel {
					out[ch*c.lines*line+x] = v
				}
			}
		}
	}
}
