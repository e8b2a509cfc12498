package image

import "math"

// CropParams describes CropAndResize of in[N,H,W,C] into out[Boxes,OH,OW,C].
type CropParams struct {
	N, H, W, C, Boxes, OH, OW int
	Nearest                   bool    // else bilinear
	Outside                   float32 // value of output pixels that correspond to positions outside the image
}

// place returns the input position that corresponds to output position x in one dimension. In this
// dimension, the output has crop pixels, the input has size pixels, and the box extends from lo to
// hi.
func place(x, size, crop int, lo, hi float32) float32 {
	if crop > 1 {
		scale := (hi - lo) * float32(size-1) / float32(crop-1)
		return float32(lo*float32(size-1)) + float32(float32(x)*scale)
	}
	return float32(0.5 * float64(lo+hi) * float64(size-1))
}

// Crop cuts the boxes [y1,x1,y2,x2] out of images and resizes them. Box coordinates from 0 to 1 span
// the image. Box b is cut out of the image with the number image[b]; Crop returns OutOfRange if that
// number is outside [0, N), and InvalidArgument for a box that is not finite.
func Crop(out, in, boxes []float32, image []int32, p CropParams) error {
	if err := p.check(boxes, image); err != nil {
		return err
	}
	row := p.W * p.C
	for b := range p.Boxes {
		img := in[int(image[b])*p.H*row:][:p.H*row]
		y1, x1, y2, x2 := boxes[4*b], boxes[4*b+1], boxes[4*b+2], boxes[4*b+3]
		for y := range p.OH {
			fy := place(y, p.H, p.OH, y1, y2)
			inY := fy >= 0 && fy <= float32(p.H-1)
			for x := range p.OW {
				d := out[((b*p.OH+y)*p.OW+x)*p.C:][:p.C]
				fx := place(x, p.W, p.OW, x1, x2)
				if !inY || !(fx >= 0 && fx <= float32(p.W-1)) {
					for c := range d {
						d[c] = p.Outside
					}
					continue
				}
				if p.Nearest {
					copy(d, img[int(math.Round(float64(fy)))*row+int(math.Round(float64(fx)))*p.C:])
					continue
				}
				t, l := math.Floor(float64(fy)), math.Floor(float64(fx))
				top, bottom := img[int(t)*row:], img[int(math.Ceil(float64(fy)))*row:]
				left, right := int(l)*p.C, int(math.Ceil(float64(fx)))*p.C
				wy, wx := fy-float32(t), fx-float32(l)
				for c := range d {
					u := top[left+c] + float32((top[right+c]-top[left+c])*wx)
					v := bottom[left+c] + float32((bottom[right+c]-bottom[left+c])*wx)
					d[c] = u + float32((v-u)*wy)
				}
			}
		}
	}
	return nil
}
