package rnn

import (
	"github.com/graphc/graphc/kernels/gpu/gemm"
	"github.com/graphc/graphc/kernels/gpu/reduce"
	"github.com/graphc/graphc/rt/device"
)

// LSTMF32 computes the following for each step t < Used. The operator · is the product of matrices,
// other products are element-wise, and [x h] joins the columns of x and h:
//
//	g  = [x[t] h[t-1]]·w + b, in parts gi, gc, gf, go
//	i  = σ(gi + cs[t-1] wci)
//	ci = tanh(gc)
//	f  = σ(gf + ForgetBias + cs[t-1] wcf)
//	cs = clip(i ci + f cs[t-1])
//	co = tanh(cs)
//	o  = σ(go + cs wco)
//	h  = o co
//
// x is [Steps, Batch, Input], and w is [Input+Cell, 4·Cell]. The outputs are [Steps, Batch, Cell] and
// zero from step Used on. csPrev and hPrev, both [Batch, Cell], are the states before the first step.
// wci, wcf and wco, each [Cell], are used only with Peephole. gates is scratch of 4·Used·Batch·Cell
// elements. No output overlaps another argument. The method is that of TensorFlow's BlockLSTM.
func LSTMF32(q *device.Queue, i, cs, f, o, ci, co, h, x, csPrev, hPrev, w, wci, wcf, wco, b, gates device.Ptr, p LSTMParams) {
	l := lstm{size: 4, step: &lstmF32, product: gemm.F32}
	l.forward(q, i, cs, f, o, ci, co, h, x, csPrev, hPrev, w, wci, wcf, wco, b, gates, &p)
}

// LSTMF16 is LSTMF32 for binary16. Each operation rounds to binary16.
func LSTMF16(q *device.Queue, i, cs, f, o, ci, co, h, x, csPrev, hPrev, w, wci, wcf, wco, b, gates device.Ptr, p LSTMParams) {
	l := lstm{size: 2, step: &lstmF16, product: gemm.F16}
	l.forward(q, i, cs, f, o, ci, co, h, x, csPrev, hPrev, w, wci, wcf, wco, b, gates, &p)
}

// LSTMCellGradF32 computes the gradients of one step of LSTMF32:
//
//	do  = o (1-o) hGrad co
//	dcs = (1-co²) hGrad o + csGrad + do wco
//	dci = (1-ci²) dcs i
//	df  = f (1-f) dcs csPrev
//	di  = i (1-i) dcs ci
//	csPrevGrad = dcs f + di wci + df wcf
//
// The array dgates[Batch, 4·Cell] receives di, dci, df and do. Their order is the order of the gates
// that p.ForgetFirst selects. p.Steps must be 1.
func LSTMCellGradF32(q *device.Queue, csPrevGrad, dgates, csPrev, wci, wcf, wco, i, f, o, ci, co, csGrad, hGrad device.Ptr, p LSTMParams) {
	l := lstm{grad: &lstmGradF32}
	l.cellGrad(q, csPrevGrad, dgates, csPrev, wci, wcf, wco, i, f, o, ci, co, csGrad, hGrad, 0, 0, &p)
}

// LSTMCellGradF16 is LSTMCellGradF32 for binary16.
func LSTMCellGradF16(q *device.Queue, csPrevGrad, dgates, csPrev, wci, wcf, wco, i, f, o, ci, co, csGrad, hGrad device.Ptr, p LSTMParams) {
	l := lstm{grad: &lstmGradF16}
	l.cellGrad(q, csPrevGrad, dgates, csPrev, wci, wcf, wco, i, f, o, ci, co, csGrad, hGrad, 0, 0, &p)
}

// LSTMPeepholesF32 computes the gradients of the peephole weights. Each gradient has Cell elements and
// is a sum over the first Used steps and the batch. The gradient of wci is the sum of di·cs[t-1], that
// of wcf is the sum of df·cs[t-1], and that of wco is the sum of do·cs[t]. The array
// dgates[Used, Batch, 4·Cell] holds di, df and do. The shape of cs is [Used, Batch, Cell].
func LSTMPeepholesF32(q *device.Queue, wciGrad, wcfGrad, wcoGrad, dgates, csPrev, cs device.Ptr, p LSTMParams) {
	l := lstm{peepholes: &lstmPeepholesF32}
	l.peepGrad(q, wciGrad, wcfGrad, wcoGrad, dgates, csPrev, cs, &p)
}

// LSTMPeepholesF16 is LSTMPeepholesF32 for binary16. It adds in float32.
func LSTMPeepholesF16(q *device.Queue, wciGrad, wcfGrad, wcoGrad, dgates, csPrev, cs device.Ptr, p LSTMParams) {
	l := lstm{peepholes: &lstmPeepholesF16}
	l.peepGrad(q, wciGrad, wcfGrad, wcoGrad, dgates, csPrev, cs, &p)
}

// LSTMGradF32 computes the gradients of LSTMF32's inputs, except the peephole weights, from csGrad
// and hGrad, the gradients of cs and h. It begins with the last step. Each gradient has the shape of
// its tensor. Steps from Used on are ignored and get zero gradients. dgates is scratch of
// 4·Used·Batch·Cell elements; at the end it holds the gradients of the gates. No output overlaps
// another argument. The method is that of TensorFlow's BlockLSTMGrad.
func LSTMGradF32(q *device.Queue, xGrad, csPrevGrad, hPrevGrad, wGrad, bGrad, x, csPrev, hPrev, w, wci, wcf, wco, i, cs, f, o, ci, co, h, csGrad, hGrad, dgates device.Ptr, p LSTMParams) {
	l := lstm{size: 4, grad: &lstmGradF32, product: gemm.F32, sum: reduce.SumF32}
	l.backward(q, xGrad, csPrevGrad, hPrevGrad, wGrad, bGrad, x, csPrev, hPrev, w, wci, wcf, wco, i, cs, f, o, ci, co, h, csGrad, hGrad, dgates, &p)
}

// LSTMGradF16 is LSTMGradF32 for binary16. Each operation rounds to binary16.
func LSTMGradF16(q *device.Queue, xGrad, csPrevGrad, hPrevGrad, wGrad, bGrad, x, csPrev, hPrev, w, wci, wcf, wco, i, cs, f, o, ci, co, h, csGrad, hGrad, dgates device.Ptr, p LSTMParams) {
	l := lstm{size: 2, grad: &lstmGradF16, product: gemm.F16, sum: reduce.SumF16}
	l.backward(q, xGrad, csPrevGrad, hPrevGrad, wGrad, bGrad, x, csPrev, hPrev, w, wci, wcf, wco, i, cs, f, o, ci, co, h, csGrad, hGrad, dgates, &p)
}
