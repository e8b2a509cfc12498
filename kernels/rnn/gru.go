package rnn

import (
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/mem"
)

// GRUGatesF32 computes the gates of a batch. Each row of r, u, hr and hPrev has n elements. ru
// [rows, 2n] holds the sums of products from which the gates are computed:
//
//	r = σ(ru[:, :n]), u = σ(ru[:, n:]), hr = hPrev r
//
// The slices must not overlap.
func GRUGatesF32(r, u, hr, ru, hPrev []float32, n int) {
	for row := 0; row*n < len(r); row++ {
		at := row * n
		g := ru[2*at:][:2*n]
		elem.SigmoidF32(r[at:][:n], g[:n])
		elem.SigmoidF32(u[at:][:n], g[n:])
		for k, v := range r[at:][:n] {
			hr[at+k] = hPrev[at+k] * v
		}
	}
}

// GRUStateF32 computes the new state h. At first, c holds the sums of products for the candidate
// state:
//
//	c = tanh(c), h = u (hPrev - c) + c
//
// All slices have the same length. They must not overlap.
func GRUStateF32(h, c, u, hPrev []float32) {
	elem.TanhF32(c, c)
	for k, v := range c {
		h[k] = float32(u[k]*(hPrev[k]-v)) + v
	}
}

// GRUParams describes one step of a GRU.
type GRUParams struct{ Batch, Input, Cell int }

func (p *GRUParams) product(k int) gemm.BatchParams {
	return gemm.BatchParams{M: p.Batch, N: p.Input + p.Cell, K: k, TransB: true}
}

// GRUGradScratchLen returns the number of floats of scratch that GRUGradF32 needs.
func GRUGradScratchLen(p GRUParams) int {
	return 2*p.Batch*(p.Input+p.Cell) + max(gemm.BatchScratchLen(p.product(p.Cell)), gemm.BatchScratchLen(p.product(2*p.Cell)))
}

// GRUGradF32 computes the gradients of one step of a GRU. In the formulas, a·b is a matrix product,
// a b is a product element by element, and [x h] means adjacent columns:
//
//	dcBar = dh (1-u) (1-c²)
//	duBar = dh (hPrev-c) u (1-u)
//	[a dhr] = dcBar·wcᵀ
//	drBar = dhr hPrev r (1-r)
//	[b e] = [drBar duBar]·wruᵀ
//	dx = a + b
//	dhPrev = e + dhr r + dh u
//
// wru is [Input+Cell, 2·Cell], wc [Input+Cell, Cell], dx [Batch, Input], and dru = [drBar duBar] is
// [Batch, 2·Cell]. The other slices are [Batch, Cell]. scratch has GRUGradScratchLen(p) floats. The
// slices must not overlap. The method is that of TensorFlow's GRUBlockCellGrad.
func GRUGradF32(run *mem.Budget, dx, dhPrev, dcBar, dru, hPrev, wru, wc, r, u, c, dh, scratch []float32, p GRUParams) {
	n, wide := p.Cell, p.Input+p.Cell
	call := run.Call()
	for row := range p.Batch {
		at := row * n
		for k := at; k < at+n; k++ {
			dcBar[k] = dh[k] * (1 - u[k]) * (1 - float32(c[k]*c[k]))
			dru[2*at+n+k-at] = dh[k] * (hPrev[k] - c[k]) * u[k] * (1 - u[k])
		}
	}
	size := p.Batch * wide
	second, first, scratch := scratch[:size], scratch[size:2*size], scratch[2*size:]
	product(&call, second, dcBar, wc, scratch, p.product(n))
	for row := range p.Batch {
		dhr := second[row*wide+p.Input:][:n]
		for k, g := range dhr {
			at := row*n + k
			dru[2*row*n+k] = g * hPrev[at] * r[at] * (1 - r[at])
		}
	}
	product(&call, first, dru, wru, scratch, p.product(2*n))
	for row := range p.Batch {
		a, b := second[row*wide:][:wide], first[row*wide:][:wide]
		d := dx[row*p.Input:][:p.Input]
		for k := range d {
			d[k] = b[k] + a[k]
		}
		for k := range n {
			at := row*n + k
			dhPrev[at] = b[p.Input+k] + float32(a[p.Input+k]*r[at]) + float32(dh[at]*u[at])
		}
	}
}
