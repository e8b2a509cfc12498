package conv

import (
	"math"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/internal/panel"
)

// Winograd's method F(4×4,3×3): a tile of 4×4 output pixels comes from 6×6 input pixels d and the
// filter g as Y = Aᵀ[(G·g·Gᵀ) ⊙ (Bᵀ·d·B)]A, with 36 products of matrices instead of 144 (Lavin and
// Gray, 2015). The interpolation points are 0, ±√½, ±√2 and ∞. With these points, the transforms
// have smaller elements and about half the error of those with the usual points 0, ±1 and ±2.
const (
	winoTile   = 4            // output pixels of a tile in each direction
	winoSide   = winoTile + 2 // input pixels
	winoPlanes = winoSide * winoSide
)

// WinogradOK reports whether WinogradF32 computes p: a 3×3, 5×5, 1×7 or 7×1 filter with
// strides, dilations and groups of 1.
func WinogradOK(p Params) bool {
	p.dense()
	return (p.KH == 3 && p.KW == 3 || winoFive(p.KH, p.KW) || winoRow(p.KH, p.KW)) && p.StrideH == 1 && p.StrideW == 1 && p.DilH == 1 && p.DilW == 1 && p.Groups == 1
}

// winoStored reports whether a filter of c input channels is stored transformed. A transformed 3×3
// filter is four times as large. If it does not stay in the cache, transforming the filter in each
// call is faster than reading the transformed one.
func winoStored(kh, kw, c int) bool { return c <= 64 || kh != 3 }

// WinogradPackedLen returns the number of floats that PackWinogradF32 writes for a filter
// [kh,kw,c,oc]. For a 3×3 filter with few input channels, it is four times PackedLen. For a 5×5
// filter it is nearly 3/2 of PackedLen, and for a 1×7 or 7×1 filter 8/7. Otherwise it equals
// PackedLen.
func WinogradPackedLen(kh, kw, c, oc int) int {
	switch {
	case winoRow(kh, kw):
		return winoRowSide * gemm.PackedLen(c, oc)
	case winoStored(kh, kw, c):
		return winoPlanes * gemm.PackedLen(c, oc)
	}
	return PackedLen(3, 3, c, oc, 1)
}

// PackWinogradF32 packs a filter [kh,kw,c,oc] for WinogradF32 in panels of 16 output
// channels, so that a range of output channels that begins with a panel is a range of the
// packed filter. Filters of 3×3 with few input channels, and filters of 5×5, are
// transformed in float64. Each of their 36 planes is packed as the right-hand side [c,oc]
// of a product: [ceil(oc/16)][36][c][16]. A filter of 7 taps is transformed to 8 planes in
// the same way. Other filters are packed as by PackF32.
func PackWinogradF32(dst, filter []float32, kh, kw, c, oc int) {
	switch {
	case winoRow(kh, kw):
		packWinoRow(dst, filter, c, oc)
		return
	case winoFive(kh, kw):
		packWinoFive(dst, filter, c, oc)
		return
	case !winoStored(kh, kw, c):
		PackF32(dst, filter, 3, 3, c, oc, 1)
		return
	}
	dst = dst[:WinogradPackedLen(kh, kw, c, oc)]
	clear(dst)
	a, b := math.Sqrt2/2, math.Sqrt2
	// transform returns G·v for a column v of three taps. The elements of G·v are the scaled values, at
	// the interpolation points, of the polynomial with the coefficients v.
	transform := func(v [3]float64) [winoSide]float64 {
		s, t, u := v[0]+v[2]/2, a*v[1], v[0]+v[2]*2
		return [winoSide]float64{v[0], (s + t) / -1.5, (s - t) / -1.5, (u + b*v[1]) / 6, (u - b*v[1]) / 6, v[2]}
	}
	for k := range c {
		for o := range oc {
			var g [3][winoSide]float64 // [filter column][transformed row]
			for j := range 3 {
				var v [3]float64
				for i := range 3 {
					v[i] = float64(filter[((i*3+j)*c+k)*oc+o])
				}
				g[j] = transform(v)
			}
			at := dst[(o/panel.Width*winoPlanes*c+k)*panel.Width+o%panel.Width:]
			for i := range winoSide {
				for j, v := range transform([3]float64{g[0][i], g[1][i], g[2][i]}) {
					at[(i*winoSide+j)*c*panel.Width] = float32(v)
				}
			}
		}
	}
}

