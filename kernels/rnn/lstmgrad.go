package rnn

import (
	"github.com/graphc/graphc/kernels/gemm"

	"github.com/graphc/graphc/rt/mem"
)

// LSTMCellGradF32 computes the gradients of one step of LSTMF32. All products are element by
// element:
//
//	do  = o (1-o) hGrad co
//	dcs = (1-co²) hGrad o + csGrad + do wco
//	dci = (1-ci²) dcs i
//	df  = f (1-f) dcs csPrev
//	di  = i (1-i) dcs ci
//	csPrevGrad = dcs f + di wci + df wcf
//
// dgates [Batch, 4·Cell] gets di, dci, df and do in the order of the gates. wciGrad, wcfGrad and
// wcoGrad [Cell] get the sums over the batch of di csPrev, df csPrev and do cs. Without Peephole,
// these three are filled with zeros and may have any length. The outputs must not overlap other
// slices.
func LSTMCellGradF32(csPrevGrad, dgates, wciGrad, wcfGrad, wcoGrad, csPrev, wci, wcf, wco, i, cs, f, o, ci, co, csGrad, hGrad []float32, p LSTMParams) {
	p.check()
	clear(wciGrad)
	clear(wcfGrad)
	clear(wcoGrad)
	p.gradStep(csPrevGrad, dgates, wciGrad, wcfGrad, wcoGrad, csPrev, wci, wcf, wco, i, cs, f, o, ci, co, csGrad, hGrad)
	p.round(wciGrad)
	p.round(wcfGrad)
	p.round(wcoGrad)
}

// gradStep computes the gradients of one step as LSTMCellGradF32 does, but it adds the gradients of
// the peephole weights to wciGrad, wcfGrad and wcoGrad. csPrevGrad and csGrad may be the same
// slice.
func (p *LSTMParams) gradStep(csPrevGrad, dgates, wciGrad, wcfGrad, wcoGrad, csPrev, wci, wcf, wco, i, cs, f, o, ci, co, csGrad, hGrad []float32) {
	c, one := p.Cell, p.one
	for r := range p.Batch {
		di, dci, df, do := p.gates(dgates[r*4*c:][:4*c])
		for k := range c {
			x := r*c + k
			iv, fv, ov, civ, cov, hg, prev := i[x], f[x], o[x], ci[x], co[x], hGrad[x], csPrev[x]
			dov := one(one(one(ov*one(1-ov))*hg) * cov)
			dcs := one(one(one(one(1-one(cov*cov))*hg)*ov) + csGrad[x])
			if p.Peephole {
				dcs = one(dcs + one(dov*wco[k]))
			}
			dciv := one(one(one(1-one(civ*civ))*dcs) * iv)
			dfv := one(one(one(fv*one(1-fv))*dcs) * prev)
			div := one(one(one(iv*one(1-iv))*dcs) * civ)
			di[k], dci[k], df[k], do[k] = div, dciv, dfv, dov
			g := one(dcs * fv)
			if p.Peephole {
				g = one(one(g+one(div*wci[k])) + one(dfv*wcf[k]))
				wciGrad[k] += one(div * prev)
				wcfGrad[k] += one(dfv * prev)
				wcoGrad[k] += one(dov * cs[x])
			}
			csPrevGrad[x] = g
		}
	}
}

func (p *LSTMParams) xGradProduct(n int) gemm.BatchParams {
	return gemm.BatchParams{M: n * p.Batch, N: p.Input, K: 4 * p.Cell, TransB: true}
}

func (p *LSTMParams) hGradProduct() gemm.BatchParams {
	return gemm.BatchParams{M: p.Batch, N: p.Cell, K: 4 * p.Cell, TransB: true}
}

func (p *LSTMParams) wGradProduct(n, rows int) gemm.BatchParams {
	return gemm.BatchParams{M: rows, N: 4 * p.Cell, K: n * p.Batch, TransA: true}
}

// LSTMGradScratchLen returns the number of floats of scratch that LSTMGradF32 needs.
func LSTMGradScratchLen(p LSTMParams) int {
	n := p.Steps
	most := max(gemm.BatchScratchLen(p.xGradProduct(n)), gemm.BatchScratchLen(p.hGradProduct()),
		gemm.BatchScratchLen(p.wGradProduct(n, p.Input)), gemm.BatchScratchLen(p.wGradProduct(n, p.Cell)))
	return most + (n+1)*p.Batch*p.Cell + 4*n*p.Batch*p.Cell
}

// LSTMGradF32 computes the gradients of LSTMF32 for a sequence, from the gradients csGrad of cs and
// hGrad of h. It goes from the last step to the first. x is [Steps, Batch, Input], and w is
// [Input+Cell, 4·Cell], not packed. Each gradient has the shape of its argument. Steps from
// seqLen[0] on are ignored, and their gradients are zero. scratch has LSTMGradScratchLen(p) floats.
// The outputs must not overlap other slices. LSTMGradF32 returns InvalidArgument for a seqLen[0]
// that is negative or more than Steps. The method is that of TensorFlow's BlockLSTMGrad.
func LSTMGradF32(run *mem.Budget, xGrad, csPrevGrad, hPrevGrad, wGrad, wciGrad, wcfGrad, wcoGrad, bGrad, x, csPrev, hPrev, w, wci, wcf, wco,
	i, cs, f, o, ci, co, h, csGrad, hGrad []float32, seqLen []int64, scratch []float32, p LSTMParams) error {
	p.check()
	n, err := p.steps(seqLen)
	if err != nil {
		return err
	}
	for _, s := range [...][]float32{xGrad, csPrevGrad, hPrevGrad, wGrad, wciGrad, wcfGrad, wcoGrad, bGrad} {
		clear(s)
	}
	if n == 0 {
		return nil
	}
	size := p.Batch * p.Cell
	dgates, scratch := scratch[:4*n*size], scratch[4*n*size:]
	states, scratch := scratch[:n*size], scratch[n*size:] // for each step t, the output of step t-1, or hPrev if t is 0
	hSum, scratch := scratch[:size], scratch[size:]
	copy(states[copy(states, hPrev[:size]):], h)
	wh := w[p.Input*4*p.Cell:]
	call := run.Call()
	for t := n - 1; t >= 0; t-- {
		call.Work(p.stepWork())
		at := func(s []float32) []float32 { return s[t*size:][:size] }
		prev := csPrev
		if t > 0 {
			prev = cs[(t-1)*size:][:size]
		}
		csg, hg := at(csGrad), at(hGrad)
		for k := range hSum {
			hSum[k] = p.one(hPrevGrad[k] + hg[k])
			csPrevGrad[k] = p.one(csPrevGrad[k] + csg[k])
		}
		dg := dgates[t*4*size:][:4*size]
		p.gradStep(csPrevGrad, dg, wciGrad, wcfGrad, wcoGrad, prev, wci, wcf, wco, at(i), at(cs), at(f), at(o), at(ci), at(co), csPrevGrad, hSum)
		product(&call, hPrevGrad[:size], dg, wh, scratch, p.hGradProduct())
		p.round(hPrevGrad)
	}
	product(&call, xGrad, dgates, w, scratch, p.xGradProduct(n))
	product(&call, wGrad, x, dgates, scratch, p.wGradProduct(n, p.Input))
	product(&call, wGrad[p.Input*4*p.Cell:], states, dgates, scratch, p.wGradProduct(n, p.Cell))
	for r := range n * p.Batch {
		for k, v := range dgates[r*4*p.Cell:][:4*p.Cell] {
			bGrad[k] += v
		}
	}
	return nil
}
