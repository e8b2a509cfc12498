package image

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// The sampling kernels.
const (
	Lanczos1 = iota
	Lanczos3
	Lanczos5
	Gauss
	Box
	Triangle
	KeysCubic
	MitchellCubic
)

// SpanParams describes images in[N,H,W,C] that are scaled and translated to out[N,OH,OW,C].
type SpanParams struct {
	N, H, W, C, OH, OW int
	Kernel             int
	Antialias          bool
}

func (p *SpanParams) radius() float32 {
	switch p.Kernel {
	case Lanczos3:
		return 3
	case Lanczos5:
		return 5
	case Gauss:
		return 1.5
	case KeysCubic, MitchellCubic:
		return 2
	}
	return 1
}

// weight returns the kernel's value at x ≥ 0.
func (p *SpanParams) weight(x float32) float32 {
	switch p.Kernel {
	case Lanczos1, Lanczos3, Lanczos5:
		r := p.radius()
		if x > r {
			return 0
		}
		if x <= 1e-3 {
			return 1
		}
		const pi = float32(3.14159265359)
		a, b := float32(math.Sin(float64(pi*x))), float32(math.Sin(float64(pi*x/r)))
		return r * a * b / (pi * pi * x * x)
	case Gauss:
		const sigma = float32(.5)
		if x >= 1.5 {
			return 0
		}
		return float32(math.Exp(float64(-x*x) / (2 * float64(sigma) * float64(sigma))))
	case Box:
		switch {
		case x < .5:
			return 1
		case x == .5:
			return .5
		}
		return 0
	case Triangle:
		if x < 1 {
			return 1 - x
		}
		return 0
	case KeysCubic:
		switch {
		case x >= 2:
			return 0
		case x >= 1:
			return float32((float32((float32(-.5*x)+2.5)*x)-4)*x) + 2
		}
		return float32(float32((float32(1.5*x)-2.5)*x)*x) + 1
	}
	switch {
	case x >= 2:
		return 0
	case x >= 1:
		return float32((float32((float32((-7./18)*x)+2)*x)-10./3)*x) + 16./9
	}
	return float32(float32((float32((7./6)*x)-2)*x)*x) + 8./9
}

// span computes the weights of the pixels that contribute to output position x in a dimension of size
// pixels. It returns the first of these pixels and the weights, which are stored in weights. For a
// position outside the image it returns no weights.
func (p *SpanParams) span(weights []float32, x, size int, scale, translate float32) (start int, w []float32) {
	inv := float32(1 / float64(scale))
	shift := -inv * translate
	k := float32(1)
	if p.Antialias {
		k = max(inv, 1)
	}
	s := float32((float32(x)+.5)*inv) + shift
	if !(s >= 0 && s <= float32(size)) {
		return 0, nil
	}
	r := float32(p.radius() * k)
	edge := func(v float64) int { return int(max(0, min(float64(size-1), v))) }
	start = edge(math.Ceil(float64(s - r - .5)))
	end := edge(math.Floor(float64(s+r-.5))) + 1
	if end <= start {
		return 0, nil
	}
	w = weights[:end-start]
	total := float32(0)
	per := 1 / k
	for i := range w {
		w[i] = p.weight(float32(math.Abs(float64((float32(start+i) + .5 - s) * per))))
		total += w[i]
	}
	if !(math.Abs(float64(total)) >= 1000*0x1p-126) {
		clear(w)
		return start, w
	}
	one := 1 / total
	for i := range w {
		w[i] *= one
	}
	return start, w
}

// checkScale rejects scales that are not positive.
func checkScale(scale []float32) error {
	if !(scale[0] > 0 && scale[1] > 0) {
		return tensor.Errorf(tensor.InvalidArgument, "the scale must be greater than zero, it is %v and %v", scale[0], scale[1])
	}
	return nil
}

// pixelWork is the approximate work of computing a pixel's weight.
const pixelWork = 32

// Spans scales and translates images. scale and move hold the factors and the distances, in the
// order height, width. For each image, Spans first interpolates along columns and stores the
// results in the scratch memory mid[OH,W,C], and then it interpolates along rows. weights is
// scratch whose length is the larger of H and W.
func Spans(run *mem.Budget, out, in, scale, move, mid, weights []float32, p SpanParams) error {
	if err := checkScale(scale); err != nil {
		return err
	}
	if len(out) == 0 {
		return nil
	}
	call := run.Call()
	row := p.W * p.C
	for n := range p.N {
		img, o := in[n*p.H*row:][:p.H*row], out[n*p.OH*p.OW*p.C:][:p.OH*p.OW*p.C]
		for y := range p.OH {
			d := mid[y*row:][:row]
			clear(d)
			start, ws := p.span(weights, y, p.H, scale[0], move[0])
			call.Work(pixelWork * len(ws))
			for k, w := range ws {
				call.Work(row)
				addScaled(d, img[(start+k)*row:], w)
			}
		}
		clear(o)
		for x := range p.OW {
			start, ws := p.span(weights, x, p.W, scale[1], move[1])
			call.Work(pixelWork * len(ws))
			for y := range p.OH {
				call.Work((4 + p.C) * len(ws))
				d := o[(y*p.OW+x)*p.C:][:p.C]
				for k, w := range ws {
					addScaled(d, mid[y*row+(start+k)*p.C:], w)
				}
			}
		}
	}
	return nil
}

// SpansGrad computes the gradient of Spans with respect to its input images and stores it in
// dx[N,H,W,C]. grad[N,OH,OW,C] is the gradient of the result of Spans. The scratch memory mid has the
// shape [H,OW,C].
func SpansGrad(run *mem.Budget, dx, grad, scale, move, mid, weights []float32, p SpanParams) error {
	if err := checkScale(scale); err != nil {
		return err
	}
	if len(dx) == 0 || len(grad) == 0 {
		clear(dx)
		return nil
	}
	call := run.Call()
	row := p.OW * p.C
	for n := range p.N {
		g, o := grad[n*p.OH*row:][:p.OH*row], dx[n*p.H*p.W*p.C:][:p.H*p.W*p.C]
		clear(mid[:p.H*row])
		for y := range p.OH {
			start, ws := p.span(weights, y, p.H, scale[0], move[0])
			call.Work(pixelWork * len(ws))
			for k, w := range ws {
				call.Work(row)
				if w != 0 {
					addScaled(mid[(start+k)*row:][:row], g[y*row:], w)
				}
			}
		}
		clear(o)
		for x := range p.OW {
			start, ws := p.span(weights, x, p.W, scale[1], move[1])
			call.Work(pixelWork * len(ws))
			for y := range p.H {
				call.Work((4 + p.C) * len(ws))
				for k, w := range ws {
					if w != 0 {
						addScaled(o[(y*p.W+start+k)*p.C:][:p.C], mid[y*row+x*p.C:], w)
					}
				}
			}
		}
	}
	return nil
}

// addScaled computes d += w*s.
func addScaled(d, s []float32, w float32) {
	s = s[:len(d)]
	for i := range d {
		d[i] += float32(w * s[i])
	}
}
