package image

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// BoxNumbers returns OutOfRange if a box's image number is outside [0, n).
func BoxNumbers(image []int32, n int) error {
	for b, i := range image {
		if i < 0 || int(i) >= n {
			return tensor.Errorf(tensor.OutOfRange, "box_ind[%d] is %d, the batch has %d images", b, i, n)
		}
	}
	return nil
}

// check rejects image numbers out of range and boxes that are not finite.
func (p *CropParams) check(boxes []float32, image []int32) error {
	if err := BoxNumbers(image[:p.Boxes], p.N); err != nil {
		return err
	}
	for _, v := range boxes[:4*p.Boxes] {
		if v-v != 0 {
			return tensor.Errorf(tensor.InvalidArgument, "a box has the bound %v, which is not finite", v)
		}
	}
	return nil
}

// CropGradF32 sets dx[N,H,W,C] to the gradient of Crop's input images, given grad[Boxes,OH,OW,C].
// Each element of grad is added to the input pixels from which Crop interpolated it, multiplied by
// their weights.
func CropGradF32(dx, grad, boxes []float32, image []int32, p CropParams) error {
	return cropGrad(dx, grad, boxes, image, &p, func(d *float32, v float32) { *d += v })
}

// CropGradF64 is CropGradF32 for f64.
func CropGradF64(dx []float64, grad, boxes []float32, image []int32, p CropParams) error {
	return cropGrad(dx, grad, boxes, image, &p, func(d *float64, v float32) { *d += float64(v) })
}

// CropGradF16 is CropGradF32 for f16. Every sum is rounded.
func CropGradF16(dx []tensor.F16, grad, boxes []float32, image []int32, p CropParams) error {
	return cropGrad(dx, grad, boxes, image, &p, func(d *tensor.F16, v float32) {
		*d = tensor.ToF16(d.Float32() + tensor.ToF16(v).Float32())
	})
}

func cropGrad[T any](dx []T, grad, boxes []float32, image []int32, p *CropParams, add func(*T, float32)) error {
	if err := p.check(boxes, image); err != nil {
		return err
	}
	clear(dx)
	row := p.W * p.C
	for b := range p.Boxes {
		img := dx[int(image[b])*p.H*row:][:p.H*row]
		q := boxes[4*b:][:4]
		for y := range p.OH {
			fy := place(y, p.H, p.OH, q[0], q[2])
			if !(fy >= 0 && fy <= float32(p.H-1)) {
				continue
			}
			for x := range p.OW {
				fx := place(x, p.W, p.OW, q[1], q[3])
				if !(fx >= 0 && fx <= float32(p.W-1)) {
					continue
				}
				g := grad[((b*p.OH+y)*p.OW+x)*p.C:][:p.C]
				if p.Nearest {
					at := int(math.Round(float64(fy)))*row + int(math.Round(float64(fx)))*p.C
					for c, v := range g {
						add(&img[at+c], v)
					}
					continue
				}
				y0, y1, ty := around(fy)
				x0, x1, tx := around(fx)
				for c, v := range g {
					top, bottom := (1-ty)*v, ty*v
					add(&img[y0*row+x0*p.C+c], (1-tx)*top)
					add(&img[y0*row+x1*p.C+c], tx*top)
					add(&img[y1*row+x0*p.C+c], (1-tx)*bottom)
					add(&img[y1*row+x1*p.C+c], tx*bottom)
				}
			}
		}
	}
	return nil
}

// around returns the pixel lo at or below position f, the pixel hi at or above it, and the distance
// t = f - lo.
func around(f float32) (lo, hi int, t float32) {
	lo = int(math.Floor(float64(f)))
	return lo, int(math.Ceil(float64(f))), f - float32(lo)
}

// CropGradBoxes sets db[Boxes,4] to the gradient of the box coordinates of Crop, given
// grad[Boxes,OH,OW,C] and in[N,H,W,C].
func CropGradBoxes(db, grad, in, boxes []float32, image []int32, p CropParams) error {
	if err := p.check(boxes, image); err != nil {
		return err
	}
	row := p.W * p.C
	ratio := func(size, crop int) float32 {
		if crop > 1 {
			return float32(size-1) / float32(crop-1)
		}
		return 0
	}
	ry, rx := ratio(p.H, p.OH), ratio(p.W, p.OW)
	at := func(k, size, crop int, r, lo, hi float32) float32 {
		if crop > 1 {
			return float32(lo*float32(size-1)) + float32(float32(k)*float32((hi-lo)*r))
		}
		return float32(0.5 * float64(lo+hi) * float64(size-1))
	}
	// parts returns the gradients of the two sides of the box, lo and hi, in one dimension. g is
	// the gradient of the input position that belongs to output position k.
	parts := func(g float32, k, size, crop int, r float32) (lo, hi float32) {
		if crop > 1 {
			s := float32(k) * r
			return g * (float32(size-1) - s), g * s
		}
		h := float32(float64(g) * 0.5 * float64(size-1))
		return h, h
	}
	for b := range p.Boxes {
		img := in[int(image[b])*p.H*row:][:p.H*row]
		q, d := boxes[4*b:][:4], db[4*b:][:4]
		clear(d)
		for y := range p.OH {
			fy := at(y, p.H, p.OH, ry, q[0], q[2])
			if !(fy >= 0 && fy <= float32(p.H-1)) {
				continue
			}
			y0, y1, ty := around(fy)
			for x := range p.OW {
				fx := at(x, p.W, p.OW, rx, q[1], q[3])
				if !(fx >= 0 && fx <= float32(p.W-1)) {
					continue
				}
				x0, x1, tx := around(fx)
				for c, g := range grad[((b*p.OH+y)*p.OW+x)*p.C:][:p.C] {
					tl, tr := img[y0*row+x0*p.C+c], img[y0*row+x1*p.C+c]
					bl, br := img[y1*row+x0*p.C+c], img[y1*row+x1*p.C+c]
					gy := (float32((1-tx)*(bl-tl)) + float32(tx*(br-tr))) * g
					gx := (float32((1-ty)*(tr-tl)) + float32(ty*(br-bl))) * g
					lo, hi := parts(gy, y, p.H, p.OH, ry)
					d[0] += lo
					d[2] += hi
					lo, hi = parts(gx, x, p.W, p.OW, rx)
					d[1] += lo
					d[3] += hi
				}
			}
		}
	}
	return nil
}

// ContrastClip is Contrast with results clamped to [lo[0], hi[0]].
func ContrastClip(dst, src, factor, lo, hi []float32, p ContrastParams) {
	Contrast(dst, src, factor, p)
	for i, v := range dst {
		dst[i] = max(min(v, hi[0]), lo[0])
	}
}
