package nn

import (
	"github.com/graphc/graphc/ir/sym"
	gpurnn "github.com/graphc/graphc/kernels/gpu/rnn"
	"github.com/graphc/graphc/kernels/rnn"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuCells returns the GPU lowerings of the cells of recurrent networks, and of their gradients.
func gpuCells() []*lower.GPU {
	var list []*lower.GPU
	for op, lowering := range map[string]func(*lower.Builder) error{"LSTMBlockCell": lstmOnGPU, "BlockLSTM": lstmOnGPU, "BlockLSTMV2": lstmOnGPU, "LSTMBlockCellGrad": lstmCellGradOnGPU,
		"BlockLSTMGrad": lstmGradOnGPU, "BlockLSTMGradV2": lstmGradOnGPU} {
		list = append(list, &lower.GPU{Op: op, Types: lstmTypes, Lower: lowering})
	}
	return append(list, &lower.GPU{Op: "GRUBlockCell", Types: onlyF32, Lower: gruOnGPU}, &lower.GPU{Op: "GRUBlockCellGrad", Types: onlyF32, Lower: gruGradOnGPU})
}

// usedSteps returns the value of seq_len_max, which is input 0: the number of steps that must be
// computed. The parameter steps is the number of steps for which the tensors have space. If
// seq_len_max is known only at run time, usedSteps appends a call that reads and checks it.
func usedSteps(b *lower.Builder, steps *sym.Expr) *sym.Expr {
	if es := b.InFact(0).Ints; len(es) == 1 && es[0].Equal(steps) {
		return steps
	}
	used := b.FreshSize()
	b.CallSizes(rnn.UsedSteps, []*sym.Expr{used}, b.In(0), steps)
	return used
}

// lstmOnDev returns the parameters of an LSTM and the number of steps to compute.
func lstmOnDev(b *lower.Builder, m map[rune]*sym.Expr) (plan.Struct, *sym.Expr) {
	q := lstmParams(b, m)
	v := q.V.(rnn.LSTMParams)
	q.V = gpurnn.LSTMParams{ForgetFirst: v.ForgetFirst, Peephole: v.Peephole, ForgetBias: v.ForgetBias, Clip: v.Clip}
	used := sym.One
	if m['t'] != nil {
		used = usedSteps(b, m['t'])
	}
	q.Fields["Used"] = []*sym.Expr{used}
	return q, used
}

// lstmOnGPU: see lstmLower.
func lstmOnGPU(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	d, first := b.Node.DType("T"), b.NumIn()-8
	q, used := lstmOnDev(b, m)
	args := append([]any{b.Queue()}, kit.DevOuts(b, 0, 7)...)
	args = append(args, kit.DevIns(b, first, first+8)...)
	gates := b.DevTemp(d, used.Mul(m['b']).Mul(m['4']))
	b.Call(kit.GPUKernel("rnn.LSTM", d), append(args, gates, q)...)
	return nil
}

// devPeepholes appends the computation of the gradients of the three peephole vectors. The
// gradients are three adjacent outputs, and the first of these outputs has the number given by the
// parameter from. If the cell has no peepholes, these outputs are filled with zeros.
func devPeepholes(b *lower.Builder, from int, dgates, csPrev, cs plan.View, q plan.Struct) {
	if !b.Node.Bool("use_peephole") {
		for i := from; i < from+3; i++ {
			if b.OutUsed(i) {
				kit.DevZero(b, b.DevOut(i))
			}
		}
		return
	}
	args := append([]any{b.Queue()}, kit.DevOuts(b, from, from+3)...)
	b.Call(kit.GPUKernel("rnn.LSTMPeepholes", dgates.Buf.DType), append(args, dgates, csPrev, cs, q)...)
}

// lstmCellGradOnGPU: see lstmCellGradLower.
func lstmCellGradOnGPU(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	q, _ := lstmOnDev(b, m)
	outs := kit.DevOuts(b, 0, 2)
	args := append([]any{b.Queue()}, outs...)
	args = append(args, b.DevIn(1), b.DevIn(4), b.DevIn(5), b.DevIn(6), b.DevIn(8))
	args = append(args, kit.DevIns(b, 10, b.NumIn())...)
	b.Call(kit.GPUKernel("rnn.LSTMCellGrad", b.Node.DType("T")), append(args, q)...)
	devPeepholes(b, 2, kit.Reads(outs[1].(plan.View)), b.DevIn(1), b.DevIn(9), q)
	return nil
}

// lstmGradOnGPU: see lstmGradLower.
func lstmGradOnGPU(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	d := b.Node.DType("T")
	q, used := lstmOnDev(b, m)
	dgates := b.DevTemp(d, used.Mul(m['b']).Mul(m['4']))
	args := append([]any{b.Queue()}, kit.DevOuts(b, 0, 4)...)
	args = append(args, kit.DevOutOrTemp(b, 7))
	args = append(args, kit.DevIns(b, 1, 8)...)
	args = append(args, kit.DevIns(b, 9, b.NumIn())...)
	b.Call(kit.GPUKernel("rnn.LSTMGrad", d), append(args, dgates, q)...)
	devPeepholes(b, 4, kit.Reads(dgates), b.DevIn(2), b.DevIn(10), q)
	return nil
}

// gruOnGPU: see gruLower.
func gruOnGPU(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	args := append([]any{b.Queue()}, kit.DevOuts(b, 0, 4)...)
	args = append(args, kit.DevIns(b, 0, 6)...)
	b.Call(gpurnn.GRUF32, append(args, b.DevTemp(tensor.Float32, m['b'].Mul(m['c']).MulInt(3)),
		plan.Lit(gpurnn.GRUParams{}, "Batch", m['b'], "Input", m['i'], "Cell", m['c']))...)
	return nil
}

// gruGradOnGPU: see gruGradLower.
func gruGradOnGPU(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	args := append([]any{b.Queue()}, kit.DevOuts(b, 0, 4)...)
	args = append(args, kit.DevIns(b, 1, 4)...)
	args = append(args, kit.DevIns(b, 6, 10)...)
	b.Call(gpurnn.GRUGradF32, append(args, b.DevTemp(tensor.Float32, m['b'].Mul(m['w']).MulInt(2)),
		plan.Lit(gpurnn.GRUParams{}, "Batch", m['b'], "Input", m['i'], "Cell", m['c']))...)
	return nil
}
