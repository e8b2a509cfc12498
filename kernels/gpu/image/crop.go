package image

import (
	"math"

	"github.com/graphc/graphc/rt/device"
)

// CropParams describes CropAndResize of in[N,H,W,C] into out[Boxes,OH,OW,C].
type CropParams struct {
	N, H, W, C, Boxes, OH, OW int
	Nearest                   bool    // else bilinear
	Outside                   float32 // what stands where a box leaves the image
}

// each launches a thread for each element of out, or of its gradient, with args and the
// sizes.
func (p *CropParams) each(q *device.Queue, k *device.Kernel, args []uint64, more ...uint64) {
	for _, v := range [...]int{p.Boxes, p.N, p.H, p.W, p.C, p.OH, p.OW} {
		args = append(args, uint64(v))
	}
	args = append(append(args, flag(p.Nearest)), more...)
	n := p.Boxes * p.OH * p.OW * p.C
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

func crop(q *device.Queue, k *device.Kernel, out, in, boxes, image device.Ptr, p *CropParams) {
	p.each(q, k, []uint64{uint64(out), uint64(in), uint64(boxes), uint64(image)}, math.Float64bits(float64(p.Outside)))
}

func cropGrad(q *device.Queue, k *device.Kernel, dx, grad, boxes, image device.Ptr, size int, p *CropParams) {
	q.Fill(dx, size*p.N*p.H*p.W*p.C, 0)
	p.each(q, k, []uint64{uint64(dx), uint64(grad), uint64(boxes), uint64(image)})
}

// CropF32 cuts out the boxes [y1,x1,y2,x2], float32 in units of the image from 0 to 1, of the
// images that image, int32, says, and resizes them to out, float32. Where there is no such image
// stands what stands outside.
func CropF32(q *device.Queue, out, in, boxes, image device.Ptr, p CropParams) {
	crop(q, &cropF32, out, in, boxes, image, &p)
}

// CropF64 is CropF32 for float64 images.
func CropF64(q *device.Queue, out, in, boxes, image device.Ptr, p CropParams) {
	crop(q, &cropF64, out, in, boxes, image, &p)
}

// CropF16 is CropF32 for binary16 images.
func CropF16(q *device.Queue, out, in, boxes, image device.Ptr, p CropParams) {
	crop(q, &cropF16, out, in, boxes, image, &p)
}

// CropGradF32 is the gradient of CropF32 by its image: dx[N,H,W,C] of grad[Boxes,OH,OW,C], float32.
// It adds every gradient to the pixels it came from, by their weights.
func CropGradF32(q *device.Queue, dx, grad, boxes, image device.Ptr, p CropParams) {
	cropGrad(q, &cropGradF32, dx, grad, boxes, image, 4, &p)
}

// CropGradF64 is CropGradF32 for float64 images.
func CropGradF64(q *device.Queue, dx, grad, boxes, image device.Ptr, p CropParams) {
	cropGrad(q, &cropGradF64, dx, grad, boxes, image, 8, &p)
}

// CropGradF16 is CropGradF32 for binary16 images.
func CropGradF16(q *device.Queue, dx, grad, boxes, image device.Ptr, p CropParams) {
	cropGrad(q, &cropGradF16, dx, grad, boxes, image, 2, &p)
}

func cropGradBoxes(q *device.Queue, k *device.Kernel, db, grad, in, boxes, image device.Ptr, p *CropParams) {
	args := []uint64{uint64(db), uint64(grad), uint64(in), uint64(boxes), uint64(image)}
	for _, v := range [...]int{p.N, p.H, p.W, p.C, p.OH, p.OW} {
		args = append(args, uint64(v))
	}
	q.Launch(k, device.Line(p.Boxes), device.Line(256), 0, args...)
}

// CropGradBoxesF32 is the gradient of CropF32, which is not Nearest, by its boxes: db[Boxes,4],
// float32, of grad[Boxes,OH,OW,C], float32, and in[N,H,W,C]; zeros where there is no such image.
func CropGradBoxesF32(q *device.Queue, db, grad, in, boxes, image device.Ptr, p CropParams) {
	cropGradBoxes(q, &cropGradBoxesF32, db, grad, in, boxes, image, &p)
}

// CropGradBoxesF64 is CropGradBoxesF32 for float64 images.
func CropGradBoxesF64(q *device.Queue, db, grad, in, boxes, image device.Ptr, p CropParams) {
	cropGradBoxes(q, &cropGradBoxesF64, db, grad, in, boxes, image, &p)
}

// CropGradBoxesF16 is CropGradBoxesF32 for binary16 images.
func CropGradBoxesF16(q *device.Queue, db, grad, in, boxes, image device.Ptr, p CropParams) {
	cropGradBoxes(q, &cropGradBoxesF16, db, grad, in, boxes, image, &p)
}
