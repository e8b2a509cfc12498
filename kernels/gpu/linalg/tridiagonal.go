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

// TridiagonalF32 solves with the diagonals [Batch,3,M], the superdiagonal first, by elimination with
// or without exchanges of rows, for b [Batch,M,K]. NaN for a singular matrix, 0 for a complex one. scratch is memory for four times as many
// wide numbers as b has.
func TridiagonalF32(q *device.Queue, x, diagonals, b, scratch device.Ptr, p TridiagonalParams) {
	p.solve(q, &tridiagonalF32, x, diagonals, b, scratch)
}

// TridiagonalF64 is TridiagonalF32 for float64.
func TridiagonalF64(q *device.Queue, x, diagonals, b, scratch device.Ptr, p TridiagonalParams) {
	p.solve(q, &tridiagonalF64, x, diagonals, b, scratch)
}

// TridiagonalC64 is TridiagonalF32 for complex64.
func TridiagonalC64(q *device.Queue, x, diagonals, b, scratch device.Ptr, p TridiagonalParams) {
	p.solve(q, &tridiagonalC64, x, diagonals, b, scratch)
}

// TridiagonalC128 is TridiagonalF32 for complex128.
func TridiagonalC128(q *device.Queue, x, diagonals, b, scratch device.Ptr, p TridiagonalParams) {
	p.solve(q, &tridiagonalC128, x, diagonals, b, scratch)
}

// TridiagonalProductF32 multiplies x [Batch,M,K] by tridiagonal matrices, of which the diagonals are [Batch,M].
func TridiagonalProductF32(q *device.Queue, out, up, diag, low, x device.Ptr, p TridiagonalParams) {
	p.product(q, &productF32, out, up, diag, low, x)
}

// TridiagonalProductF64 is TridiagonalProductF32 for float64.
func TridiagonalProductF64(q *device.Queue, out, up, diag, low, x device.Ptr, p TridiagonalParams) {
	p.product(q, &productF64, out, up, diag, low, x)
}

// TridiagonalProductC64 is TridiagonalProductF32 for complex64.
func TridiagonalProductC64(q *device.Queue, out, up, diag, low, x device.Ptr, p TridiagonalParams) {
	p.product(q, &productC64, out, up, diag, low, x)
}

// TridiagonalProductC128 is TridiagonalProductF32 for complex128.
func TridiagonalProductC128(q *device.Queue, out, up, diag, low, x device.Ptr, p TridiagonalParams) {
	p.product(q, &productC128, out, up, diag, low, x)
}
