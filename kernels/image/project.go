package image

import "math"

// Fill selects the values of positions outside the image.
type Fill int

// The values of Fill. Constant means that a position outside the image has a constant value. With
// the others, the image is mirrored, repeated, or extended by its edge pixels.
const (
	Constant Fill = iota
	Reflect
	Wrap
	Nearest
)

// ProjectParams describes projective transforms of in[N,H,W,C] to out[N,OH,OW,C].
type ProjectParams struct {
	N, H, W, C, OH, OW int
	Transforms         int // number of transforms: 1 for all images, or N if each image has a separate one
	Bilinear           bool
	Fill               Fill
	// Outside ([1]) is the value for Constant; nil means 0.
	Outside []float32
}

// inside returns the coordinate inside an image from which a pixel at coordinate x is read. The
// image has n pixels in this dimension. For Constant, inside returns x unchanged.
func (f Fill) inside(x float32, n int) float32 {
	size := float32(n)
	switch f {
	case Constant:
		return x
	case Reflect:
		switch {
		case x >= 0 && x <= size-1:
		case n <= 1:
			x = 0
		case x < 0:
			if x < 2*size {
				x += 2 * size * float32(int(-x/(2*size)))
			}
			if x < -size {
				x += 2 * size
			} else {
				x = -x - 1
			}
		default:
			if x -= 2 * size * float32(int(x/(2*size))); x >= size {
				x = 2*size - x - 1
			}
		}
	case Wrap:
		switch {
		case x >= 0 && x <= size-1:
		case n <= 1:
			x = 0
		case x < 0:
			x += size * float32(int(-x/(size-1))+1)
		default:
			x -= size * float32(int(x/(size-1)))
		}
	}
	return max(min(x, size-1), 0)
}

// project writes out[n,y,x] = in[n,row,column], with
//
//	row = (t3·x+t4·y+t5)/k, column = (t0·x+t1·y+t2)/k, k = t6·x+t7·y+1
//
// The numbers t0 to t7 are the transform of image n.
func project[T pixel](out, in []T, transforms []float32, p *ProjectParams) {
	var outside T
	if len(p.Outside) != 0 {
		outside = T(p.Outside[0])
	}
	for n := range p.N {
		t := transforms[8*min(n, p.Transforms-1):][:8]
		img := in[n*p.H*p.W*p.C:][:p.H*p.W*p.C]
		for y := range p.OH {
			for x := range p.OW {
				dst := out[((n*p.OH+y)*p.OW+x)*p.C:][:p.C]
				fx, fy := float32(x), float32(y)
				k := float32(t[6]*fx) + float32(t[7]*fy) + 1
				if k == 0 {
					for c := range dst {
						dst[c] = outside
					}
					continue
				}
				ix := p.Fill.inside((float32(t[0]*fx)+float32(t[1]*fy)+t[2])/k, p.W)
				iy := p.Fill.inside((float32(t[3]*fx)+float32(t[4]*fy)+t[5])/k, p.H)
				for c := range dst {
					dst[c] = sample(img, p, iy, ix, c, outside)
				}
			}
		}
	}
}

// sample returns channel c at a position between pixels, computed in f32.
func sample[T pixel](img []T, p *ProjectParams, y, x float32, c int, outside T) T {
	at := func(y, x float32) T {
		if !(y >= 0 && y < float32(p.H) && x >= 0 && x < float32(p.W)) {
			return outside
		}
		return img[(int(y)*p.W+int(x))*p.C+c]
	}
	if !p.Bilinear {
		return at(float32(math.Round(float64(y))), float32(math.Round(float64(x))))
	}
	y0, x0 := float32(math.Floor(float64(y))), float32(math.Floor(float64(x)))
	y1, x1 := y0+1, x0+1
	top := float32((x1-x)*float32(at(y0, x0))) + float32((x-x0)*float32(at(y0, x1)))
	bottom := float32((x1-x)*float32(at(y1, x0))) + float32((x-x0)*float32(at(y1, x1)))
	return T(float32((y1-y)*top) + float32((y-y0)*bottom))
}
