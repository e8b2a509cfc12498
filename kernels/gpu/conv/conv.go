// Package conv computes convolutions and their gradients on a GPU, for volumes and for images
// (volumes of depth 1). Each convolution or gradient is computed as a product of matrices. The
// device's own matrix library computes this product if the library supports the type, the channels
// are not grouped, and the scratch memory suffices. For gradients of the input, there is one more
// condition: each output position reads only the input element at the same position. In all other
// cases, kernels of this package read the operands in place and compute tiles of 64×64 results.
// Half-precision products are accumulated in float32, those of other types in their own type.
package conv

import (
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// Params describes the convolution of in[N,D,H,W,C] with a filter [KD,KH,KW,C/Groups,OC] into
// out[N,OD,OH,OW,OC]. In each dimension, position o of the output reads the input from o*Stride-Pad
// on, in steps of Dil. Elements outside the input count as zero. The padding behind the input is not
// given; the sizes of out imply it. Pads may be negative. For images the fields that end in D are
// zero. Strides, dilations and Groups of 0 count as 1.
type Params struct {
	N, D, H, W, C    int
	KD, KH, KW       int
	OD, OH, OW, OC   int
	SD, SH, SW       int // strides
	PD, PH, PW       int // padding in front
	DilD, DilH, DilW int
	Groups           int // C and OC are multiples of Groups
}

// Scratch is the size in bytes of the scratch memory that a caller may pass to functions of this
// package. The memory's contents do not matter. If the argument scratch is 0, there is no scratch
// memory. Then the device's matrix library is used only if no windows need to be copied, and
// products with few results are slower. The size was measured on an NVIDIA H100: with 8 MiB, ResNet50
// and a U-Net with 32 images take a fifth longer; with 96 MiB they take as long as with 32 MiB.
const Scratch = 32 << 20

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

// kind describes an element type: the sizes in bytes of an element and of a sum, and the kernels.
type kind struct {
	dtype                        tensor.DType
	size, wide                   int
	forward, input, filter, join *device.Kernel
}
