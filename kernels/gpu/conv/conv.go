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
