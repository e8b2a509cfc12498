package ops

import (
	"github.com/graphc/graphc/ir/sym"
	gpurnn "github.com/graphc/graphc/kernels/gpu/rnn"
	"github.com/graphc/graphc/kernels/rnn"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuCells are cells of recurrent networks, and their gradients.
func gpuCells() []*GPU {
	var list []*GPU
	for op, lowering := range map[string]func(*Builder) error{"LSTMBlockCell": lstmOnGPU, "BlockLSTM": lstmOnGPU, "BlockLSTMV2": lstmOnGPU, "LSTMBlockCellGrad": lstmCellGradOnGPU,
		"BlockLSTMGrad": lstmGradOnGPU, "BlockLSTMGradV2": lstmGradOnGPU} {
		list = append(list, &GPU{Op: op, Types: lstmTypes, Lower: lowering})
	}
	return append(list, &GPU{Op: "GRUBlockCell", Types: onlyF32, Lower: gruOnGPU}, &GPU{Op: "GRUBlockCellGrad", Types: onlyF32, Lower: gruGradOnGPU})
}

// devIns are inputs from to before end in the device's memory.
func (b *Builder) devIns(from, end int) []any {
	var vs []any
	for i := from; i < end; i++ {
		vs = append(vs, b.DevIn(i))
	}
	return vs
}

// devOuts are the places of outputs from to before end.
func (b *Builder) devOuts(from, end int) []any {
	var vs []any
	for i := from; i < end; i++ {
		vs = append(vs, b.devOutOrTemp(i))
	}
	return vs
}

// usedSteps is how many steps of a sequence input 0 has computed.
func (b *Builder) usedSteps(steps *sym.Expr) *sym.Expr {
	if es := b.InFact(0).Ints; len(es) == 1 && es[0].Equal(steps) {
		return steps
	}
	used := b.FreshSize()
	b.CallSizes(rnn.UsedSteps, []*sym.Expr{used}, b.In(0), steps)
	return used
}

// lstmOnDev are the parameters of an LSTM and the number of steps that are computed.
func (b *Builder) lstmOnDev(m map[rune]*sym.Expr) (plan.Struct, *sym.Expr) {
	q := b.lstmParams(m)
	v := q.V.(rnn.LSTMParams)
	q.V = gpurnn.LSTMParams{ForgetFirst: v.ForgetFirst, Peephole: v.Peephole, ForgetBias: v.ForgetBias, Clip: v.Clip}
	used := sym.One
	if m['t'] != nil {
		used = b.usedSteps(m['t'])
	}
	q.Fields["Used"] = []*sym.Expr{used}
	return q, used
}

// lstmOnGPU: see lstmLower.
func lstmOnGPU(b *Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	d, first := b.Node.DType("T"), b.NumIn()-8
	q, used := b.lstmOnDev(m)
	args := append([]any{b.Queue()}, b.devOuts(0, 7)...)
	args = append(args, b.devIns(first, first+8)...)
	gates := b.DevTemp(d, used.Mul(m['b']).Mul(m['4']))
	b.Call(gpuKernel("rnn.LSTM", d), append(args, gates, q)...)
	return nil
}

// devPeepholes appends the gradients of peepholes, outputs from to from+3: without any they are zero.
func (b *Builder) devPeepholes(from int, dgates, csPrev, cs plan.View, q plan.Struct) {
	if !b.Node.Bool("use_peephole") {
		for i := from; i < from+3; i++ {
			if b.OutUsed(i) {
				b.devZero(b.DevOut(i))
			}
		}
		return
	}
	args := append([]any{b.Queue()}, b.devOuts(from, from+3)...)
	b.Call(gpuKernel("rnn.LSTMPeepholes", dgates.Buf.DType), append(args, dgates, csPrev, cs, q)...)
}

// lstmCellGradOnGPU: see lstmCellGradLower.
func lstmCellGradOnGPU(b *Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	q, _ := b.lstmOnDev(m)
	outs := b.devOuts(0, 2)
	args := append([]any{b.Queue()}, outs...)
	args = append(args, b.DevIn(1), b.DevIn(4), b.DevIn(5), b.DevIn(6), b.DevIn(8))
	args = append(args, b.devIns(10, b.NumIn())...)
	b.Call(gpuKernel("rnn.LSTMCellGrad", b.Node.DType("T")), append(args, q)...)
	b.devPeepholes(2, reads(outs[1].(plan.View)), b.DevIn(1), b.DevIn(9), q)
	return nil
}

// lstmGradOnGPU: see lstmGradLower.
func lstmGradOnGPU(b *Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	d := b.Node.DType("T")
	q, used := b.lstmOnDev(m)
	dgates := b.DevTemp(d, used.Mul(m['b']).Mul(m['4']))
	args := append([]any{b.Queue()}, b.devOuts(0, 4)...)
	args = append(args, b.devOutOrTemp(7))
	args = append(args, b.devIns(1, 8)...)
	args = append(args, b.devIns(9, b.NumIn())...)
	b.Call(gpuKernel("rnn.LSTMGrad", d), append(args, dgates, q)...)
	b.devPeepholes(4, reads(dgates), b.DevIn(2), b.DevIn(10), q)
	return nil
}

// gruOnGPU: see gruLower.
func gruOnGPU(b *Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	args := append([]any{b.Queue()}, b.devOuts(0, 4)...)
	args = append(args, b.devIns(0, 6)...)
	b.Call(gpurnn.GRUF32, append(args, b.DevTemp(tensor.Float32, m['b'].Mul(m['c']).MulInt(3)),
		plan.Lit(gpurnn.GRUParams{}, "Batch", m['b'], "Input", m['i'], "Cell", m['c']))...)
	return nil
}

// gruGradOnGPU: see gruGradLower.
func gruGradOnGPU(b *Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	args := append([]any{b.Queue()}, b.devOuts(0, 4)...)
	args = append(args, b.devIns(1, 4)...)
	args = append(args, b.devIns(6, 10)...)
	b.Call(gpurnn.GRUGradF32, append(args, b.DevTemp(tensor.Float32, m['b'].Mul(m['w']).MulInt(2)),
		plan.Lit(gpurnn.GRUParams{}, "Batch", m['b'], "Input", m['i'], "Cell", m['c']))...)
	return nil
}
