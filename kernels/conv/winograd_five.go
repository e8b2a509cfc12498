package conv

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/panel"
)

// Filters of 5×5 are computed by F(2×2,5×5). Its interpolation points and its transform of 6×6
// input pixels are the same as those of F(4×4,3×3).
const (
	winoFiveTaps = 5
	winoFiveTile = 2
)

func winoFive(kh, kw int) bool { return kh == winoFiveTaps && kw == winoFiveTaps }

// packWinoFive transforms a filter [5,5,c,oc] and packs it as [ceil(oc/16)][36][c][16].
func packWinoFive(dst, filter []float32, c, oc int) {
	dst = dst[:WinogradPackedLen(winoFiveTaps, winoFiveTaps, c, oc)]
	clear(dst)
	// transform returns G·v for a column v of taps. The elements of G·v are the scaled values, at the
	// interpolation points, of the polynomial with the coefficients v.
	a := math.Sqrt2 / 2
	transform := func(v [winoFiveTaps]float64) [winoSide]float64 {
		s, t := v[0]+v[2]/2+v[4]/4, float64(a*(v[1]+v[3]/2))
		u, w := v[0]+v[2]*2+v[4]*4, float64(2*a*(v[1]+v[3]*2))
		return [winoSide]float64{v[0], (s + t) / -1.5, (s - t) / -1.5, (u + w) / 6, (u - w) / 6, v[4]}
	}
	for k := range c {
		for o := range oc {
			var g [winoFiveTaps][winoSide]float64 // [filter column][transformed row]
			for j := range g {
				var v [winoFiveTaps]float64
				for i := range v {
					v[i] = float64(filter[((i*winoFiveTaps+j)*c+k)*oc+o])
				}
				g[j] = transform(v)
			}
			at := dst[(o/panel.Width*winoPlanes*c+k)*panel.Width+o%panel.Width:]
			for i := range winoSide {
				for j, v := range transform([winoFiveTaps]float64{g[0][i], g[1][i], g[2][i], g[3][i], g[4][i]}) {
					at[(i*winoSide+j)*c*panel.Width] = float32(v)
				}
			}
		}
	}
}

// fiveOutput does the work of the method output for tiles of 2×2 pixels. px is the number of the tile's
// first pixel in out.
func (s *winoStep) fiveOutput(out, bias, res, src []float32, plane, c, px, y0, y1, x1 int) {
	p := &s.p
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	done := winoFiveOutSIMD(out, px*p.LdOut, p.OW*p.LdOut, p.LdOut, bias, res, px*p.LdRes, p.OW*p.LdRes, p.LdRes, src, plane, c, y0, y1, x1, lo, hi)
	if done == c {
		return
	}
	// Compute all pixels of the tile in a copy, then store the selected ones.
	tmp := s.patch[:winoFiveTile*winoFiveTile*c]
	made := done
	if made == 0 {
		made = winoFiveOutSIMD(tmp, 0, winoFiveTile*c, c, bias, nil, 0, 0, 0, src, plane, c, 0, winoFiveTile, winoFiveTile, panel.Unclamped, -panel.Unclamped)
	}
	winoFiveOut(tmp, bias, src, plane, made, c)
	s.store(out, tmp, res, px, y0, y1, x1, done, c)
}

// winoFiveOut writes Y = Aᵀ·M·A, plus the bias if there is one, to 2×2 adjacent pixels, for
// channels [from, to). A pixel of dst has channels [0, to).
func winoFiveOut(dst, bias, src []float32, plane, from, to int) {
	for c := from; c < to; c++ {
		var w [winoSide][winoFiveTile]float32 // [column][row]
		for j := range winoSide {
			var m [winoSide]float32
			for i := range m {
				m[i] = src[(i*winoSide+j)*plane+c]
			}
			w[j] = winoFiveOutLine(m)
		}
		for i := range winoFiveTile {
			r := winoFiveOutLine([winoSide]float32{w[0][i], w[1][i], w[2][i], w[3][i], w[4][i], w[5][i]})
			for j, v := range r {
				if len(bias) != 0 {
					v += bias[c]
				}
				dst[(i*winoFiveTile+j)*to+c] = v
			}
		}
	}
}

// winoFiveOutLine is Aᵀ·m.
func winoFiveOutLine(m [winoSide]float32) [winoFiveTile]float32 {
	return [winoFiveTile]float32{
		m[0] + (m[1] + m[2]) + (m[3] + m[4]),
		m[5] + float32(winoRoot*((m[1]-m[2])+float32(2*(m[3]-m[4])))),
	}
}