// winoFloats bounds the transformed tiles and products in scratch, which should stay in the
// second-level cache.
const winoFloats = 6 << 16

// winoWidth returns the number of output channels that are multiplied at once. If the filter is not
// stored transformed, scratch also holds half of the transformed filter for these channels.
func (p *Params) winoWidth() int {
	switch {
	case p.KH == 3 && winoStored(p.KH, p.KW, p.C):
		return 128
	case p.C <= 128 || winoRow(p.KH, p.KW):
		return 64
	case p.C <= 288:
		return 32
	}
	return 16
}

// wino describes how a convolution is split into blocks of tiles.
type wino struct {
	planes       int
	height, wide int // height and width of a tile, in pixels
	across, down int // tiles of an image in each direction
	tiles        int // largest number of tiles of a block
	width        int // number of output channels that are multiplied together
	ldv, ldm     int // floats between the planes of a tile's transformed input, and between those of its products
}

// spaced returns a row length of at least n that spreads adjacent rows over many cache sets. The 36
// rows of a tile, one for each plane, are adjacent, so a transform touches few pages.
func spaced(n int) int {
	n = (n + panel.Width - 1) / panel.Width * panel.Width
	if n%128 == 0 {
		n += panel.Width
	}
	return n
}

func (p *Params) wino() wino {
	w := wino{planes: winoPlanes, height: winoTile, wide: winoTile}
	if winoFive(p.KH, p.KW) {
		w.height, w.wide = winoFiveTile, winoFiveTile
	}
	if winoRow(p.KH, p.KW) {
		w.planes, w.height, w.wide = winoRowSide, 1, winoRowTile
		if p.KH > 1 {
			w.height, w.wide = winoRowTile, 1
		}
	}
	w.across, w.down = (p.OW+w.wide-1)/w.wide, (p.OH+w.height-1)/w.height
	w.width = min(p.winoWidth(), (p.OC+panel.Width-1)/panel.Width*panel.Width)
	w.ldv, w.ldm = spaced(p.C), spaced(w.width)
	rows := min(p.N*w.down, atMost(p.Rows, p.N*p.OH))
	// The number of tiles does not depend on OC: a call for a part of the output channels must not
	// need more scratch than a call for all.
	w.tiles = min(max(winoFloats/(w.planes*(w.ldv+spaced(p.winoWidth()))), 8), rows*w.across)
	return w
}

// winoFilter returns the number of floats of scratch for the transformed filter. The number is 0 if the
// filter is stored transformed.
func (p *Params) winoFilter(w *wino) int {
	if winoStored(p.KH, p.KW, p.C) {
		return 0
	}
	return winoHalf * winoFilterPlane(p.C) * w.width / panel.Width
}

// winoHalf is the number of planes of the transformed filter that are computed at once.
// winoFilterPlane returns the number of floats between the planes of a panel. This number is chosen so
// that the planes do not all begin in the same cache set.
const winoHalf = winoPlanes / 2

func winoFilterPlane(c int) int { return (c + 1) * panel.Width }

// patch returns the number of floats for a copy of a tile's pixels, either of the input or of the
// output.
func (w *wino) patch(p *Params) int { return max(w.planes*p.C, w.height*w.wide*p.OC) }

// WinogradScratchLen returns the number of floats of scratch that WinogradF32 needs for p.
func WinogradScratchLen(p Params) int {
	p.dense()
	if p.empty() || p.C <= 0 {
		return 0
	}
	w := p.wino()
	return w.tiles*w.planes*(w.ldv+w.ldm) + w.patch(&p) + p.winoFilter(&w)
}

