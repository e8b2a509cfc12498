package conv

import "github.com/graphc/graphc/kernels/internal/panel"

// This file has the transforms in Go. They transform channels [from, to). The channels of an
// element of a plane, or of a copied pixel, are adjacent. The parameters plane, row and col are the
// distances in floats between planes, between rows of pixels and between pixels.
//
// winoRoot is √½.
const winoRoot float32 = 0.70710678118654752

// winoFilter transforms the taps [3][3][c][16] of a panel. For each of the c·16 filters g, it computes
// rows 0 to 2 of U = G·g·Gᵀ, or rows 3 to 5 if half is 1. These rows have 18 elements, one for each of
// the 18 planes [c][16] of dst.
func winoFilter(dst []float32, plane int, src []float32, c, half int) {
	for i := range c * panel.Width {
		var w [winoTaps][winoSide]float32 // [column][row]
		for j := range w {
			var g [winoTaps]float32
			for k := range g {
				g[k] = src[(k*winoTaps+j)*c*panel.Width+i]
			}
			w[j] = winoFilterLine(g)
		}
		for k := range winoTaps {
			row := half*winoTaps + k
			for j, v := range winoFilterLine([winoTaps]float32{w[0][row], w[1][row], w[2][row]}) {
				dst[(k*winoSide+j)*plane+i] = v
			}
		}
	}
}

// winoTaps is the number of a filter's taps in each direction.
const winoTaps = 3

// Elements of G: -2/3, -√2/3, 1/6 and √2/6.
const (
	winoThird, winoThirdRoot float32 = -0.66666666666666667, -0.47140452079103168
	winoSixth, winoSixthRoot float32 = 0.16666666666666667, 0.23570226039551584
)

// winoFilterLine is G·g.
func winoFilterLine(g [winoTaps]float32) [winoSide]float32 {
	s, t := winoThird*(g[0]+float32(0.5*g[2])), winoThirdRoot*g[1]
	u, v := winoSixth*(g[0]+float32(2*g[2])), winoSixthRoot*g[1]
	return [winoSide]float32{g[0], float32(s) + float32(t), float32(s) - float32(t), float32(u) + float32(v), float32(u) - float32(v), g[2]}
}

// winoIn writes V = Bᵀ·d·B for 6×6 pixels to an element of each plane.
func winoIn(dst []float32, plane int, src []float32, row, col, from, to int) {
	for c := from; c < to; c++ {
		var w [winoSide][winoSide]float32 // [column][row]
		for j := range winoSide {
			var d [winoSide]float32
			for i := range d {
				d[i] = src[i*row+j*col+c]
			}
			w[j] = winoInLine(d)
		}
		for i := range winoSide {
			r := winoInLine([winoSide]float32{w[0][i], w[1][i], w[2][i], w[3][i], w[4][i], w[5][i]})
			for j, v := range r {
				dst[(i*winoSide+j)*plane+c] = v
			}
		}
	}
}

// winoInLine is Bᵀ·d.
func winoInLine(d [winoSide]float32) [winoSide]float32 {
	u, p := d[4]-float32(2*d[2]), winoRoot*(d[3]-float32(2*d[1]))
	w, q := d[4]-float32(0.5*d[2]), 2*winoRoot*(d[3]-float32(0.5*d[1]))
	return [winoSide]float32{
		d[0] + d[4] - float32(2.5*d[2]), u + float32(p), u - float32(p), w + float32(q), w - float32(q), d[1] + d[5] - float32(2.5*d[3]),
	}
}

// winoOut writes Y = Aᵀ·M·A, plus the bias if there is one, to 4×4 adjacent pixels, for channels
// [from, to). A pixel of dst has channels [0, to).
func winoOut(dst, bias, src []float32, plane, from, to int) {
	for c := from; c < to; c++ {
		var w [winoSide][winoTile]float32 // [column][row]
		for j := range winoSide {
			var m [winoSide]float32
			for i := range m {
				m[i] = src[(i*winoSide+j)*plane+c]
			}
			w[j] = winoOutLine(m)
		}
		for i := range winoTile {
			r := winoOutLine([winoSide]float32{w[0][i], w[1][i], w[2][i], w[3][i], w[4][i], w[5][i]})
			for j, v := range r {
				if len(bias) != 0 {
					v += bias[c]
				}
				dst[(i*winoTile+j)*to+c] = v
			}
		}
	}
}

// winoOutLine is Aᵀ·m.
func winoOutLine(m [winoSide]float32) [winoTile]float32 {
	s, d := m[1]+m[2], m[1]-m[2]
	t, e := m[3]+m[4], m[3]-m[4]
	return [winoTile]float32{
		m[0] + (s + t), float32(winoRoot * (d + float32(2*e))), float32(0.5*s) + float32(2*t), m[5] + float32(winoRoot*(float32(0.5*d)+float32(4*e))),
	}
}
