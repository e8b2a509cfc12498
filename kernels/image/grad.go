package image

// pixel is the set of element types that pictures can have.
type pixel interface {
	uint8 | int8 | int32 | int64 | float32 | float64
}

// BilinearGrad computes the gradient of Bilinear with respect to its input and stores it in dx.
// grad is the gradient of the result of Bilinear. Each element of grad, multiplied by four weights,
// is added to the gradients of the four pixels from which Bilinear interpolated that element.
func BilinearGrad(dx, grad []float32, p ResizeParams) { spread(dx, grad, &p, p.taps2, 2) }

// BilinearGradF64 is like BilinearGrad, but dx holds float64 numbers.
func BilinearGradF64(dx []float64, grad []float32, p ResizeParams) { spread(dx, grad, &p, p.taps2, 2) }

// BicubicGrad computes the gradient of Bicubic in the same way as BilinearGrad, but with 16 pixels.
func BicubicGrad(dx, grad []float32, p ResizeParams) { spread(dx, grad, &p, p.taps4, 4) }

// BicubicGradF64 is like BicubicGrad, but dx holds float64 numbers.
func BicubicGradF64(dx []float64, grad []float32, p ResizeParams) { spread(dx, grad, &p, p.taps4, 4) }

// taps2 returns the two neighbours of output position x along one dimension, and their weights.
func (p *ResizeParams) taps2(x, size int, scale float32) (at [4]int, w [4]float32) {
	lo, hi, f := p.span(x, size, scale)
	return [4]int{lo, hi}, [4]float32{1 - f, f}
}

// spread adds each element of grad to n×n pixels of dx, multiplied by their weights. taps returns n
// positions and weights for an output position in one dimension.
func spread[T float32 | float64](dx []T, grad []float32, p *ResizeParams, taps func(x, size int, scale float32) ([4]int, [4]float32), n int) {
	clear(dx[:p.N*p.H*p.W*p.C])
	if len(dx) == 0 || len(grad) == 0 {
		return
	}
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
						for c, v := range g {
							d[c] += T(float32(float32(v*wy[i]) * wx[j]))
						}
					}
				}
			}
		}
	}
}

func nearestGrad[T pixel](dx, grad []T, p *ResizeParams) {
	clear(dx[:p.N*p.H*p.W*p.C])
	if len(dx) == 0 || len(grad) == 0 {
		return
	}
	sy, sx := p.scale(p.H, p.OH), p.scale(p.W, p.OW)
	for b := range p.N {
		for y := range p.OH {
			iy := p.nearest(y, p.H, sy)
			for x := range p.OW {
				d := dx[((b*p.H+iy)*p.W+p.nearest(x, p.W, sx))*p.C:][:p.C]
				for c, v := range grad[((b*p.OH+y)*p.OW+x)*p.C:][:p.C] {
					d[c] += v
				}
			}
		}
	}
}

// NearestGrad computes the gradient of NearestF32 with respect to its input and stores it in dx.
// Each element of grad is added to the gradient of one input pixel: the pixel that NearestF32 copied
// to the position of this element.
func NearestGrad(dx, grad []float32, p ResizeParams) { nearestGrad(dx, grad, &p) }
