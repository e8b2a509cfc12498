package image

import (
	"math"
	"math/rand/v2"
)

// The values of GlimpseParams.Noise. They say how the pixels of a glimpse that lie outside the
// image are filled.
const (
	Uniform = iota
	Gaussian
	Zero
)

// GlimpseParams describes glimpses out[N,OH,OW,C] of in[N,H,W,C].
type GlimpseParams struct {
	N, H, W, C, OH, OW  int
	Old                 bool // whether the op is ExtractGlimpse instead of ExtractGlimpseV2
	Centred, Normalized bool
	Noise               int
}

// origin returns the position at which a glimpse of o pixels begins in an image dimension of size
// pixels. v is the glimpse's offset in this dimension.
func (p *GlimpseParams) origin(v float32, size, o int) int {
	half, side := float32(o)/2, float32(size)
	if p.Normalized {
		v *= side
	}
	switch {
	case p.Old:
		if p.Centred {
			v = v/2 + side/2
		}
		v -= half
	case p.Centred && p.Normalized:
		v = v/2 + side/2 - half
	case p.Centred:
		v += side / 2
	}
	return whole(v)
}

// side returns the part of a glimpse that is inside the image, in one dimension. The part has n
// pixels. Its first pixel has the index `at` in the glimpse and the index `from` in the image. The
// result partial reports whether a part of the glimpse may be outside the image.
func side(origin, size, o int) (at, from, n int, partial bool) {
	from, n = origin, o
	switch {
	case origin < 0:
		from, n = 0, 0
		if origin > -o {
			n = o + origin
		}
		at, partial = o-n, true
	case origin >= size-o:
		n, partial = max(0, size-origin), true
	}
	return at, from, min(n, size), partial
}

// Glimpse cuts windows out of images, at the positions offsets[N,2]. The field p.Noise selects the
// values of pixels outside an image: uniform noise in the image's range, normally distributed noise
// with the mean and the standard deviation of each channel, or 0.
func Glimpse(out, in, offsets []float32, p GlimpseParams) {
	for n := range p.N {
		img, o := in[n*p.H*p.W*p.C:][:p.H*p.W*p.C], out[n*p.OH*p.OW*p.C:][:p.OH*p.OW*p.C]
		ay, fy, ny, part := side(p.origin(offsets[2*n], p.H, p.OH), p.H, p.OH)
		ax, fx, nx, part2 := side(p.origin(offsets[2*n+1], p.W, p.OW), p.W, p.OW)
		if part || part2 {
			p.fill(o, img)
		}
		for y := range ny {
			if nx > 0 {
				copy(o[((ay+y)*p.OW+ax)*p.C:][:nx*p.C], img[((fy+y)*p.W+fx)*p.C:])
			}
		}
	}
}

// fill writes noise.
func (p *GlimpseParams) fill(o, img []float32) {
	switch p.Noise {
	case Zero:
		clear(o)
	case Uniform:
		lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
		for _, v := range img {
			lo, hi = min(lo, v), max(hi, v)
		}
		for i := range o {
			o[i] = lo + float32(rand.Float32()*(hi-lo))
		}
	default:
		for c := range p.C {
			p.gaussian(o, img, c)
		}
	}
}

// gaussian fills channel c of o with normally distributed noise. The noise has the mean and the
// deviation of the channel in img and is clamped to the channel's range.
func (p *GlimpseParams) gaussian(o, img []float32, c int) {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	var sum, square float64
	for i := c; i < len(img); i += p.C {
		sum += float64(img[i])
		lo, hi = min(lo, img[i]), max(hi, img[i])
	}
	n := float64(len(img) / p.C)
	mean := sum / n
	for i := c; i < len(img); i += p.C {
		d := float64(img[i]) - mean
		square += float64(d * d)
	}
	sigma := math.Sqrt(square / n)
	for i := c; i < len(o); i += p.C {
		o[i] = max(min(float32(mean+float64(rand.NormFloat64()*sigma)), hi), lo)
	}
}
