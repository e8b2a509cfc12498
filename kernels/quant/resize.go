package quant

// ResizeParams describes the resizing of images [N,H,W,C] to [N,OH,OW,C].
type ResizeParams struct {
	N, H, W, C, OH, OW       int
	AlignCorners, HalfPixels bool
}

// scale returns the distance in the image between neighbouring pixels of the output.
func (p *ResizeParams) scale(in, out int) float32 {
	if p.AlignCorners && out > 1 {
		return float32(in-1) / float32(out-1)
	}
	return float32(in) / float32(out)
}

// point maps output pixel i to the input position lower + lerp·(upper - lower), along one dimension.
// Positions outside the input are moved to its border.
func (p *ResizeParams) point(i, in int, scale float32) (lower, upper int, lerp float32) {
	at := float32(i) * scale
	if p.HalfPixels {
		at = float32((float32(i)+0.5)*scale) - 0.5
	}
	f := floor(at)
	ceil := int(f)
	if f != at {
		ceil++
	}
	upper = min(ceil, in-1)
	return min(max(int(f), 0), upper), upper, at - f
}

// ResizeU8 interpolates between the four nearest pixels, with fixed-point weights of 7 bits.
func ResizeU8(y, x []uint8, p ResizeParams) {
	resize(y, x, &p, func(tl, tr, bl, br uint8, fx, fy float32) uint8 {
		const one = 1 << 7
		wx, wy := int16(fx*one), int16(fy*one)
		top := int16(tl)*one + (int16(tr)-int16(tl))*wx
		bottom := int16(bl)*one + (int16(br)-int16(bl))*wx
		return uint8((top + (bottom-top)/one*wy + one/2) / one)
	})
}

// ResizeI32 interpolates between the four nearest pixels, with fixed-point weights of 30 bits.
func ResizeI32(y, x []int32, p ResizeParams) {
	resize(y, x, &p, func(tl, tr, bl, br int32, fx, fy float32) int32 {
		const one = 1 << 30
		wx, wy := int64(int32(fx*one)), int64(int32(fy*one))
		top := int64(tl)*one + (int64(tr)-int64(tl))*wx
		bottom := int64(bl)*one + (int64(br)-int64(bl))*wx
		return int32((top + (bottom-top)/one*wy + one/2) / one)
	})
}

func resize[T uint8 | int32](y, x []T, p *ResizeParams, lerp func(tl, tr, bl, br T, fx, fy float32) T) {
	if p.OH == p.H && p.OW == p.W {
		copy(y, x)
		return
	}
	sy, sx := p.scale(p.H, p.OH), p.scale(p.W, p.OW)
	o := 0
	for n := range p.N {
		image := x[n*p.H*p.W*p.C:]
		for i := range p.OH {
			top, bottom, fy := p.point(i, p.H, sy)
			for j := range p.OW {
				left, right, fx := p.point(j, p.W, sx)
				tl, tr := image[(top*p.W+left)*p.C:], image[(top*p.W+right)*p.C:]
				bl, br := image[(bottom*p.W+left)*p.C:], image[(bottom*p.W+right)*p.C:]
				for c := range p.C {
					y[o] = lerp(tl[c], tr[c], bl[c], br[c], fx, fy)
					o++
				}
			}
		}
	}
}
