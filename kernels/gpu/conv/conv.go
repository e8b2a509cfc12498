// Package conv holds convolutions on a GPU, of volumes and of images, which are volumes of
// depth 1, with their gradients: products of matrices that are read in place, by the
// device's own library where it has one for the type and channels are not grouped, by tiles
// of 64 by 64 otherwise. Halves are accumulated in float32, everything else in its own type.
package conv

import (
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// Params describes the convolution of in[N,D,H,W,C] with a filter [KD,KH,KW,C/Groups,OC]
// into out[N,OD,OH,OW,OC]. Position o of a dimension reads from o*Stride-Pad on, in steps of
// Dil; what lies outside counts as zero, so that padding behind follows from the sizes of
// out. Pads may be negative. Images leave out what ends in D;
// strides, dilations and Groups of 0 count as 1.
type Params struct {
	N, D, H, W, C    int
	KD, KH, KW       int
	OD, OH, OW, OC   int
	SD, SH, SW       int // strides
	PD, PH, PW       int // padding in front
	DilD, DilH, DilW int
	Groups           int // C and OC are multiples of it
}

// Scratch is how many bytes of memory a function of this package may be lent; what is there
// does not matter. Where scratch is 0 there are no products by a library, and those whose
// results are few are slower.
const Scratch = 8 << 20

// fill completes the sizes: those of an image are of one plane, and what is left out is 1.
func (p *Params) fill() {
	if p.D == 0 && p.KD == 0 && p.OD == 0 && p.SD == 0 {
		p.D, p.KD, p.OD = 1, 1, 1
	}
	for _, v := range []*int{&p.SD, &p.SH, &p.SW, &p.DilD, &p.DilH, &p.DilW, &p.Groups} {
		*v = max(*v, 1)
	}
}

func (p *Params) positions() int { return p.N * p.OD * p.OH * p.OW }

func (p *Params) places() int { return p.N * p.D * p.H * p.W }

func (p *Params) taps() int { return p.KD * p.KH * p.KW }

// args are the sizes as the kernels take them.
func (p *Params) args() []uint64 {
	var a []uint64
	for _, v := range [...]int{p.N, p.D, p.H, p.W, p.C, p.KD, p.KH, p.KW, p.OD, p.OH, p.OW, p.OC, p.SD, p.SH, p.SW,
		p.PD, p.PH, p.PW, p.DilD, p.DilH, p.DilW, p.Groups} {
		a = append(a, uint64(v))
	}
	return a
}

// kind is a type of elements: its size, that of the numbers of sums, and its kernels.
type kind struct {
	dtype                        tensor.DType
	size, wide                   int
	forward, input, filter, join *device.Kernel
}

// F32 sets out to the convolution of in with filter.
func F32(q *device.Queue, out, in, filter, scratch device.Ptr, p Params) {
	forward(q, kind{tensor.Float32, 4, 4, &forwardF32, nil, nil, &joinF32}, out, in, filter, scratch, p)
}

// F64 is F32 for float64.
func F64(q *device.Queue, out, in, filter, scratch device.Ptr, p Params) {
	forward(q, kind{tensor.Float64, 8, 8, &forwardF64, nil, nil, &joinF64}, out, in, filter, scratch, p)
}

// F16 is F32 for binary16.
func F16(q *device.Queue, out, in, filter, scratch device.Ptr, p Params) {
	forward(q, kind{tensor.Half, 2, 4, &forwardF16, nil, nil, &joinF16}, out, in, filter, scratch, p)
}

// BF16 is F32 for bfloat16.
func BF16(q *device.Queue, out, in, filter, scratch device.Ptr, p Params) {
	forward(q, kind{tensor.BFloat16, 2, 4, &forwardBF16, nil, nil, &joinBF16}, out, in, filter, scratch, p)
}

// I32 is F32 for int32, which wraps around.
func I32(q *device.Queue, out, in, filter, scratch device.Ptr, p Params) {
	forward(q, kind{tensor.Int32, 4, 4, &forwardI32, nil, nil, &joinI32}, out, in, filter, scratch, p)
}

// InputF32 sets in to the gradient of a convolution's input, given that of its output, grad.
func InputF32(q *device.Queue, in, grad, filter, scratch device.Ptr, p Params) {
	input(q, kind{tensor.Float32, 4, 4, nil, &inputF32, nil, &joinF32}, in, grad, filter, scratch, p)
}

// InputF64 is InputF32 for float64.
func InputF64(q *device.Queue, in, grad, filter, scratch device.Ptr, p Params) {
	input(q, kind{tensor.Float64, 8, 8, nil, &inputF64, nil, &joinF64}, in, grad, filter, scratch, p)
}

// InputF16 is InputF32 for binary16.
func InputF16(q *device.Queue, in, grad, filter, scratch device.Ptr, p Params) {
	input(q, kind{tensor.Half, 2, 4, nil, &inputF16, nil, &joinF16}, in, grad, filter, scratch, p)
}

// InputBF16 is InputF32 for bfloat16.
func InputBF16(q *device.Queue, in, grad, filter, scratch device.Ptr, p Params) {
	input(q, kind{tensor.BFloat16, 2, 4, nil, &inputBF16, nil, &joinBF16}, in, grad, filter, scratch, p)
}

// InputI32 is InputF32 for int32, which wraps around.
func InputI32(q *device.Queue, in, grad, filter, scratch device.Ptr, p Params) {
	input(q, kind{tensor.Int32, 4, 4, nil, &inputI32, nil, &joinI32}, in, grad, filter, scratch, p)
}

// FilterF32 sets filter to the gradient of a convolution's filter, given its input and the
// gradient of its output, grad.
func FilterF32(q *device.Queue, filter, in, grad, scratch device.Ptr, p Params) {
	filterGrad(q, kind{tensor.Float32, 4, 4, nil, nil, &filterF32, &joinF32}, filter, in, grad, scratch, p)
}

// FilterF64 is FilterF32 for float64.
func FilterF64(q *device.Queue, filter, in, grad, scratch device.Ptr, p Params) {
	filterGrad(q, kind{tensor.Float64, 8, 8, nil, nil, &filterF64, &joinF64}, filter, in, grad, scratch, p)
}

// FilterF16 is FilterF32 for binary16.
func FilterF16(q *device.Queue, filter, in, grad, scratch device.Ptr, p Params) {
	filterGrad(q, kind{tensor.Half, 2, 4, nil, nil, &filterF16, &joinF16}, filter, in, grad, scratch, p)
}

// FilterBF16 is FilterF32 for bfloat16.
func FilterBF16(q *device.Queue, filter, in, grad, scratch device.Ptr, p Params) {
	filterGrad(q, kind{tensor.BFloat16, 2, 4, nil, nil, &filterBF16, &joinBF16}, filter, in, grad, scratch, p)
}
