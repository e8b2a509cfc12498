package linalg

import "github.com/graphc/graphc/rt/device"

// TridiagonalParams describes Batch tridiagonal matrices [M,M] and right-hand sides [M,K].
type TridiagonalParams struct {
	Batch, M, K int
	Pivot       bool
}

func (p *TridiagonalParams) solve(q *device.Queue, k *device.Kernel, x, diagonals, b, scratch device.Ptr) {
	var pivot uint64
	if p.Pivot {
		pivot = 1
	}
	if p.M == 0 {
		return
	}
	q.Launch(k, device.Line(device.Blocks(p.Batch*p.K, 64, 32*q.Processors())), device.Line(64), 0,
		uint64(x), uint64(diagonals), uint64(b), uint64(scratch), uint64(p.Batch), uint64(p.M), uint64(p.K), pivot)
}

func (p *TridiagonalParams) product(q *device.Queue, k *device.Kernel, out, up, diag, low, x device.Ptr) {
	each(q, k, p.Batch*p.M*p.K, uint64(out), uint64(up), uint64(diag), uint64(low), uint64(x), uint64(p.Batch), uint64(p.M), uint64(p.K))
}
