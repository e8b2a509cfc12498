package image

import "github.com/graphc/graphc/rt/device"

// ProjectParams describes projective transforms of in[N,H,W,C] to out[N,OH,OW,C].
type ProjectParams struct {
	N, H, W, C, OH, OW int
	Transforms         int // the number of transforms: 1, or N for one per image
	Bilinear           bool
	Fill               int // positions outside the image read: 0 a constant, 1 the mirrored image, 2 the repeated image, 3 the nearest edge pixel
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
