package conv

import "github.com/graphc/graphc/rt/device"

// DilationParams describes Dilation2D of in[N,H,W,C] by a filter [KH,KW,C] to out[N,OH,OW,C].
// Positions and padding are as in Params, but elements outside the input are ignored.
type DilationParams struct {
	N, H, W, C int
	KH, KW     int
	OH, OW     int
	SH, SW     int // strides
	PH, PW     int // padding in front
	DilH, DilW int
}

func dilate(q *device.Queue, k *device.Kernel, p DilationParams, args ...uint64) {
	for _, v := range []*int{&p.SH, &p.SW, &p.DilH, &p.DilW} {
		*v = max(*v, 1)
	}
	for _, v := range [...]int{p.N, p.H, p.W, p.C, p.KH, p.KW, p.OH, p.OW, p.SH, p.SW, p.PH, p.PW, p.DilH, p.DilW} {
		args = append(args, uint64(v))
	}
	each(q, k, p.N*p.OH*p.OW*p.C, args)
}

// DilateInputF32 computes the gradient of DilateF32 with respect to its input and stores it in dx.
// grad is the gradient of DilateF32's result. Each element of that result is the largest of several
// sums of an input element and a filter element. The element of grad at the same position is added to
// the element of dx at the position of the input element in the largest sum. If several sums are
// equal, the first one counts. The order of these additions is not fixed.
func DilateInputF32(q *device.Queue, dx, in, filter, grad device.Ptr, p DilationParams) {
	q.Fill(dx, 4*p.N*p.H*p.W*p.C, 0)
	dilate(q, &dilateInputF32, p, uint64(dx), uint64(in), uint64(filter), uint64(grad))
}

// DilateInputF64 is DilateInputF32 for float64.
func DilateInputF64(q *device.Queue, dx, in, filter, grad device.Ptr, p DilationParams) {
	q.Fill(dx, 8*p.N*p.H*p.W*p.C, 0)
	dilate(q, &dilateInputF64, p, uint64(dx), uint64(in), uint64(filter), uint64(grad))
}

// DilateInputF16 is DilateInputF32 for binary16.
func DilateInputF16(q *device.Queue, dx, in, filter, grad device.Ptr, p DilationParams) {
	q.Fill(dx, 2*p.N*p.H*p.W*p.C, 0)
	dilate(q, &dilateInputF16, p, uint64(dx), uint64(in), uint64(filter), uint64(grad))
}

// DilateInputBF16 is DilateInputF32 for bfloat16.
func DilateInputBF16(q *device.Queue, dx, in, filter, grad device.Ptr, p DilationParams) {
	q.Fill(dx, 2*p.N*p.H*p.W*p.C, 0)
	dilate(q, &dilateInputBF16, p, uint64(dx), uint64(in), uint64(filter), uint64(grad))
}

// DilateFilterF32 computes the gradient of DilateF32 with respect to its filter and stores it in
// dw. The other arguments are as in DilateInputF32.
func DilateFilterF32(q *device.Queue, dw, in, filter, grad device.Ptr, p DilationParams) {
	q.Fill(dw, 4*p.KH*p.KW*p.C, 0)
	dilate(q, &dilateFilterF32, p, uint64(dw), uint64(in), uint64(filter), uint64(grad))
}

// DilateFilterF64 is DilateFilterF32 for float64.
func DilateFilterF64(q *device.Queue, dw, in, filter, grad device.Ptr, p DilationParams) {
	q.Fill(dw, 8*p.KH*p.KW*p.C, 0)
	dilate(q, &dilateFilterF64, p, uint64(dw), uint64(in), uint64(filter), uint64(grad))
}

// DilateFilterF16 is DilateFilterF32 for binary16.
func DilateFilterF16(q *device.Queue, dw, in, filter, grad device.Ptr, p DilationParams) {
	q.Fill(dw, 2*p.KH*p.KW*p.C, 0)
	dilate(q, &dilateFilterF16, p, uint64(dw), uint64(in), uint64(filter), uint64(grad))
}

// DilateFilterBF16 is DilateFilterF32 for bfloat16.
func DilateFilterBF16(q *device.Queue, dw, in, filter, grad device.Ptr, p DilationParams) {
	q.Fill(dw, 2*p.KH*p.KW*p.C, 0)
	dilate(q, &dilateFilterBF16, p, uint64(dw), uint64(in), uint64(filter), uint64(grad))
}
