package image

// BilinearGrad is the gradient of Bilinear: it adds every gradient to the four
// pixels it came from, by their weights. p describes the forward step.
func BilinearGrad(dx, grad []float32, p ResizeParams) {
	p.spread(dx, grad, func(x, size int, scale float32) (at [4]int, w [4]float32) {
		lo, hi, f := p.span(x, size, scale)
		return [4]int{lo, hi}, [4]float32{1 - f, f}
	}, 2)
}

// BicubicGrad is the gradient of Bicubic.
func BicubicGrad(dx, grad []float32, p ResizeParams) { p.spread(dx, grad, p.taps4, 4) }

// NearestGrad is the gradient of NearestF32.
func NearestGrad(dx, grad []float32, p ResizeParams) {
	p.spread(dx, grad, func(x, size int, scale float32) (at [4]int, w [4]float32) {
		return [4]int{p.nearest(x, size, scale)}, [4]float32{1}
	}, 1)
}

// spread adds every gradient to the pixels that taps names in both dimensions.
func (p *ResizeParams) spread(dx, grad []float32, taps func(x, size int, scale float32) ([4]int, [4]float32), n int) {
	clear(dx[:p.N*p.H*p.W*p.C])
	sy, sx := p.scale(p.H, p.OH), p.scale(p.W, p.OW)
	for b := range p.N {
		for y := range p.OH {
			ys, wy := taps(y, p.H, sy)
			for x := range p.OW {
				xs, wx := taps(x, p.W, sx)
				g := grad[((b*p.OH+y)*p.OW+x)*p.C:][:p.C]
				for i := range n {
					for j := range n {
						d := dx[((b*p.H+ys[i])*p.W+xs[j])*p.C:][:p.C]
						k := wy[i] * wx[j]
						for c, v := range g {
							d[c] += float32(v * k)
						}
					}
				}
			}
		}
	}
}
