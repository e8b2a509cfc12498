// Package image resizes and crops images [N,H,W,C] on a GPU. Positions and weights are computed in
// float32 with a rounding at each step, as in kernels/image. Gradients are summed in no fixed order.
package image

import (
	"math"

	"github.com/graphc/graphc/rt/device"
)

// ResizeParams describes the resizing of in[N,H,W,C] to out[N,OH,OW,C].
type ResizeParams struct {
	N, H, W, C, OH, OW int
	AlignCorners       bool // whether the centres of the corner pixels of input and output coincide
	HalfPixel          bool // whether the centre of pixel i is at i+1/2 instead of i
}

// scale returns the distance between neighbouring output pixels, measured in input pixels.
func (p *ResizeParams) scale(in, out int) float32 {
	if p.AlignCorners && out > 1 {
		return float32(in-1) / float32(out-1)
	}
	return float32(in) / float32(out)
}

// flag returns 1 for true and 0 for false.
func flag(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// launch launches a thread for each element of the output, or of its gradient.
func launch(q *device.Queue, k *device.Kernel, to, from device.Ptr, p *ResizeParams) {
	n := p.N * p.OH * p.OW * p.C
	if n == 0 || p.H == 0 || p.W == 0 {
		return
	}
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, uint64(to), uint64(from),
		uint64(p.N), uint64(p.H), uint64(p.W), uint64(p.C), uint64(p.OH), uint64(p.OW), flag(p.AlignCorners), flag(p.HalfPixel),
		math.Float64bits(float64(p.scale(p.H, p.OH))), math.Float64bits(float64(p.scale(p.W, p.OW))))
}

// nearest copies pixels in units of up to 16 bytes, as wide as the number of channels and the
// alignment of the addresses allow.
func nearest(q *device.Queue, out, in device.Ptr, size int, p ResizeParams) {
	for size < 16 && p.C%2 == 0 && p.C > 0 && (out|in)%device.Ptr(2*size) == 0 {
		size, p.C = 2*size, p.C/2
	}
	var k *device.Kernel
	switch size {
	case 1:
		k = &nearestB1
	case 2:
		k = &nearestB2
	case 4:
		k = &nearestB4
	case 8:
		k = &nearestB8
	default:
		k = &nearestB16
	}
	launch(q, k, out, in, &p)
}

func bilinear(q *device.Queue, k *device.Kernel, out, in device.Ptr, size int, p ResizeParams) {
	if size == 4 && p.OH == p.H && p.OW == p.W {
		q.Move(out, in, 4*p.N*p.H*p.W*p.C)
		return
	}
	launch(q, k, out, in, &p)
}

func gradient(q *device.Queue, k *device.Kernel, dx, grad device.Ptr, size int, p ResizeParams) {
	q.Fill(dx, size*p.N*p.H*p.W*p.C, 0)
	launch(q, k, dx, grad, &p)
}
