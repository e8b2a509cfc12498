// Package rnn computes LSTM and GRU cells on a GPU, for one step or a whole sequence, and their
// gradients. Products of matrices use package gemm. A single kernel does the work between two
// products.
package rnn

import (
	"math"

	"github.com/graphc/graphc/kernels/gpu/gemm"
	"github.com/graphc/graphc/kernels/gpu/reduce"
	"github.com/graphc/graphc/rt/device"
)

// LSTMParams describes an LSTM over sequences of Steps steps, of which only the first Used are
// computed. The four gates are stored in rows of 4·Cell elements, that is, Cell elements for each
// gate. The order of the gates in a row is input, cell input, forget, output (ICFO); with ForgetFirst
// it is input, forget, cell input, output (IFCO).
type LSTMParams struct {
	Steps, Used, Batch int
	Input, Cell        int // number of columns of the input x and of the output h
	ForgetFirst        bool
	Peephole           bool    // whether the cell state, weighted by wci, wcf and wco, is added to the gates
	ForgetBias         float32 // number that is added to the forget gate
	Clip               float32 // bound of the cell state's magnitude; 0 or less means no bound
}

func (p *LSTMParams) flags() uint64 {
	var f uint64
	if p.ForgetFirst {
		f |= 1
	}
	if p.Peephole {
		f |= 2
	}
	return f
}

// lstm holds the kernels that a function needs for its type of elements.
type lstm struct {
	size                  int
	step, grad, peepholes *device.Kernel
	product               func(q *device.Queue, c, a, b device.Ptr, p gemm.Params)
	sum                   func(q *device.Queue, dst, src device.Ptr, p reduce.Params)
}

func words(ps ...device.Ptr) []uint64 {
	w := make([]uint64, len(ps), len(ps)+6)
	for i, p := range ps {
		w[i] = uint64(p)
	}
	return w
}

// each(q, k, n, args...) launches the kernel k with threads that loop over n elements.
func each(q *device.Queue, k *device.Kernel, n int, args ...uint64) {
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

func (l *lstm) forward(q *device.Queue, i, cs, f, o, ci, co, h, x, csPrev, hPrev, w, wci, wcf, wco, b, gates device.Ptr, p *LSTMParams) {
	size, wide := p.Batch*p.Cell, 4*p.Cell
	at := func(base device.Ptr, n int) device.Ptr { return base + device.Ptr(n*l.size) }
	l.product(q, gates, x, w, gemm.Params{M: p.Used * p.Batch, N: wide, K: p.Input})
	wh := at(w, p.Input*wide)
	for t := range p.Used {
		g, now := at(gates, 4*t*size), t*size
		l.product(q, g, hPrev, wh, gemm.Params{M: p.Batch, N: wide, K: p.Cell, Onto: 1})
		args := words(at(i, now), at(cs, now), at(f, now), at(o, now), at(ci, now), at(co, now), at(h, now), g, csPrev, wci, wcf, wco, b)
		each(q, l.step, size, append(args, uint64(p.Batch), uint64(p.Cell), p.flags(), math.Float64bits(float64(p.ForgetBias)), math.Float64bits(float64(p.Clip)))...)
		csPrev, hPrev = at(cs, now), at(h, now)
	}
	if p.Used < p.Steps {
		for _, s := range [...]device.Ptr{i, cs, f, o, ci, co, h} {
			q.Fill(at(s, p.Used*size), (p.Steps-p.Used)*size*l.size, 0)
		}
	}
}

// cellGrad launches the kernel that computes the gradient of one step. csNext and hNext are the
// addresses of the gradients that come from the next step, or 0 if there is no next step.
func (l *lstm) cellGrad(q *device.Queue, csPrevGrad, dgates, csPrev, wci, wcf, wco, i, f, o, ci, co, csGrad, hGrad, csNext, hNext device.Ptr, p *LSTMParams) {
	args := words(csPrevGrad, dgates, csPrev, wci, wcf, wco, i, f, o, ci, co, csGrad, hGrad, csNext, hNext)
	each(q, l.grad, p.Batch*p.Cell, append(args, uint64(p.Batch), uint64(p.Cell), p.flags())...)
}

// peepGrad sums the gradients of the peepholes over the Used steps.
func (l *lstm) peepGrad(q *device.Queue, wciGrad, wcfGrad, wcoGrad, dgates, csPrev, cs device.Ptr, p *LSTMParams) {
	args := append(words(wciGrad, wcfGrad, wcoGrad, dgates, csPrev, cs), uint64(p.Used*p.Batch), uint64(p.Batch), uint64(p.Cell), p.flags())
	q.Launch(l.peepholes, device.Line((p.Cell+31)/32), device.Dim{X: 32, Y: 8, Z: 1}, 0, args...)
}

func (l *lstm) backward(q *device.Queue, xGrad, csPrevGrad, hPrevGrad, wGrad, bGrad, x, csPrev, hPrev, w, wci, wcf, wco,
	i, cs, f, o, ci, co, h, csGrad, hGrad, dgates device.Ptr, p *LSTMParams) {
	size, wide, n := p.Batch*p.Cell, 4*p.Cell, p.Used
	at := func(base device.Ptr, n int) device.Ptr { return base + device.Ptr(n*l.size) }
	q.Fill(csPrevGrad, size*l.size, 0)
	q.Fill(hPrevGrad, size*l.size, 0)
	wh := at(w, p.Input*wide)
	for t := n - 1; t >= 0; t-- {
		prev, now := csPrev, t*size
		if t > 0 {
			prev = at(cs, now-size)
		}
		dg := at(dgates, 4*now)
		l.cellGrad(q, csPrevGrad, dg, prev, wci, wcf, wco, at(i, now), at(f, now), at(o, now), at(ci, now), at(co, now), at(csGrad, now), at(hGrad, now),
			csPrevGrad, hPrevGrad, p)
		l.product(q, hPrevGrad, dg, wh, gemm.Params{M: p.Batch, N: p.Cell, K: wide, TransB: true})
	}
	l.product(q, xGrad, dgates, w, gemm.Params{M: n * p.Batch, N: p.Input, K: wide, TransB: true})
	q.Fill(at(xGrad, n*p.Batch*p.Input), (p.Steps-n)*p.Batch*p.Input*l.size, 0)
	l.product(q, wGrad, x, dgates, gemm.Params{M: p.Input, N: wide, K: n * p.Batch, TransA: true})
	// The recurrent input of step 0 is hPrev. For each later step, it is the output of the previous
	// step, which is stored in h.
	recurrent := at(wGrad, p.Input*wide)
	first, more := min(n, 1), max(n-1, 0)
	l.product(q, recurrent, hPrev, dgates, gemm.Params{M: p.Cell, N: wide, K: first * p.Batch, TransA: true})
	l.product(q, recurrent, h, at(dgates, 4*size), gemm.Params{M: p.Cell, N: wide, K: more * p.Batch, TransA: true, Onto: 1})
	l.sum(q, bGrad, dgates, reduce.Params{Outer: 1, N: n * p.Batch, Inner: wide})
}
