package conv

import "github.com/graphc/graphc/rt/device"

// DepthwiseParams describes the depthwise convolution of in[N,H,W,C] with a filter [KH,KW,C,Mult]
// into out[N,OH,OW,C*Mult]: channel c*Mult+m of out reads channel c of in. Positions and padding are
// as in Params, and strides and dilations of 0 count as 1.
type DepthwiseParams struct {
	N, H, W, C, Mult int
	KH, KW           int
	OH, OW           int
	SH, SW           int // strides
	PH, PW           int // padding in front
	DilH, DilW       int
}

// args returns the arguments of a kernel: the given arguments, followed by the sizes in the order of
// the kernel's parameters. Strides and dilations of 0 are replaced by 1.
func (p *DepthwiseParams) args(before ...uint64) []uint64 {
	for _, v := range []*int{&p.SH, &p.SW, &p.DilH, &p.DilW} {
		*v = max(*v, 1)
	}
	for _, v := range [...]int{p.N, p.H, p.W, p.C, p.Mult, p.KH, p.KW, p.OH, p.OW, p.SH, p.SW, p.PH, p.PW, p.DilH, p.DilW} {
		before = append(before, uint64(v))
	}
	return before
}

// each(q, k, n, args) launches the kernel k with threads that loop over n results.
func each(q *device.Queue, k *device.Kernel, n int, args []uint64) {
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

func depthwise(q *device.Queue, k *device.Kernel, out, in, filter device.Ptr, p DepthwiseParams) {
	args := p.args(uint64(out), uint64(in), uint64(filter))
	each(q, k, p.N*p.OH*p.OW*p.C*p.Mult, args)
}

func depthwiseInput(q *device.Queue, k *device.Kernel, in, grad, filter device.Ptr, p DepthwiseParams) {
	args := p.args(uint64(in), uint64(grad), uint64(filter))
	each(q, k, p.N*p.H*p.W*p.C, args)
}

func depthwiseFilter(q *device.Queue, k, sum *device.Kernel, filter, in, grad, scratch device.Ptr, wide int, p DepthwiseParams) {
	p.args()
	results := p.KH * p.KW * p.C * p.Mult
	if results == 0 {
		return
	}
	blocks, parts, to := p.KH*p.KW*((p.C*p.Mult+31)/32), 1, filter
	if scratch != 0 {
		parts = max(1, min(8*q.Processors()/blocks, p.N*p.OH*p.OW/128, Scratch/(wide*results)))
	}
	if parts > 1 {
		to = scratch
	}
	q.Launch(k, device.Line(blocks*parts), device.Dim{X: 32, Y: 8, Z: 1}, 0, p.args(uint64(to), uint64(in), uint64(grad), uint64(parts))...)
	join(q, sum, filter, scratch, results, parts)
}
