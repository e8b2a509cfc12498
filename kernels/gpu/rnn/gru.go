package rnn

import (
	"github.com/graphc/graphc/kernels/gpu/gemm"
	"github.com/graphc/graphc/rt/device"
)

// GRUParams describes one step of a GRU.
type GRUParams struct{ Batch, Input, Cell int }

// product returns the parameters of the product of a matrix [Batch, k] and a matrix [k, n]. In
// these parameters, the field Onto is set to the argument onto.
func (p *GRUParams) product(k, n, onto int) gemm.Params {
	return gemm.Params{M: p.Batch, N: n, K: k, Onto: onto}
}

// back returns the parameters of the product of a matrix [Batch, k] and the transpose of a matrix
// [Input+Cell, k].
func (p *GRUParams) back(k int) gemm.Params {
	return gemm.Params{M: p.Batch, N: p.Input + p.Cell, K: k, TransB: true}
}

// GRUF32 computes one step of a GRU. The operator · is the product of matrices, other products are
// element-wise, and [x y] joins the columns of x and y:
//
//	[r u] = σ([x hPrev]·wru + bru)
//	c     = tanh([x (hPrev r)]·wc + bc)
//	h     = u (hPrev - c) + c
//
// wru is [Input+Cell, 2·Cell], and wc is [Input+Cell, Cell]. scratch has 3·Batch·Cell floats. No two
// arguments overlap.
func GRUF32(q *device.Queue, r, u, c, h, x, hPrev, wru, wc, bru, bc, scratch device.Ptr, p GRUParams) {
	n := p.Batch * p.Cell
	sums, hr := scratch, scratch+device.Ptr(4*2*n)
	gemm.F32(q, sums, x, wru, p.product(p.Input, 2*p.Cell, 0))
	gemm.F32(q, sums, hPrev, wru+device.Ptr(4*2*p.Input*p.Cell), p.product(p.Cell, 2*p.Cell, 1))
	each(q, &gruGates, n, append(words(r, u, hr, sums, bru, hPrev), uint64(p.Batch), uint64(p.Cell))...)
	gemm.F32(q, c, x, wc, p.product(p.Input, p.Cell, 0))
	gemm.F32(q, c, hr, wc+device.Ptr(4*p.Input*p.Cell), p.product(p.Cell, p.Cell, 1))
	each(q, &gruState, n, append(words(h, c, u, bc, hPrev), uint64(p.Batch), uint64(p.Cell))...)
}

// GRUGradF32 computes the gradients of GRUF32, where [a b] joins the columns of a and b:
//
//	dcBar = dh (1-u) (1-c²)
//	duBar = dh (hPrev-c) u (1-u)
//	[a dhr] = dcBar·wcᵀ
//	drBar = dhr hPrev r (1-r)
//	[b e] = [drBar duBar]·wruᵀ
//	dx = a + b
//	dhPrev = e + dhr r + dh u
//
// dru, [Batch, 2·Cell], gets [drBar duBar]. scratch has 2·Batch·(Input+Cell) floats. No two arguments
// overlap. The method is that of TensorFlow's GRUBlockCellGrad.
func GRUGradF32(q *device.Queue, dx, dhPrev, dcBar, dru, hPrev, wru, wc, r, u, c, dh, scratch device.Ptr, p GRUParams) {
	n, wide := p.Batch*p.Cell, p.Batch*(p.Input+p.Cell)
	first, second := scratch, scratch+device.Ptr(4*wide)
	batch, cell, input := uint64(p.Batch), uint64(p.Cell), uint64(p.Input)
	each(q, &gruBackFirst, n, append(words(dcBar, dru, hPrev, u, c, dh), batch, cell)...)
	gemm.F32(q, second, dcBar, wc, p.back(p.Cell))
	each(q, &gruBackReset, n, append(words(dru, second, hPrev, r), batch, cell, input)...)
	gemm.F32(q, first, dru, wru, p.back(2*p.Cell))
	each(q, &gruBackLast, wide, append(words(dx, dhPrev, first, second, r, u, dh), batch, cell, input)...)
}
