package image

import "github.com/graphc/graphc/rt/device"

// ProjectParams describes projective transforms of in[N,H,W,C] to out[N,OH,OW,C].
type ProjectParams struct {
	N, H, W, C, OH, OW int
	Transforms         int // number of transforms: 1 for all images, or N if each image has a separate one
	Bilinear           bool
	// Fill selects the values of positions outside the image: 0 for a constant, 1 for the mirrored
	// image, 2 for the repeated image, 3 for the nearest pixel of the edge.
	Fill int
	// Outside is the address of the constant for Fill 0, a float32. If the address is 0, the constant
	// is 0.
	Outside device.Ptr
}

func project(q *device.Queue, k *device.Kernel, out, in, transforms device.Ptr, p *ProjectParams) {
	args := []uint64{uint64(out), uint64(in), uint64(transforms), uint64(p.Outside)}
	for _, v := range [...]int{p.N, p.H, p.W, p.C, p.OH, p.OW} {
		args = append(args, uint64(v))
	}
	args = append(args, flag(p.Transforms != 1), flag(p.Bilinear), uint64(p.Fill))
	n := p.N * p.OH * p.OW * p.C
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}
