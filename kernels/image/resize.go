// Package image holds TensorFlow's image ops over NHWC tensors: resizing,
// cropping, projective transforms and colours.
package image

import (
	"math"
)

// ResizeParams describes the resizing of in[N,H,W,C] to out[N,OH,OW,C]. To divide the rows among
// threads, set First and Rows. The results have the same bits for any division.
type ResizeParams struct {
	N, H, W, C, OH, OW int
	// First is the number of the first output row to compute, and Rows is the number of rows. There are
	// N*OH output rows in all. Row 0 of the argument out is output row First. If both are 0, all rows
	// are computed.
	First, Rows  int
	AlignCorners bool // whether the centres of the corner pixels of input and output coincide
	HalfPixel    bool // whether the centre of pixel i is at i+1/2 instead of i
}

// scale returns the distance between neighbouring output pixels, measured in input pixels.
func (p *ResizeParams) scale(in, out int) float32 {
	if p.AlignCorners && out > 1 {
		return float32(in-1) / float32(out-1)
	}
	return float32(in) / float32(out)
}

// at returns the input position that corresponds to output position x.
func (p *ResizeParams) at(x int, scale float32) float32 {
	if p.HalfPixel {
		return float32((float32(x)+0.5)*scale) - 0.5
	}
	return float32(x) * scale
}

// span returns the two neighbours of output position x and the weight of the second.
func (p *ResizeParams) span(x, size int, scale float32) (lo, hi int, w float32) {
	at := p.at(x, scale)
	floor := float32(math.Floor(float64(at)))
	lo = max(int(floor), 0)
	hi = min(int(math.Ceil(float64(at))), size-1)
	return min(lo, size-1), max(hi, 0), at - floor
}

// rows returns the range of output rows that First and Rows select.
func (p *ResizeParams) rows() (first, last int) {
	total := max(p.N, 0) * max(p.OH, 0)
	if p.First == 0 && p.Rows == 0 {
		return 0, total
	}
	if p.First < 0 || p.Rows <= 0 || p.First > total || p.Rows > total-p.First {
		panic("image: no such rows")
	}
	return p.First, p.First + p.Rows
}

func (p *ResizeParams) empty() bool { return p.N <= 0 || p.C <= 0 || p.OH <= 0 || p.OW <= 0 }

// copyRows copies the selected rows if input and result have the same size, and reports
// whether they do.
func (p *ResizeParams) copyRows(out, in []float32) bool {
	if p.OH != p.H || p.OW != p.W {
		return false
	}
	first, last := p.rows()
	row := p.W * p.C
	copy(out[:(last-first)*row], in[first*row:last*row])
	return true
}

// BilinearColumns computes the arguments index and weight of Bilinear. index gets 2*OW elements: for
// each output column, the positions of the left neighbours in an input row, then those of the right
// neighbours. weight gets OW elements, the weights of the right neighbours.
func BilinearColumns(index []int32, weight []float32, p ResizeParams) {
	if p.empty() {
		return
	}
	sx := p.scale(p.W, p.OW)
	for x := range p.OW {
		lo, hi, w := p.span(x, p.W, sx)
		index[x], index[p.OW+x], weight[x] = int32(lo*p.C), int32(hi*p.C), w
	}
}

// stripFloats is the largest number of floats that one call of assembly computes (at least one
// pixel).
const stripFloats = 1 << 14

// Bilinear resizes by linear interpolation between four neighbouring pixels. It interpolates first
// within rows, and then between two rows. BilinearColumns computes the arguments index and weight.
func Bilinear(out, in []float32, index []int32, weight []float32, p ResizeParams) {
	if p.empty() || p.copyRows(out, in) {
		return
	}
	sy := p.scale(p.H, p.OH)
	row, strip := p.W*p.C, max(stripFloats/p.C, 1)
	first, last := p.rows()
	for r := first; r < last; r++ {
		img := in[r/p.OH*p.H*row:][:p.H*row]
		lo, hi, wy := p.span(r%p.OH, p.H, sy)
		top, bottom := img[lo*row:][:row], img[hi*row:][:row]
		for x := 0; x < p.OW; x += strip {
			end := min(x+strip, p.OW)
			dst := out[((r-first)*p.OW+x)*p.C:][:(end-x)*p.C]
			left, right, w := index[x:end], index[p.OW+x:p.OW+end], weight[x:end]
			if !bilinearSIMD(dst, top, bottom, left, right, w, wy, p.C) {
				bilinearGo(dst, top, bottom, left, right, w, wy, p.C)
			}
		}
	}
}