// WinogradF32 is F32 for the convolutions for which WinogradOK is true, with a filter packed by
// PackWinogradF32 and WinogradScratchLen(p) floats of scratch. It panics for other convolutions.
// out and p are as in F32.
//
// Tiles are on the image's own grid and each is computed in the same way, so that the
// results of a range of rows equal those of the whole.
//
// The error is a few times that of a direct sum. It is proportional to the largest products of a
// tile, even for output pixels with small values. If an input or a weight is infinite or NaN, all output
// pixels of the tiles that read this number become NaN. In F32, such an input changes only the pixels
// whose windows contain it. A tile reads 6×6 input pixels for 4×4 output pixels (3×3 filter) or 2×2
// output pixels (5×5 filter). With 7 taps, a tile reads 8 input pixels for 2 output pixels. Finite inputs
// above 10³⁷ may overflow.
func WinogradF32(out, in, filter, scratch []float32, p Params) {
	p.dense()
	if !WinogradOK(p) {
		panic("conv: not a convolution for Winograd's method")
	}
	if p.empty() {
		return
	}
	if p.C <= 0 {
		F32(out, nil, nil, nil, p)
		return
	}
	first, last := rowRange(p.First, p.Rows, p.N*p.OH)
	pixels := (last - first) * p.OW
	if len(out) < (pixels-1)*p.LdOut+p.OC || len(in) < (p.N*p.H*p.W-1)*p.LdIn+p.C || len(filter) < WinogradPackedLen(p.KH, p.KW, p.C, p.OC) ||
		len(p.Bias) != 0 && len(p.Bias) < p.OC || len(p.Res) != 0 && len(p.Res) < (pixels-1)*p.LdRes+p.OC ||
		p.LdIn < p.C || p.LdOut < p.OC || p.LdRes < p.OC {
		panic("conv: operand too short")
	}
	w := p.wino()
	// row returns the row of tiles that contains output row r. Both are counted over all images.
	row := func(r int) int { return r/p.OH*w.down + r%p.OH/w.height }
	t0, t1 := row(first)*w.across, (row(last-1)+1)*w.across
	blocks := (t1 - t0 + w.tiles - 1) / w.tiles
	w.tiles = (t1 - t0 + blocks - 1) / blocks
	v := winoStep{p: p, w: w, first: first, last: last}
	vTile, mTile := w.planes*w.ldv, w.planes*w.ldm
	v.v, scratch = scratch[:w.tiles*vTile], scratch[w.tiles*vTile:]
	v.m, scratch = scratch[:w.tiles*mTile], scratch[w.tiles*mTile:]
	v.patch, scratch = scratch[:w.patch(&p)], scratch[w.patch(&p):]
	u := scratch[:p.winoFilter(&w)]
	plane := p.C * panel.Width
	blk := panel.Block{K: p.C, Segs: 1, Planes: 1, PanelStep: w.planes * plane, Lda: vTile, Ldc: mTile, Lo: panel.Unclamped, Hi: -panel.Unclamped}
	for ; t0 < t1; t0 += blk.M {
		blk.M = min(w.tiles, t1-t0)
		for t := range blk.M {
			if w.planes == winoRowSide {
				v.rowInput(t0+t, v.v[t*vTile:], w.ldv, in)
			} else {
				v.input(t0+t, v.v[t*vTile:], w.ldv, in)
			}
		}
		for o := 0; o < p.OC; o += w.width {
			blk.N = min(w.width, p.OC-o)
			if winoStored(p.KH, p.KW, p.C) {
				for i := range w.planes {
					panel.Run(v.m[i*w.ldm:], v.v[i*w.ldv:], filter[o*w.planes*p.C+i*plane:], nil, nil, blk)
				}
			} else {
				v.products(filter[o*9*p.C:], u, blk)
			}
			for t := range blk.M {
				dst, b, r := out[o:], panel.From(p.Bias, o), panel.From(p.Res, o)
				if w.planes == winoRowSide {
					v.rowOutput(t0+t, v.m[t*mTile:], w.ldm, dst, b, r, blk.N)
				} else {
					v.output(t0+t, v.m[t*mTile:], w.ldm, dst, b, r, blk.N)
				}
			}
		}
	}
}

// products multiplies a block of tiles by a filter that is not stored transformed.
func (s *winoStep) products(filter, u []float32, blk panel.Block) {
	c, plane := s.p.C, winoFilterPlane(s.p.C)
	blk.PanelStep = winoHalf * plane
	for half := range 2 {
		for j := 0; j < blk.N; j += panel.Width {
			dst, src := u[j/panel.Width*winoHalf*plane:], filter[j*9*c:]
			if !winoFilterSIMD(dst, plane, src, c, half) {
				winoFilter(dst, plane, src, c, half)
			}
		}
		for i := range winoHalf {
			at := half*winoHalf + i
			panel.Run(s.m[at*s.w.ldm:], s.v[at*s.w.ldv:], u[i*plane:], nil, nil, blk)
		}
	}
}

