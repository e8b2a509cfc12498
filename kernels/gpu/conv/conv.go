// Package conv holds convolutions and their gradients on a GPU, of volumes and of images (volumes
// of depth 1). They are products of matrices. The device's own library computes them if it supports
// the type and channels are not grouped; otherwise kernels read the operands in place and compute
// tiles of 64 by 64. Halves are accumulated in float32, everything else in its own type.
package conv

import (
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// Params describes the convolution of in[N,D,H,W,C] with a filter [KD,KH,KW,C/Groups,OC] into
// out[N,OD,OH,OW,OC]. Position o of a dimension reads from o*Stride-Pad on, in steps of Dil.
// Elements outside count as zero, so the padding after the input follows from the sizes of out.
// Pads may be negative. For images the fields that end in D are zero. Strides, dilations and Groups
// of 0 count as 1.
type Params struct {
	N, D, H, W, C    int
	KD, KH, KW       int
	OD, OH, OW, OC   int
	SD, SH, SW       int // strides
	PD, PH, PW       int // padding in front
	DilD, DilH, DilW int
	Groups           int // C and OC are multiples of Groups
}

// Scratch is the size in bytes of the scratch memory a caller may pass to functions of this
// package. Its contents do not matter. Without it (scratch 0) the library multiplies only
// where no windows need copying, and products with few results are slower.
const Scratch = 8 << 20

// fill completes the sizes: an image is one plane, and omitted strides, dilations and groups
// are 1.
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

// args returns the sizes as arguments of the kernels.
func (p *Params) args() []uint64 {
	var a []uint64
	for _, v := range [...]int{p.N, p.D, p.H, p.W, p.C, p.KD, p.KH, p.KW, p.OD, p.OH, p.OW, p.OC, p.SD, p.SH, p.SW,
		p.PD, p.PH, p.PW, p.DilD, p.DilH, p.DilW, p.Groups} {
		a = append(a, uint64(v))
	}
	return a
}

// kind is a type of elements: its size, the size of its sums, and its kernels.
type kind struct {
	dtype                        tensor.DType
	size, wide                   int
	forward, input, filter, join *device.Kernel
}
