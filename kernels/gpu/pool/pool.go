// Package pool holds maximum and average pooling on a GPU, of volumes and of images, which
// are volumes of depth 1, with their gradients. Halves are computed in float32, everything
// else in its own type.
package pool

import "github.com/graphc/graphc/rt/device"

// Params describes pooling of in[N,D,H,W,C] over windows of KD×KH×KW into out[N,OD,OH,OW,C].
// Position o of a dimension begins at o*Stride-Pad; what lies outside does not take part, so
// that padding behind follows from the sizes of out. Images leave out what ends in D;
// a stride of 0 counts as 1.
type Params struct {
	N, D, H, W, C int
	KD, KH, KW    int
	OD, OH, OW    int
	SD, SH, SW    int // strides
	PD, PH, PW    int // padding in front
}

// launch launches a thread for each place of in, or for each position of out.
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

// flag is 1 for true.
func flag(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// MaxF32 sets out to the largest element of each window. NaN never counts, and no result is below
// the lowest finite number (an empty or all -Inf window gives it), both as in TensorFlow.
func MaxF32(q *device.Queue, out, in device.Ptr, p Params) {
	launch(q, &maxF32, false, p, uint64(out), uint64(in))
}

// MaxF64 is MaxF32 for float64.
func MaxF64(q *device.Queue, out, in device.Ptr, p Params) {
	launch(q, &maxF64, false, p, uint64(out), uint64(in))
}

// MaxF16 is MaxF32 for binary16.
func MaxF16(q *device.Queue, out, in device.Ptr, p Params) {
	launch(q, &maxF16, false, p, uint64(out), uint64(in))
}

// MaxBF16 is MaxF32 for bfloat16.
func MaxBF16(q *device.Queue, out, in device.Ptr, p Params) {
	launch(q, &maxBF16, false, p, uint64(out), uint64(in))
}

// AvgF32 sets out to the sum of each window's elements divided by their number; an empty window gives
// NaN.
func AvgF32(q *device.Queue, out, in device.Ptr, p Params) {
	launch(q, &avgF32, false, p, uint64(out), uint64(in))
}

// AvgF64 is AvgF32 for float64.
func AvgF64(q *device.Queue, out, in device.Ptr, p Params) {
	launch(q, &avgF64, false, p, uint64(out), uint64(in))
}

// AvgF16 is AvgF32 for binary16.
func AvgF16(q *device.Queue, out, in device.Ptr, p Params) {
	launch(q, &avgF16, false, p, uint64(out), uint64(in))
}

// AvgBF16 is AvgF32 for bfloat16.
func AvgBF16(q *device.Queue, out, in device.Ptr, p Params) {
	launch(q, &avgBF16, false, p, uint64(out), uint64(in))
}

// AvgGradF32 sets in to the gradient of average pooling, given that of its result, grad.
func AvgGradF32(q *device.Queue, in, grad device.Ptr, p Params) {
	launch(q, &avgGradF32, true, p, uint64(in), uint64(grad))
}

// AvgGradF64 is AvgGradF32 for float64.
func AvgGradF64(q *device.Queue, in, grad device.Ptr, p Params) {
	launch(q, &avgGradF64, true, p, uint64(in), uint64(grad))
}

// AvgGradF16 is AvgGradF32 for binary16.
func AvgGradF16(q *device.Queue, in, grad device.Ptr, p Params) {
	launch(q, &avgGradF16, true, p, uint64(in), uint64(grad))
}

// AvgGradBF16 is AvgGradF32 for bfloat16.
func AvgGradBF16(q *device.Queue, in, grad device.Ptr, p Params) {
	launch(q, &avgGradBF16, true, p, uint64(in), uint64(grad))
}

// MaxArgF32 sets out to the largest element of each window, the first of several, and at, int64, to
// where it stands: its offset in the image, or in the whole tensor if batch.
func MaxArgF32(q *device.Queue, out, at, in device.Ptr, batch bool, p Params) {
	launch(q, &maxArgF32, false, p, uint64(out), uint64(at), uint64(in), flag(batch))
}

// MaxArgF64 is MaxArgF32 for float64.
func MaxArgF64(q *device.Queue, out, at, in device.Ptr, batch bool, p Params) {
	launch(q, &maxArgF64, false, p, uint64(out), uint64(at), uint64(in), flag(batch))
}

// MaxArgF16 is MaxArgF32 for binary16.
func MaxArgF16(q *device.Queue, out, at, in device.Ptr, batch bool, p Params) {
	launch(q, &maxArgF16, false, p, uint64(out), uint64(at), uint64(in), flag(batch))
}

// MaxArgBF16 is MaxArgF32 for bfloat16.
func MaxArgBF16(q *device.Queue, out, at, in device.Ptr, batch bool, p Params) {
	launch(q, &maxArgBF16, false, p, uint64(out), uint64(at), uint64(in), flag(batch))
}

// MaxGradF32 sets dst to the gradient of maximum pooling of in, given that of its result, grad: it goes
// to the first of the largest elements.
func MaxGradF32(q *device.Queue, dst, in, grad device.Ptr, p Params) {
	launch(q, &maxGradF32, true, p, uint64(dst), uint64(in), uint64(grad))
}

// MaxGradF64 is MaxGradF32 for float64.
func MaxGradF64(q *device.Queue, dst, in, grad device.Ptr, p Params) {
	launch(q, &maxGradF64, true, p, uint64(dst), uint64(in), uint64(grad))
}

// MaxGradF16 is MaxGradF32 for binary16.
func MaxGradF16(q *device.Queue, dst, in, grad device.Ptr, p Params) {
	launch(q, &maxGradF16, true, p, uint64(dst), uint64(in), uint64(grad))
}

// MaxGradBF16 is MaxGradF32 for bfloat16.
func MaxGradBF16(q *device.Queue, dst, in, grad device.Ptr, p Params) {
	launch(q, &maxGradBF16, true, p, uint64(dst), uint64(in), uint64(grad))
}

// MaxTiesF32 is MaxGradF32 as TensorFlow has it for volumes: the gradient goes to all elements of a
// window that equal the element of out, the result, up to 1e-5.
func MaxTiesF32(q *device.Queue, dst, in, out, grad device.Ptr, p Params) {
	launch(q, &maxTiesF32, true, p, uint64(dst), uint64(in), uint64(out), uint64(grad))
}

// MaxTiesF64 is MaxTiesF32 for float64.
func MaxTiesF64(q *device.Queue, dst, in, out, grad device.Ptr, p Params) {
	launch(q, &maxTiesF64, true, p, uint64(dst), uint64(in), uint64(out), uint64(grad))
}

// MaxTiesF16 is MaxTiesF32 for binary16.
func MaxTiesF16(q *device.Queue, dst, in, out, grad device.Ptr, p Params) {
	launch(q, &maxTiesF16, true, p, uint64(dst), uint64(in), uint64(out), uint64(grad))
}

// MaxTiesBF16 is MaxTiesF32 for bfloat16.
func MaxTiesBF16(q *device.Queue, dst, in, out, grad device.Ptr, p Params) {
	launch(q, &maxTiesBF16, true, p, uint64(dst), uint64(in), uint64(out), uint64(grad))
}

// MaxGradGradF32 is the gradient of MaxGradF32: what stands in grad, of the shape of in, where each
// window of in first has the element of out, the pooling's result; 0 where it does not have it.
func MaxGradGradF32(q *device.Queue, dst, in, out, grad device.Ptr, p Params) {
	launch(q, &maxGradGradF32, false, p, uint64(dst), uint64(in), uint64(out), uint64(grad))
}

// MaxGradGradF64 is MaxGradGradF32 for float64.
func MaxGradGradF64(q *device.Queue, dst, in, out, grad device.Ptr, p Params) {
	launch(q, &maxGradGradF64, false, p, uint64(dst), uint64(in), uint64(out), uint64(grad))
}

// MaxGradGradF16 is MaxGradGradF32 for binary16.
func MaxGradGradF16(q *device.Queue, dst, in, out, grad device.Ptr, p Params) {
	launch(q, &maxGradGradF16, false, p, uint64(dst), uint64(in), uint64(out), uint64(grad))
}

// MaxGradGradBF16 is MaxGradGradF32 for bfloat16.
func MaxGradGradBF16(q *device.Queue, dst, in, out, grad device.Ptr, p Params) {
	launch(q, &maxGradGradBF16, false, p, uint64(dst), uint64(in), uint64(out), uint64(grad))
}

// ArgParams describes gradients through given positions of the largest elements.
type ArgParams struct {
	N          int // images
	Image, Out int // elements of one image of the input and of the output
	Batch      bool
}

func argGrad(q *device.Queue, k *device.Kernel, dst, grad, at device.Ptr, size int, p ArgParams) {
	q.Fill(dst, size*p.N*p.Image, 0)
	q.Launch(k, device.Line(device.Blocks(p.N*p.Out, 256, 32*q.Processors())), device.Line(256), 0,
		uint64(dst), uint64(grad), uint64(at), uint64(p.N), uint64(p.Out), uint64(p.Image), flag(p.Batch))
}

// ArgGradF32 sets dst to sums of the elements of grad at the places at, int64, which are as MaxArgF32
// has them; what is for a place outside is left out. The order of sums is open.
func ArgGradF32(q *device.Queue, dst, grad, at device.Ptr, p ArgParams) {
	argGrad(q, &argGradF32, dst, grad, at, 4, p)
}

// ArgGradF64 is ArgGradF32 for float64.
func ArgGradF64(q *device.Queue, dst, grad, at device.Ptr, p ArgParams) {
	argGrad(q, &argGradF64, dst, grad, at, 8, p)
}

// ArgGradF16 is ArgGradF32 for binary16.
func ArgGradF16(q *device.Queue, dst, grad, at device.Ptr, p ArgParams) {
	argGrad(q, &argGradF16, dst, grad, at, 2, p)
}

// ArgGradBF16 is ArgGradF32 for bfloat16.
func ArgGradBF16(q *device.Queue, dst, grad, at device.Ptr, p ArgParams) {
	argGrad(q, &argGradBF16, dst, grad, at, 2, p)
}
