// Package fft computes discrete Fourier transforms of any length on a GPU, over the last one to three
// dimensions. Computations have the precision of the elements. Lengths up to 2048 (1024 for
// complex128) without large prime factors take one pass through shared memory, other lengths several.
package fft

import "github.com/graphc/graphc/rt/device"

// Params describes transforms of Batch blocks. A block of the input is In[0] × In[1] × In[2], a block
// of the output Out[0] × Out[1] × Out[2]. The last Rank dimensions are transformed; those before them
// are 1. N holds the length of the transform in each dimension.
type Params struct {
	Batch   int
	Rank    int
	In      [3]int
	Out     [3]int
	N       [3]int
	Inverse bool // scaled by 1/length
}

// scale returns the factor of the result: 1/length for an inverse transform, else 1.
func (p *Params) scale() float64 {
	if n := size(p.N); p.Inverse && n > 0 {
		return 1 / float64(n)
	}
	return 1
}

func size(d [3]int) int { return d[0] * d[1] * d[2] }

// along returns the lines of all blocks that extend along axis k. The parameters in and out are the
// dimensions of an input block and of an output block. On each axis j other than k, only the lines at
// the first n[j] positions are returned.
func (p *Params) along(k int, n, in, out [3]int) lines {
	strides := func(d [3]int) [3]int { return [3]int{d[1] * d[2], d[2], 1} }
	si, so := strides(in), strides(out)
	l := lines{[]int{p.Batch}, []int{size(in)}, []int{size(out)}, si[k], so[k]}
	for j := range 3 {
		if j != k {
			l.dims, l.in, l.out = append(l.dims, n[j]), append(l.in, si[j]), append(l.out, so[j])
		}
	}
	return l
}

// half returns the dimensions of the spectrum that a real transform stores. They equal N, except
// that the last dimension is N[2]/2+1.
func (p *Params) half() [3]int {
	h := p.N
	if h[2] > 0 {
		h[2] = h[2]/2 + 1
	}
	return h
}

// between returns the size, in complex numbers, of the scratch memory in which an inverse real
// transform keeps the result for one axis until the next axis is transformed. It returns 0 for
// transforms that need no such memory.
func (p *Params) between(real bool) int {
	if !real || !p.Inverse || p.Rank == 1 || size(p.In) == 0 {
		return 0
	}
	return p.Batch * size(p.half())
}

// scratch returns how many bytes of scratch a transform needs.
func (k *kernels) scratch(p *Params, real bool) int {
	most := 0
	for a := 3 - p.Rank; a < 3; a++ {
		n := p.N
		if a < 2 && real {
			n = p.half()
		}
		l := p.along(a, n, n, n)
		_, _, elements := k.room(p.N[a], l.count())
		most = max(most, elements)
	}
	return (most + p.between(real)) * k.size
}

// complexes computes transforms from complex numbers to complex numbers, one axis after the other.
func (k *kernels) complexes(q *device.Queue, dst, src, scratch device.Ptr, p *Params) {
	for a := 2; a >= 3-p.Rank; a-- {
		factor := 1.0
		if a == 2 {
			factor = p.scale()
		}
		k.axis(q, dst, src, scratch, p.N[a], p.along(a, p.N, p.N, p.N), p.flags(), p.N[a], factor)
		src = dst
	}
}

func (p *Params) flags() uint64 {
	if p.Inverse {
		return inverse
	}
	return 0
}

// forward computes transforms from real numbers to complex numbers. It transforms the last axis
// from the input to the output, and then the other axes in place in the output.
func (k *kernels) forward(q *device.Queue, dst, src, scratch device.Ptr, p *Params) {
	k.axis(q, dst, src, scratch, p.N[2], p.along(2, p.N, p.In, p.Out), realsIn, p.Out[2], 1)
	for a := 1; a >= 3-p.Rank; a-- {
		k.axis(q, dst, dst, scratch, p.N[a], p.along(a, p.Out, p.Out, p.Out), 0, p.N[a], 1)
	}
}

// backward computes inverse transforms from complex numbers to real numbers. If the input is empty,
// the results are zeros.
func (k *kernels) backward(q *device.Queue, dst, src, scratch device.Ptr, p *Params) {
	if size(p.In) == 0 {
		q.Fill(dst, p.Batch*size(p.Out)*k.size/2, 0)
		return
	}
	in, half := p.In, p.half()
	t := scratch
	scratch += device.Ptr(p.between(true) * k.size)
	for a := 3 - p.Rank; a < 2; a++ {
		k.axis(q, t, src, scratch, p.N[a], p.along(a, half, in, half), inverse, p.N[a], 1)
		src, in = t, half
	}
	k.axis(q, dst, src, scratch, p.N[2], p.along(2, p.N, in, p.Out), inverse|halfIn|realsOut, p.Out[2], p.scale())
}

func single() *kernels {
	return &kernels{8, 2048, &linesC64, &gatherC64, &scatterC64, &chirpsC64, &filterC64}
}

func double() *kernels {
	return &kernels{16, 1024, &linesC128, &gatherC128, &scatterC128, &chirpsC128, &filterC128}
}