// bilinearGo interpolates pixels of c channels between two rows, top and bottom. In both rows, the
// left neighbour of pixel x begins at element left[x], and the right neighbour begins at element
// right[x]. weight[x] is the weight of the right neighbours, and wy is the weight of the bottom
// row.
func bilinearGo(dst, top, bottom []float32, left, right []int32, weight []float32, wy float32, c int) {
	for x, wx := range weight {
		l, r := int(left[x]), int(right[x])
		d := dst[x*c:][:c]
		tl, tr := top[l:][:len(d)], top[r:][:len(d)]
		bl, br := bottom[l:][:len(d)], bottom[r:][:len(d)]
		for k := range d {
			t := tl[k] + float32((tr[k]-tl[k])*wx)
			b := bl[k] + float32((br[k]-bl[k])*wx)
			d[k] = t + float32((b-t)*wy)
		}
	}
}

// nearest returns the input position that output position x copies.
func (p *ResizeParams) nearest(x, size int, scale float32) int {
	at := float32(x) * scale
	if p.HalfPixel {
		at = (float32(x) + 0.5) * scale
	}
	i := int(math.Floor(float64(at)))
	if p.AlignCorners {
		i = int(math.Round(float64(at)))
	}
	return max(min(i, size-1), 0)
}

// nearest writes to each output pixel the nearest input pixel. If two successive output rows are
// equal, it copies the second from the first.
func nearest[T any](out, in []T, p *ResizeParams) {
	if p.empty() {
		return
	}
	sy, sx := p.scale(p.H, p.OH), p.scale(p.W, p.OW)
	first, last := p.rows()
	before := -1
	var dst []T
	for r := first; r < last; r++ {
		iy := r/p.OH*p.H + p.nearest(r%p.OH, p.H, sy)
		done := dst
		dst = out[(r-first)*p.OW*p.C:][:p.OW*p.C]
		if iy == before {
			copy(dst, done)
			continue
		}
		before = iy
		src := in[iy*p.W*p.C:][:p.W*p.C]
		for x := range p.OW {
			ix := p.nearest(x, p.W, sx) * p.C
			copy(dst[x*p.C:(x+1)*p.C], src[ix:])
		}
	}
}

// part returns the length of the part of pixel i, the interval [i, i+1), that lies in the interval
// [lo, hi). The parameter width is hi - lo.
func part(i int, lo, hi, width float32) float32 {
	v := float32(i)
	switch {
	case v < lo && v+1 > hi:
		return width
	case v < lo:
		return v + 1 - lo
	case v+1 > hi:
		return hi - v
	}
	return 1
}

// areaScale returns the number of input pixels that an output pixel covers in one dimension. This
// is the result of scale, unless that is zero, which can happen with aligned corners. In this case,
// areaScale returns in/out.
func (p *ResizeParams) areaScale(in, out int) float32 {
	if s := p.scale(in, out); s > 0 {
		return s
	}
	return float32(in) / float32(out)
}

// Area resizes by the mean over the area of the input that an output pixel covers.
func Area(out, in []float32, p ResizeParams) {
	sy, sx := p.areaScale(p.H, p.OH), p.areaScale(p.W, p.OW)
	whole := 1 / float32(sy*sx)
	if p.empty() {
		return
	}
	first, last := p.rows()
	for r := first; r < last; r++ {
		n, y := r/p.OH, r%p.OH
		y0, y1 := float32(y)*sy, float32(y+1)*sy
		i0, i1 := int(math.Floor(float64(y0))), int(math.Ceil(float64(y1)))
		for x := range p.OW {
			x0, x1 := float32(x)*sx, float32(x+1)*sx
			j0, j1 := int(math.Floor(float64(x0))), int(math.Ceil(float64(x1)))
			for c := range p.C {
				var sum float32
				for i := i0; i < i1; i++ {
					row := in[(n*p.H+min(max(i, 0), p.H-1))*p.W*p.C:]
					var s float32
					for j := j0; j < j1; j++ {
						v := row[min(max(j, 0), p.W-1)*p.C+c]
						if j == j0 || j == j1-1 {
							v *= part(j, x0, x1, sx)
						}
						s += v
					}
					sum += float32(s * part(i, y0, y1, sy))
				}
				out[((r-first)*p.OW+x)*p.C+c] = sum * whole
			}
		}
	}
}
