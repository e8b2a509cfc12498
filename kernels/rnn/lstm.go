// Package rnn holds the kernels of recurrent cells that are a single op in TensorFlow: LSTM and
// GRU, for a step or a whole sequence, and their gradients.
package rnn

import (
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// LSTMParams describes an LSTM over Steps steps of a batch. The gates of an element of the batch
// form a row of 4·Cell numbers. Their order is input, cell input, forget, output (ICFO), or with
// ForgetFirst input, forget, cell input, output (IFCO).
type LSTMParams struct {
	Steps, Batch int
	Input, Cell  int // number of columns of the input x and of the output h
	ForgetFirst  bool
	Peephole     bool    // whether the cell state, weighted by wci, wcf and wco, is added to the gates
	ForgetBias   float32 // number that is added to the forget gate
	Clip         float32 // largest magnitude of the cell state; 0 or less means no limit
	Half         bool    // whether each operation is rounded to binary16, as in TensorFlow's kernel for half
}

func (p *LSTMParams) check() {
	if p.Steps < 0 || p.Batch < 0 || p.Cell < 0 || p.Input < 0 {
		panic("rnn: negative size")
	}
}

// steps returns seqLen[0], the number of steps to compute. It returns InvalidArgument if this
// number is negative or greater than p.Steps.
func (p *LSTMParams) steps(seqLen []int64) (int, error) {
	n := seqLen[0]
	if n < 0 || n > int64(p.Steps) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "seq_len_max must be between 0 and %d, not %d", p.Steps, n)
	}
	return int(n), nil
}

// gates divides a row into the parts for the four gates, and returns them in the order input, cell
// input, forget, output.
func (p *LSTMParams) gates(row []float32) (i, ci, f, o []float32) {
	c := p.Cell
	i, ci, f, o = row[:c], row[c:2*c], row[2*c:3*c], row[3*c:4*c]
	if p.ForgetFirst {
		ci, f = f, ci
	}
	return i, ci, f, o
}

// LSTMScratchLen returns the number of floats of scratch that LSTMF32 needs.
func LSTMScratchLen(p LSTMParams) int {
	return gemm.ScratchLen(gemm.Params{M: p.Batch, N: 4 * p.Cell, K: p.Cell})
}

// LSTMF32 computes a sequence. For each step t < seqLen[0], it computes the following. The operator ·
// is the matrix product. Factors without an operator between them are multiplied element by element:
//
//	g  = gates[t] + h[t-1]·w + b, in parts gi, gc, gf, go
//	i  = σ(gi + cs[t-1] wci)
//	ci = tanh(gc)
//	f  = σ(gf + ForgetBias + cs[t-1] wcf)
//	cs = clip(i ci + f cs[t-1])
//	co = tanh(cs)
//	o  = σ(go + cs wco)
//	h  = o co
//
// The caller passes the product of x and its weights in gates [Steps, Batch, 4·Cell], which LSTMF32
// overwrites. The outputs are [Steps, Batch, Cell], and zero from step seqLen[0] on. csPrev and
// hPrev [Batch, Cell] are the state and the output before the first step. w is the part of the
// weights for h, [Cell, 4·Cell], packed by gemm.PackF32. wci, wcf and wco [Cell] are used only with
// Peephole. scratch has LSTMScratchLen(p) floats. The outputs must not overlap other slices.
// LSTMF32 returns InvalidArgument for a seqLen[0] that is negative or more than Steps. The method
// is that of TensorFlow's BlockLSTM.
func LSTMF32(run *mem.Budget, i, cs, f, o, ci, co, h, gates, csPrev, hPrev, w, wci, wcf, wco, b []float32, seqLen []int64, scratch []float32, p LSTMParams) error {
	p.check()
	n, err := p.steps(seqLen)
	if err != nil {
		return err
	}
	size := p.Batch * p.Cell
	call := run.Call()
	for t := range n {
		call.Work(p.stepWork())
		at := func(s []float32) []float32 { return s[t*size:][:size] }
		g := gates[t*4*size:][:4*size]
		rows := productRows(4*p.Cell, p.Cell)
		for r := 0; r < p.Batch; r += rows {
			n := min(rows, p.Batch-r)
			call.Work(productWork(n, 4*p.Cell, p.Cell))
			part := g[r*4*p.Cell:][:n*4*p.Cell]
			gemm.F32(part, hPrev[r*p.Cell:], w, scratch, gemm.Params{M: n, N: 4 * p.Cell, K: p.Cell, Res: part})
		}
		p.step(at(i), at(cs), at(f), at(o), at(ci), at(co), at(h), g, csPrev, wci, wcf, wco, b)
		csPrev, hPrev = at(cs), at(h)
	}
	for _, s := range [...][]float32{i, cs, f, o, ci, co, h} {
		clear(s[n*size : p.Steps*size])
	}
	return nil
}

