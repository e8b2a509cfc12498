// Package pool computes maximum and average pooling and their gradients on a GPU, for volumes and for
// images (volumes of depth 1). Half-precision elements are computed in float32, others in their own
// type.
package pool

import "github.com/graphc/graphc/rt/device"

// Params describes pooling of in[N,D,H,W,C] over windows of KD×KH×KW into out[N,OD,OH,OW,C]. In each
// dimension, the window of output position o begins at input position o*Stride-Pad. Elements outside
// the input are ignored. The padding behind the input is not given; the sizes of out imply it. For
// images the fields that end in D are zero. A stride of 0 counts as 1.
type Params struct {
	N, D, H, W, C int
	KD, KH, KW    int
	OD, OH, OW    int
	SD, SH, SW    int // strides
	PD, PH, PW    int // padding in front
}

// launch launches the kernel k with a thread for each element of the input if places is set, or for
// each element of the output otherwise.
func launch(q *device.Queue, k *device.Kernel, places bool, p Params, before ...uint64) {
	if p.D == 0 && p.KD == 0 && p.OD == 0 && p.SD == 0 {
		p.D, p.KD, p.OD = 1, 1, 1
	}
	for _, v := range []*int{&p.SD, &p.SH, &p.SW} {
		*v = max(*v, 1)
	}
	n := p.N * p.OD * p.OH * p.OW * p.C
	if places {
		n = p.N * p.D * p.H * p.W * p.C
	}
	for _, v := range [...]int{p.N, p.D, p.H, p.W, p.C, p.KD, p.KH, p.KW, p.OD, p.OH, p.OW, p.SD, p.SH, p.SW, p.PD, p.PH, p.PW} {
		before = append(before, uint64(v))
	}
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, before...)
}

// flag returns 1 for true and 0 for false.
func flag(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// ArgParams holds the sizes for the gradient of maximum pooling in the case that the offsets of the
// maxima are inputs.
type ArgParams struct {
	N          int // images
	Image, Out int // number of elements of one image in the input and in the output
	Batch      bool
}

func argGrad(q *device.Queue, k *device.Kernel, dst, grad, at device.Ptr, size int, p ArgParams) {
	q.Fill(dst, size*p.N*p.Image, 0)
	q.Launch(k, device.Line(device.Blocks(p.N*p.Out, 256, 32*q.Processors())), device.Line(256), 0,
		uint64(dst), uint64(grad), uint64(at), uint64(p.N), uint64(p.Out), uint64(p.Image), flag(p.Batch))
}
