package image

import "github.com/graphc/graphc/rt/device"

// each(q, k, n, args...) launches the kernel k with threads that loop over n elements or pixels.
func each(q *device.Queue, k *device.Kernel, n int, args ...uint64) {
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

// Hue rotates the hue of n pixels. delta is the address of a float32, the rotation in full turns. The
// channels of the pixels are float32. dst may equal src.
func Hue(q *device.Queue, dst, src, delta device.Ptr, n int) {
	each(q, &hue, n, uint64(dst), uint64(src), uint64(delta), uint64(n))
}

// Saturation multiplies the saturation of n float32 pixels by a factor, and clamps the product to
// [0, 1]. The parameter scale is the address of the factor, a float32. dst may be src.
func Saturation(q *device.Queue, dst, src, scale device.Ptr, n int) {
	each(q, &saturation, n, uint64(dst), uint64(src), uint64(scale), uint64(n))
}

// ContrastParams describes images of Pixels pixels of C channels.
type ContrastParams struct{ Images, Pixels, C int }

// Contrast computes dst = (src-mean)*factor + mean in float32. mean is computed for each channel of
// each image; factor is the address of the float32 factor. scratch has Images·C numbers. dst may be
// src.
func Contrast(q *device.Queue, dst, src, factor, scratch device.Ptr, p ContrastParams) {
	n := p.Images * p.Pixels * p.C
	if n == 0 {
		return
	}
	q.Launch(&means, device.Line(p.Images*p.C), device.Line(256), 0, uint64(scratch), uint64(src), uint64(p.Pixels), uint64(p.C))
	each(q, &contrast, n, uint64(dst), uint64(src), uint64(scratch), uint64(factor), uint64(n), uint64(p.Pixels), uint64(p.C))
}
