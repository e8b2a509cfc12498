package conv

import "github.com/graphc/graphc/kernels/internal/panel"

// Filters of one row or column of 7 taps are computed by F(2,7): 2 output pixels of a row or column
// from 8 input pixels. The interpolation points are 0, ±½, ±1, ±2 and ∞. The elements of the
// input's and the output's transforms are exact in f32.
const (
	winoRowTaps = 7
	winoRowTile = 2
	winoRowSide = winoRowTile + winoRowTaps - 1
)

func winoRow(kh, kw int) bool { return kh == 1 && kw == winoRowTaps || kh == winoRowTaps && kw == 1 }

// packWinoRow transforms a filter [7,c,oc] and packs it as [ceil(oc/16)][8][c][16].
func packWinoRow(dst, filter []float32, c, oc int) {
	dst = dst[:WinogradPackedLen(1, winoRowTaps, c, oc)]
	clear(dst)
	points := [winoRowSide - 1]float64{0, 0.5, -0.5, 1, -1, 2, -2}
	for k := range c {
		for o := range oc {
			at := dst[(o/panel.Width*winoRowSide*c+k)*panel.Width+o%panel.Width:]
			for i, p := range points {
				norm := 1.0
				for _, q := range points {
					if q != p {
						norm *= p - q
					}
				}
				// v is the value, at the point p, of the polynomial whose coefficients are the taps.
				v := 0.0
				for t := winoRowTaps - 1; t >= 0; t-- {
					v = float64(v*p) + float64(filter[(t*c+k)*oc+o])
				}
				at[i*c*panel.Width] = float32(v / norm)
			}
			at[(winoRowSide-1)*c*panel.Width] = filter[((winoRowTaps-1)*c+k)*oc+o]
		}
	}
}

// steps returns the number of floats between the pixels of a tile, in an image with rows of w
// pixels that are ld floats apart.
func (s *winoStep) steps(w, ld int) int {
	if s.p.KH > 1 {
		return w * ld
	}
	return ld
}

// rowInput transforms a tile's 8 pixels to an element of each plane of dst.
func (s *winoStep) rowInput(tile int, dst []float32, plane int, in []float32) {
	p := &s.p
	n, y, x := s.at(tile)
	y, x = y-p.PadTop, x-p.PadLeft
	step, base := s.steps(p.W, p.LdIn), ((n*p.H+y)*p.W+x)*p.LdIn
	// Find the tile's pixels [from, to) that are inside the image.
	along, size, across, most := x, p.W, y, p.H
	if p.KH > 1 {
		along, size, across, most = y, p.H, x, p.W
	}
	from, to := clip(0, 1, -along, 1, winoRowSide, size)
	if across < 0 || across >= most {
		from, to = 0, 0
	}
	done := winoRowInSIMD(dst, plane, in, base, step, p.C, from, to)
	if done == p.C {
		return
	}
	if from == 0 && to == winoRowSide {
		winoRowIn(dst, plane, in[base:], step, done, p.C)
		return
	}
	// Copy the tile. Pixels outside the image become zero.
	clear(s.patch[:winoRowSide*p.C])
	for i := from; i < to; i++ {
		copy(s.patch[i*p.C:][:p.C], in[base+i*step:])
	}
	done = winoRowInSIMD(dst, plane, s.patch, 0, p.C, p.C, 0, winoRowSide)
	winoRowIn(dst, plane, s.patch, p.C, done, p.C)
}

// rowOutput transforms c channels of a tile's products and writes those of the tile's 2 pixels that
// are selected.
func (s *winoStep) rowOutput(tile int, src []float32, plane int, out, bias, res []float32, c int) {
	p := &s.p
	n, y, x := s.at(tile)
	row := n*p.OH + y - s.first
	y0, y1 := max(-row, 0), min(s.w.height, p.OH-y, s.last-s.first-row)
	x1 := min(s.w.wide, p.OW-x)
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	px := row*p.OW + x
	from, to := 0, x1
	if p.KH > 1 {
		from, to = y0, y1
	}
	done := winoRowOutSIMD(out, px*p.LdOut, s.steps(p.OW, p.LdOut), bias, res, px*p.LdRes, s.steps(p.OW, p.LdRes), src, plane, c, from, to, lo, hi)
	if done == c {
		return
	}
	// Compute both pixels in a copy, then store the selected ones.
	tmp := s.patch[:winoRowTile*c]
	made := done
	if made == 0 {
		made = winoRowOutSIMD(tmp, 0, c, bias, nil, 0, 0, src, plane, c, 0, winoRowTile, panel.Unclamped, -panel.Unclamped)
	}
	winoRowOut(tmp, bias, src, plane, made, c)
	s.store(out, tmp, res, px, y0, y1, x1, done, c)
}

// winoRowIn writes V = Bᵀ·d for 8 pixels to an element of each plane, for channels [from, to).
func winoRowIn(dst []float32, plane int, src []float32, step, from, to int) {
	for c := from; c < to; c++ {
		var d [winoRowSide]float32
		for i := range d {
			d[i] = src[i*step+c]
		}
		dst[c] = d[6] - d[0] - float32(5.25*d[4]) + float32(5.25*d[2])
		dst[7*plane+c] = d[7] - d[1] - float32(5.25*d[5]) + float32(5.25*d[3])
		// For the point p = k[0], the result is x·(x + p)·(x⁴ - k[1]·x² + k[2]) with d[i] in place of xⁱ.
		// The zeros of this polynomial are the finite points other than p. even and odd are the sums of
		// its even and odd powers. For the point -p, odd changes its sign.
		for i, k := range [3][3]float32{{0.5, 5, 4}, {1, 4.25, 1}, {2, 1.25, 0.25}} {
			even := d[6] - float32(k[1]*d[4]) + float32(k[2]*d[2])
			odd := k[0] * (d[5] - float32(k[1]*d[3]) + float32(k[2]*d[1]))
			dst[(1+2*i)*plane+c], dst[(2+2*i)*plane+c] = even+float32(odd), even-float32(odd)
		}
	}
}

// winoRowOut writes Y = Aᵀ·m, plus the bias if there is one, to 2 adjacent pixels, for channels
// [from, to). A pixel of dst has channels [0, to).
func winoRowOut(dst, bias, src []float32, plane, from, to int) {
	for c := from; c < to; c++ {
		var m [winoRowSide]float32
		for i := range m {
			m[i] = src[i*plane+c]
		}
		y0 := m[0] + m[1] + m[2] + m[3] + m[4] + m[5] + m[6]
		y1 := m[7] + float32(0.5*(m[1]-m[2])) + (m[3] - m[4]) + float32(2*(m[5]-m[6]))
		if len(bias) != 0 {
			y0, y1 = y0+bias[c], y1+bias[c]
		}
		dst[c], dst[to+c] = y0, y1
	}
}
