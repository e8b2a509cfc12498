package image

import (
	"math"

	"github.com/graphc/graphc/rt/device"
)

// CropParams describes CropAndResize of in[N,H,W,C] into out[Boxes,OH,OW,C].
type CropParams struct {
	N, H, W, C, Boxes, OH, OW int
	Nearest                   bool    // else bilinear
	Outside                   float32 // the value where a box leaves the image
}

// each(q, k, args, more...) launches the kernel k with threads that loop over the elements of the
// output or of its gradient. The kernel's arguments are those in args, followed by the sizes, the flag
// p.Nearest and the arguments in more.
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

func cropGradBoxes(q *device.Queue, k *device.Kernel, db, grad, in, boxes, image device.Ptr, p *CropParams) {
	args := []uint64{uint64(db), uint64(grad), uint64(in), uint64(boxes), uint64(image)}
	for _, v := range [...]int{p.N, p.H, p.W, p.C, p.OH, p.OW} {
		args = append(args, uint64(v))
	}
	q.Launch(k, device.Line(p.Boxes), device.Line(256), 0, args...)
}