// stepWork returns the approximate work of a step without its matrix product. This is the work of the
// element-wise operations, such as the activation functions of the gates.
func (p *LSTMParams) stepWork() int {
	return mem.Mul(mem.Mul(p.Batch, p.Cell), 64)
}

// step computes one step for the whole batch. The caller has stored the matrix products of this
// step in gates.
func (p *LSTMParams) step(i, cs, f, o, ci, co, h, gates, csPrev, wci, wcf, wco, b []float32) {
	c := p.Cell
	for r := range p.Batch {
		row := gates[r*4*c:][:4*c]
		p.round(row)
		for k, v := range b[:4*c] {
			row[k] += v
		}
		p.round(row)
		gi, gc, gf, out := p.gates(row)
		at := r * c
		prev := csPrev[at:][:c]
		if p.ForgetBias != 0 {
			bias := p.one(p.ForgetBias)
			for k := range gf {
				gf[k] = p.one(gf[k] + bias)
			}
		}
		if p.Peephole {
			p.peep(gi, prev, wci)
			p.peep(gf, prev, wcf)
		}
		ri, rci, rf, ro, rcs, rco := i[at:][:c], ci[at:][:c], f[at:][:c], o[at:][:c], cs[at:][:c], co[at:][:c]
		elem.SigmoidF32(ri, gi)
		elem.TanhF32(rci, gc)
		elem.SigmoidF32(rf, gf)
		p.round(ri)
		p.round(rci)
		p.round(rf)
		for k := range rcs {
			rcs[k] = p.one(p.one(ri[k]*rci[k]) + p.one(rf[k]*prev[k]))
		}
		if p.Clip > 0 {
			most := p.one(p.Clip)
			for k, v := range rcs { // NaN stays
				if v < -most {
					rcs[k] = -most
				} else if v > most {
					rcs[k] = most
				}
			}
		}
		elem.TanhF32(rco, rcs)
		p.round(rco)
		if p.Peephole {
			p.peep(out, rcs, wco)
		}
		elem.SigmoidF32(ro, out)
		p.round(ro)
		rh := h[at:][:c]
		for k := range rh {
			rh[k] = p.one(ro[k] * rco[k])
		}
	}
}

// peep adds the peephole term state·w to a gate, element by element.
func (p *LSTMParams) peep(gate, state, w []float32) {
	w = w[:len(gate)]
	for k := range gate {
		gate[k] = p.one(gate[k] + p.one(state[k]*w[k]))
	}
}

// one(x) returns x, rounded to f16 if p.Half is set.
func (p *LSTMParams) one(x float32) float32 {
	if p.Half {
		return tensor.ToF16(x).Float32()
	}
	return x
}

// round rounds each element to f16 if p.Half is set.
func (p *LSTMParams) round(xs []float32) {
	if !p.Half {
		return
	}
	for k, v := range xs {
		xs[k] = tensor.ToF16(v).Float32()
	}
}

// UsedSteps returns seqLen[0], the number of steps of a sequence. It returns InvalidArgument if
// seqLen[0] is negative or larger than steps.
func UsedSteps(seqLen []int64, steps int) (int, error) {
	p := LSTMParams{Steps: steps}
	return p.steps(seqLen)
}
