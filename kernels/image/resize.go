// Package image holds TensorFlow's image ops over NHWC tensors: resizing,
// cropping, projective transforms and colours.
package image

import (
	"math"
)

// ResizeParams describes the resizing of in[N,H,W,C] to out[N,OH,OW,C].
type ResizeParams struct {
	N, H, W, C, OH, OW int
	AlignCorners       bool // corner pixels' centres stay where they are
	HalfPixel          bool // pixel i has its centre at i+1/2
}

// scale is the distance in the input between neighbours of the output.
func (p *ResizeParams) scale(in, out int) float32 {
	if p.AlignCorners && out > 1 {
		return float32(in-1) / float32(out-1)
	}
	return float32(in) / float32(out)
}

// at is where output position x lies in the input.
func (p *ResizeParams) at(x int, scale float32) float32 {
	if p.HalfPixel {
		return float32((float32(x)+0.5)*scale) - 0.5
	}
	return float32(x) * scale
}

// span is the pair of neighbours of output position x and the weight of the second.
func (p *ResizeParams) span(x, size int, scale float32) (lo, hi int, w float32) {
	at := p.at(x, scale)
	floor := float32(math.Floor(float64(at)))
	lo = max(int(floor), 0)
	hi = min(int(math.Ceil(float64(at))), size-1)
	return min(lo, size-1), max(hi, 0), at - floor
}

// Bilinear resizes by linear interpolation between the four neighbours, first
// along rows. index has 2*OW elements of scratch, weight OW.
func Bilinear(out, in []float32, index []int32, weight []float32, p ResizeParams) {
	if p.N <= 0 || p.C <= 0 || p.OH <= 0 || p.OW <= 0 {
		return
	}
	if p.OH == p.H && p.OW == p.W {
		copy(out[:p.N*p.H*p.W*p.C], in)
		return
	}
	sy, sx := p.scale(p.H, p.OH), p.scale(p.W, p.OW)
	left, right := index[:p.OW], index[p.OW:2*p.OW]
	weight = weight[:p.OW]
	for x := range left {
		lo, hi, w := p.span(x, p.W, sx)
		left[x], right[x], weight[x] = int32(lo*p.C), int32(hi*p.C), w
	}
	row := p.W * p.C
	for n := range p.N {
		img := in[n*p.H*row:][:p.H*row]
		for y := range p.OH {
			lo, hi, wy := p.span(y, p.H, sy)
			top, bottom := img[lo*row:][:row], img[hi*row:][:row]
			dst := out[(n*p.OH+y)*p.OW*p.C:][:p.OW*p.C]
			for x, wx := range weight {
				l, r := int(left[x]), int(right[x])
				d := dst[x*p.C:][:p.C]
				tl, tr := top[l:][:len(d)], top[r:][:len(d)]
				bl, br := bottom[l:][:len(d)], bottom[r:][:len(d)]
				for c := range d {
					t := tl[c] + float32((tr[c]-tl[c])*wx)
					b := bl[c] + float32((br[c]-bl[c])*wx)
					d[c] = t + float32((b-t)*wy)
				}
			}
		}
	}
}

// nearest is the input position that output position x takes.
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

// nearest copies the nearest pixel.
func nearest[T any](out, in []T, p *ResizeParams) {
	if p.N <= 0 || p.C <= 0 {
		return
	}
	sy, sx := p.scale(p.H, p.OH), p.scale(p.W, p.OW)
	for n := range p.N {
		for y := range p.OH {
			iy := p.nearest(y, p.H, sy)
			src := in[(n*p.H+iy)*p.W*p.C:][:p.W*p.C]
			dst := out[(n*p.OH+y)*p.OW*p.C:][:p.OW*p.C]
			for x := range p.OW {
				ix := p.nearest(x, p.W, sx) * p.C
				copy(dst[x*p.C:(x+1)*p.C], src[ix:])
			}
		}
	}
}

// part is the share of pixel i in [lo, hi), of which width is the length.
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

// Area resizes by the mean over the area of the input that an output pixel covers.
func Area(out, in []float32, p ResizeParams) {
	sy, sx := p.scale(p.H, p.OH), p.scale(p.W, p.OW)
	whole := 1 / float32(sy*sx)
	for n := range max(p.N, 0) {
		for y := range p.OH {
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
					out[((n*p.OH+y)*p.OW+x)*p.C+c] = sum * whole
				}
			}
		}
	}
}
