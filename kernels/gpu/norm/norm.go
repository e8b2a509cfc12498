// Package norm computes batch and layer normalisation on a GPU. Half-precision and float32 elements
// are computed in float32. Statistics of half-precision elements are float32. Sums have a fixed
// order, which depends on the sizes and the number of the device's processors.
package norm

import (
	"math"

	"github.com/graphc/graphc/rt/device"
)

// LayerParams describes a normalisation of each of Rows rows of C elements.
type LayerParams struct {
	Rows, C int
	Epsilon float32
	// The normalised rows are multiplied by Gamma ([C]), and Beta ([C]) is added. An address of 0
	// means ones for Gamma and zeros for Beta. Only LayerNorm uses Beta.
	Gamma, Beta device.Ptr
}

// layer launches the kernel k, which normalises each row of x and stores the results in y.
func layer(q *device.Queue, k *device.Kernel, y, x, beta device.Ptr, p LayerParams, centre uint64) {
	if p.Rows == 0 || p.C == 0 {
		return
	}
	block := device.Dim{X: 32, Y: 8, Z: 1}
	if p.C > 8192 {
		block = device.Dim{X: 1024, Y: 1, Z: 1}
	} else if p.C > 1024 {
		block = device.Dim{X: 256, Y: 1, Z: 1}
	}
	q.Launch(k, device.Line((p.Rows+block.Y-1)/block.Y), block, 0, uint64(y), uint64(x), uint64(p.Gamma), uint64(beta),
		uint64(p.Rows), uint64(p.C), centre, math.Float64bits(float64(p.Epsilon)))
}

// Params describes batch normalisation of x[Outer, C, Inner]: for NHWC, Inner is 1 and Outer is the
// number of pixels; for NCHW, Outer is the number of images and Inner is the number of pixels of an
// image.
type Params struct {
	Outer, C, Inner int
	Epsilon         float32
	// Factor is exponential_avg_factor: with 1 the batch's own statistics are returned,
	// otherwise (1-Factor)*old + Factor*batch.
	Factor float32
	// OldMean and OldVar ([C]) are the old statistics that Train mixes in, or 0 if Factor is 1.
	OldMean, OldVar device.Ptr
}

// Scratch returns how many bytes of scratch the statistics of c channels need. The contents
// do not matter.
func Scratch(c int) int { return max(1<<20, 16*c) }

// parts returns the number of parts into which each sum of the statistics is split. The parameter
// size is the number of bytes of one sum.
func (p *Params) parts(q *device.Queue, size int) int {
	blocks := p.C
	if p.Inner == 1 {
		blocks = (p.C + 31) / 32
	}
	return max(1, min(8*q.Processors()/max(1, blocks), p.Outer*p.Inner/256, Scratch(p.C)/(2*size*p.C)))
}

// sums launches the kernel that sums each part of each channel.
func (p *Params) sums(q *device.Queue, columns, planes *device.Kernel, part, x, dy, mean device.Ptr, parts int) {
	if p.Inner == 1 {
		q.Launch(columns, device.Line(parts*((p.C+31)/32)), device.Dim{X: 32, Y: 8, Z: 1}, 0,
			uint64(part), uint64(x), uint64(dy), uint64(mean), uint64(p.Outer), uint64(p.C), uint64(parts))
		return
	}
	q.Launch(planes, device.Line(parts*p.C), device.Line(256), 0,
		uint64(part), uint64(x), uint64(dy), uint64(mean), uint64(p.Outer), uint64(p.C), uint64(p.Inner), uint64(parts))
}

// each(q, n) returns the grid and the block for threads that loop over n elements.
func each(q *device.Queue, n int) (grid, block device.Dim) {
	return device.Line(device.Blocks(n, 256, 16*q.Processors())), device.Line(256)
}

// shift launches the kernel k, which computes y = (x-mean)·scale/√(variance+Epsilon) + offset.
func (p *Params) shift(q *device.Queue, k *device.Kernel, y, x, scale, offset, mean, variance device.Ptr) {
	n := p.Outer * p.C * p.Inner
	grid, block := each(q, n)
	q.Launch(k, grid, block, 0, uint64(y), uint64(x), uint64(scale), uint64(offset), uint64(mean), uint64(variance),
		uint64(n), uint64(p.C), uint64(p.Inner), math.Float64bits(float64(p.Epsilon)))
}

// statistics holds the kernels that batch normalisation in training needs.
type statistics struct{ columns, planes, mean, variance, shift *device.Kernel }

func (p *Params) train(q *device.Queue, s statistics, y, x, scale, offset, mean, variance, saved, savedVar, scratch device.Ptr, size int) {
	if p.C == 0 {
		return
	}
	rest, parts := p.Outer*p.Inner, p.parts(q, size)
	grid, block := each(q, p.C)
	p.sums(q, s.columns, s.planes, scratch, x, 0, 0, parts)
	q.Launch(s.mean, grid, block, 0, uint64(saved), uint64(scratch), uint64(p.C), uint64(parts), uint64(rest))
	p.sums(q, s.columns, s.planes, scratch, x, 0, saved, parts)
	q.Launch(s.variance, grid, block, 0, uint64(mean), uint64(variance), uint64(savedVar), uint64(saved), uint64(p.OldMean), uint64(p.OldVar),
		uint64(scratch), uint64(p.C), uint64(parts), uint64(rest), math.Float64bits(float64(p.Factor)))
	p.shift(q, s.shift, y, x, scale, offset, saved, savedVar)
}

// gradients holds the kernels that the gradient of batch normalisation needs.
type gradients struct{ columns, planes, of, gradient *device.Kernel }

func (p *Params) grad(q *device.Queue, s gradients, dx, dscale, doffset, dy, x, scale, mean, variance, scratch device.Ptr, training bool, size int) {
	if p.C == 0 {
		return
	}
	n, rest, parts := p.Outer*p.C*p.Inner, 0, p.parts(q, size)
	if training {
		rest = p.Outer * p.Inner
	}
	epsilon := math.Float64bits(float64(p.Epsilon))
	p.sums(q, s.columns, s.planes, scratch, x, dy, mean, parts)
	grid, block := each(q, p.C)
	q.Launch(s.of, grid, block, 0, uint64(dscale), uint64(doffset), uint64(variance), uint64(scratch), uint64(p.C), uint64(parts), epsilon)
	grid, block = each(q, n)
	q.Launch(s.gradient, grid, block, 0, uint64(dx), uint64(dy), uint64(x), uint64(scale), uint64(mean), uint64(variance),
		uint64(dscale), uint64(doffset), uint64(n), uint64(p.C), uint64(p.Inner), uint64(rest), epsilon)
}