// winoStep is the state of a call of WinogradF32.
type winoStep struct {
	p           Params
	w           wino
	v, m, patch []float32
	first, last int // rows
}

// at returns the image n of a tile, and the row y and column x of the tile's first output pixel.
func (s *winoStep) at(tile int) (n, y, x int) {
	row := tile / s.w.across
	return row / s.w.down, row % s.w.down * s.w.height, tile % s.w.across * s.w.wide
}

// input transforms the 6×6 input pixels of a tile. It writes one element, of C adjacent channels,
// to each plane of dst.
func (s *winoStep) input(tile int, dst []float32, plane int, in []float32) {
	p := &s.p
	n, y, x := s.at(tile)
	y, x = y-p.PadTop, x-p.PadLeft
	// Rows [y0, y1) and columns [x0, x1) of the tile are inside the image.
	y0, y1 := clip(0, 1, -y, 1, winoSide, p.H)
	x0, x1 := clip(0, 1, -x, 1, winoSide, p.W)
	base := ((n*p.H+y)*p.W + x) * p.LdIn
	whole := y0 == 0 && x0 == 0 && y1 == winoSide && x1 == winoSide
	done := winoInSIMD(dst, plane, in, base, p.W*p.LdIn, p.LdIn, p.C, y0, y1, x0, x1)
	if done == p.C {
		return
	}
	if whole {
		winoIn(dst, plane, in[base:], p.W*p.LdIn, p.LdIn, done, p.C)
		return
	}
	// Copy the tile. Pixels outside the image become zero.
	clear(s.patch[:winoPlanes*p.C])
	for i := y0; i < y1; i++ {
		for j := x0; j < x1; j++ {
			copy(s.patch[(i*winoSide+j)*p.C:][:p.C], in[base+(i*p.W+j)*p.LdIn:])
		}
	}
	done = winoInSIMD(dst, plane, s.patch, 0, winoSide*p.C, p.C, p.C, 0, winoSide, 0, winoSide)
	winoIn(dst, plane, s.patch, winoSide*p.C, p.C, done, p.C)
}

// output transforms c channels of a tile's products to output pixels and writes those in the
// selected rows. src has one element of the products in each plane.
func (s *winoStep) output(tile int, src []float32, plane int, out, bias, res []float32, c int) {
	p := &s.p
	n, y, x := s.at(tile)
	row := n*p.OH + y - s.first
	y0, y1 := max(-row, 0), min(s.w.height, p.OH-y, s.last-s.first-row)
	x1 := min(s.w.wide, p.OW-x)
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	px := row*p.OW + x
	if s.w.wide == winoFiveTile {
		s.fiveOutput(out, bias, res, src, plane, c, px, y0, y1, x1)
		return
	}
	done := winoOutSIMD(out, px*p.LdOut, p.OW*p.LdOut, p.LdOut, bias, res, px*p.LdRes, p.OW*p.LdRes, p.LdRes, src, plane, c, y0, y1, x1, lo, hi)
	if done == c {
		return
	}
	// Compute all pixels in a copy, then store the selected ones.
	tmp := s.patch[:winoTile*winoTile*c]
	made := done
	if made == 0 {
		made = winoOutSIMD(tmp, 0, winoTile*c, c, bias, nil, 0, 0, 0, src, plane, c, 0, winoTile, winoTile, panel.Unclamped, -panel.Unclamped)
	}
	winoOut(tmp, bias, src, plane, made, c)
	s.store(out, tmp, res, px, y0, y1, x1, done, c)
}

// store copies the selected pixels of a tile from tmp to out, where the first of the tile's pixels is
// pixel px. It copies only channels [done, c). It adds res and applies the activation.
func (s *winoStep) store(out, tmp, res []float32, px, y0, y1, x1, done, c int) {
	p := &s.p
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	for i := y0; i < y1; i++ {
		for j := range x1 {
			v := tmp[(i*s.w.wide+j)*c:][:c]
			d := out[(px+i*p.OW+j)*p.LdOut:][:c]
			var r []float32
			if len(res) != 0 {
				r = res[(px+i*p.OW+j)*p.LdRes:][:c]
			}
			for k := done; k < c; k++ {
				y := v[k]
				if r != nil {
					y += r[k]
				}
				d[k] = clamp(y, lo, hi)
			}
		}
	}
}
