package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/rnn"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	linalgops "github.com/graphc/graphc/ops/linalg"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var lstmTypes = map[string][]tensor.DType{"T": {tensor.Half, tensor.Float32}}

// rnnCellDefs are cells of recurrent networks as single ops.
var rnnCellDefs = []*lower.Def{
	{Name: "LSTMBlockCell", Flags: lower.Expensive, Types: lstmTypes, Shape: cellShape, Lower: lstmLower},
	{Name: "BlockLSTM", Flags: lower.Expensive, Types: lstmTypes, Shape: cellShape, Lower: lstmLower},
	{Name: "BlockLSTMV2", Flags: lower.Expensive, Types: lstmTypes, Shape: cellShape, Lower: lstmLower},
	{Name: "GRUBlockCell", Flags: lower.Expensive, Types: onlyF32, Shape: cellShape, Lower: gruLower},
	{Name: "LSTMBlockCellGrad", Flags: lower.Expensive, Types: lstmTypes, Shape: cellShape, Lower: lstmCellGradLower},
	{Name: "BlockLSTMGrad", Flags: lower.Expensive, Types: lstmTypes, Shape: cellShape, Lower: lstmGradLower},
	{Name: "BlockLSTMGradV2", Flags: lower.Expensive, Types: lstmTypes, Shape: cellShape, Lower: lstmGradLower},
	{Name: "GRUBlockCellGrad", Flags: lower.Expensive, Types: onlyF32, Shape: cellShape, Lower: gruGradLower},
}

// cellSpec describes the shapes of the inputs and outputs of a recurrent cell. Each shape is a
// string with one character for each dimension: t is the number of steps, b the batch size, i the
// number of columns of x, c the number of cells, w is i+c, 2 is 2·c, and 4 is 4·c. The string p is
// the shape of a vector of peephole weights, which must have c elements if the cell uses peepholes.
type cellSpec struct {
	ins, outs []string
	full      bool // neither the batch nor the cells may be empty
	strict    bool // whether a peephole vector must have c elements even if the cell does not use it
}

func cellSpecOf(op string) cellSpec {
	switch op {
	case "LSTMBlockCell":
		return cellSpec{ins: []string{"bi", "bc", "bc", "w4", "p", "p", "p", "4"}, outs: []string{"bc", "bc", "bc", "bc", "bc", "bc", "bc"}, full: true}
	case "LSTMBlockCellGrad":
		return cellSpec{ins: []string{"bi", "bc", "bc", "w4", "p", "p", "p", "4", "bc", "bc", "bc", "bc", "bc", "bc", "bc", "bc"},
			outs: []string{"bc", "b4", "p", "p", "p"}}
	case "GRUBlockCell":
		return cellSpec{ins: []string{"bi", "bc", "w2", "wc", "2", "c"}, outs: []string{"bc", "bc", "bc", "bc"}}
	case "GRUBlockCellGrad":
		return cellSpec{ins: []string{"bi", "bc", "w2", "wc", "2", "c", "bc", "bc", "bc", "bc"}, outs: []string{"bi", "bc", "bc", "b2"}}
	case "BlockLSTMGrad", "BlockLSTMGradV2":
		return cellSpec{ins: []string{"", "tbi", "bc", "bc", "w4", "p", "p", "p", "4", "tbc", "tbc", "tbc", "tbc", "tbc", "tbc", "tbc", "tbc", "tbc"},
			outs: []string{"tbi", "bc", "bc", "w4", "p", "p", "p", "4"}}
	}
	return cellSpec{ins: []string{"", "tbi", "bc", "bc", "w4", "p", "p", "p", "4"},
		outs: []string{"tbc", "tbc", "tbc", "tbc", "tbc", "tbc", "tbc"}, strict: true}
}

// sizes returns the cell's dimensions by letter, as far as shapes are known.
func (s *cellSpec) sizes(shape func(int) ir.Shape) map[rune]*sym.Expr {
	m := map[rune]*sym.Expr{}
	for i, spec := range s.ins {
		sh := shape(i)
		if !sh.Known || len(sh.Dims) != len(spec) {
			continue
		}
		for k, l := range spec {
			if m[l] == nil || kit.IsInt(sh.Dims[k]) && !kit.IsInt(m[l]) {
				m[l] = sh.Dims[k]
			}
		}
	}
	if c := m['c']; c != nil {
		m['2'], m['4'] = c.MulInt(2), c.MulInt(4)
		if m['i'] != nil {
			m['w'] = m['i'].Add(c)
		}
	}
	return m
}

// cellShape returns InvalidArgument if a rank or a known dimension does not fit the cellSpec of the
// op.
func cellShape(c *lower.Shaper) error {
	s := cellSpecOf(c.Node.Op)
	for i, spec := range s.ins {
		if _, err := c.WithRank(i, len(spec)); err != nil {
			return err
		}
	}
	m := s.sizes(c.Shape)
	if c.Node.Bool("use_peephole") || s.strict {
		m['p'] = m['c']
	}
	for i, spec := range s.ins {
		sh := c.Shape(i)
		for k, l := range spec {
			if sh.Known && m[l] != nil && lower.Differ(sh.Dims[k], m[l]) && (l != 'p' || m['p'] == m['c']) {
				return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v, dimension %d must be %v", i, sh, k, m[l])
			}
		}
	}
	first := 0
	if s.ins[0] == "" {
		first = 1
	}
	if s.full || s.ins[0] == "" && len(s.outs) == 8 {
		for _, l := range "bc" {
			if n := m[l]; n != nil && n.Is(0) && (s.full || l == 'c') {
				return tensor.Errorf(tensor.InvalidArgument, "cs_prev has the shape %v, which is empty", c.Shape(first+1))
			}
		}
	}
	d := c.In(first).DType
	for i, spec := range s.outs {
		out := ir.Shape{Known: true, Dims: make([]*sym.Expr, 0, len(spec))}
		for _, l := range spec {
			if l == 'p' { // the gradient of a peephole vector has the shape of that vector
				out = c.Shape(first + 4 + i - len(s.outs) + 3)
				if len(s.outs) == 8 {
					out = c.Shape(i + 1)
				}
				break
			}
			if m[l] == nil {
				out = ir.Shape{}
				break
			}
			out.Dims = append(out.Dims, m[l])
		}
		c.Set(i, d, out)
	}
	return nil
}

// cellSizes returns the sizes of a cell and adds the checks left for run time.
func cellSizes(b *lower.Builder) (map[rune]*sym.Expr, error) {
	s := cellSpecOf(b.Node.Op)
	m := s.sizes(func(i int) ir.Shape { return b.InFact(i).Shape })
	peep := b.Node.Bool("use_peephole") || s.strict
	for i, spec := range s.ins {
		for k, l := range spec {
			want := m[l]
			if l == 'p' {
				if !peep {
					continue
				}
				want = m['c']
			}
			if err := kit.RequireSame(b, b.InShape(i)[k], want, "the shapes of a cell's inputs must agree"); err != nil {
				return nil, err
			}
		}
	}
	if s.full {
		if err := kit.AtLeast(b, m['b'], 1, "the batch"); err != nil {
			return nil, err
		}
	}
	if s.full || len(s.outs) == 8 {
		if err := kit.AtLeast(b, m['c'], 1, "the number of cells"); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// cellIns returns those inputs of the node whose numbers are in the range [from, end), converted to
// float32 if necessary.
func cellIns(b *lower.Builder, from, end int) ([]any, error) {
	var vs []any
	for i := from; i < end; i++ {
		v, err := kit.InF32(b, i)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

// cellOuts returns float32 buffers in which the outputs of the node can be computed. It also
// returns a function that appends the calls to round the buffers to the types of the outputs.
func cellOuts(b *lower.Builder) ([]any, func() error) {
	var vs []any
	var dones []func() error
	for i := range b.Node.Outs {
		v, done := kit.OutF32(b, i)
		vs, dones = append(vs, v), append(dones, done)
	}
	return vs, func() error {
		for _, done := range dones {
			if err := done(); err != nil {
				return err
			}
		}
		return nil
	}
}

// packRows returns k rows of a weight matrix in the panel layout that gemm needs. The number of the
// first of these rows is given by the parameter from. The matrix has n columns. It is an input of
// the node: the number of this input is given by the parameter in, and weights is a view of the
// matrix. If the weights and the sizes are known at compile time, the result is a constant.
func packRows(b *lower.Builder, in int, weights plan.View, from, k, n *sym.Expr) plan.View {
	fi, fok := from.IsInt()
	ki, kok := k.IsInt()
	ni, nok := n.IsInt()
	if t := b.InConst(in); t != nil && fok && kok && nok {
		src, ok := t.Data.([]float32)
		if h, half := t.Data.([]tensor.F16); half {
			src, ok = make([]float32, len(h)), true
			for i, v := range h {
				src[i] = v.Float32()
			}
		}
		if ok {
			dst := make([]float32, gemm.PackedLen(ki, ni))
			gemm.PackF32(dst, src[fi*ni:(fi+ki)*ni], ki, ni, false)
			return b.Const("panels of 16 columns", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(dst)}, Data: dst})
		}
	}
	t := b.Temp(tensor.Float32, n.CeilDiv(sym.Int(16)).MulInt(16).Mul(k))
	b.Call(gemm.PackF32, kit.Writes(t), weights.At(from.Mul(n), k.Mul(n)), k, n, false)
	return kit.Reads(t)
}

// rowsProduct appends the matrix product dst = left · W with the epilogue e. W consists of k rows
// of the matrix weights; the parameter from is the number of the first row. The matrix left has m
// rows, and W has n columns.
func rowsProduct(b *lower.Builder, dst, left plan.View, in int, weights plan.View, from, m, k, n *sym.Expr, e *kit.Epilogue) {
	p := linalgops.Product{M: m, K: k, N: n}
	linalgops.GemmCall(b, dst, left, packRows(b, in, weights, from, k, n), p, plan.Lit(gemm.Params{}, "M", m, "N", n, "K", k), e)
}

func lstmParams(b *lower.Builder, m map[rune]*sym.Expr) plan.Struct {
	p := rnn.LSTMParams{ForgetFirst: b.Node.Op == "BlockLSTMV2" || b.Node.Op == "BlockLSTMGradV2", Peephole: b.Node.Bool("use_peephole"),
		ForgetBias: b.Node.Float("forget_bias"), Clip: b.Node.Float("cell_clip"), Half: b.Node.DType("T") == tensor.Half}
	steps := m['t']
	if steps == nil {
		steps = sym.One
	}
	return plan.Lit(p, "Steps", steps, "Batch", m['b'], "Input", m['i'], "Cell", m['c'])
}

// lstmLower lowers LSTMBlockCell and BlockLSTM. It first appends a product that multiplies x, for
// all steps together, by the first rows of w. The kernel then computes one step after the other,
// and multiplies h by the remaining rows of w. The last eight inputs are x, cs_prev, h_prev, w,
// wci, wcf, wco and b; BlockLSTM has the input seq_len_max before them. The outputs of the steps
// after the first seq_len_max steps are zero. TensorFlow leaves parts of them undefined.
func lstmLower(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	first, steps := b.NumIn()-8, m['t']
	seqLen := plan.View{}
	if first == 0 {
		steps = sym.One
		seqLen = b.Const("one step", &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{}, Data: []int64{1}})
	} else {
		seqLen = b.In(0)
	}
	ins, err := cellIns(b, first, first+8)
	if err != nil {
		return err
	}
	rows, wide := steps.Mul(m['b']), m['4']
	gates := b.Temp(tensor.Float32, rows.Mul(wide))
	w := ins[3].(plan.View)
	rowsProduct(b, kit.Writes(gates), ins[0].(plan.View), first+3, w, sym.Zero, rows, m['i'], wide, &kit.Epilogue{})
	wh := packRows(b, first+3, w, m['i'], m['c'], wide)
	outs, done := cellOuts(b)
	q := lstmParams(b, m)
	args := append(outs, gates, ins[1], ins[2], wh)
	args = append(args, ins[4:]...)
	b.Call(rnn.LSTMF32, append(args, seqLen, kit.Scratch(b, tensor.Float32, rnn.LSTMScratchLen, q, "Steps", "Batch", "Input"), q)...)
	return done()
}

// lstmCellGradLower lowers LSTMBlockCellGrad. The inputs are those of LSTMBlockCell, then its
// outputs i, cs, f, o, ci and co, and then cs_grad and h_grad.
func lstmCellGradLower(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	ins, err := cellIns(b, 0, b.NumIn())
	if err != nil {
		return err
	}
	outs, done := cellOuts(b)
	args := append(outs, ins[1])
	args = append(args, ins[4:7]...)
	args = append(args, ins[8:]...)
	b.Call(rnn.LSTMCellGradF32, append(args, lstmParams(b, m))...)
	return done()
}

// lstmGradLower lowers BlockLSTMGrad. The inputs are those of BlockLSTM, then all its outputs, and
// then cs_grad and h_grad.
func lstmGradLower(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	ins, err := cellIns(b, 1, b.NumIn())
	if err != nil {
		return err
	}
	outs, done := cellOuts(b)
	q := lstmParams(b, m)
	args := append(outs, ins[:7]...)
	args = append(args, ins[8:]...)
	b.Call(rnn.LSTMGradF32, append(args, b.In(0), kit.Scratch(b, tensor.Float32, rnn.LSTMGradScratchLen, q), q)...)
	return done()
}

// gruLower lowers GRUBlockCell. The inputs are x, h_prev, w_ru, w_c, b_ru and b_c; the outputs are
// r, u, c and h.
func gruLower(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	f := tensor.Float32
	n, x, c, two := m['b'], m['i'], m['c'], m['2']
	bru, bc := b.In(4), b.In(5)
	half, ru := b.Temp(f, n.Mul(two)), b.Temp(f, n.Mul(two))
	rowsProduct(b, kit.Writes(half), b.In(0), 2, b.In(2), sym.Zero, n, x, two, &kit.Epilogue{Bias: &bru})
	res := kit.Reads(half)
	rowsProduct(b, kit.Writes(ru), b.In(1), 2, b.In(2), x, n, c, two, &kit.Epilogue{Res: &res})
	hr, sum := b.Temp(f, n.Mul(c)), b.Temp(f, n.Mul(c))
	split := lower.RowSplit(c, lower.CostModerate*2)
	l := b.Par(n, split)
	l.Call(rnn.GRUGatesF32, lower.Rows(b.Out(0), c), lower.Rows(b.Out(1), c), lower.Rows(kit.Writes(hr), c), lower.Rows(kit.Reads(ru), two), lower.Rows(b.In(1), c), c)
	rowsProduct(b, kit.Writes(sum), b.In(0), 3, b.In(3), sym.Zero, n, x, c, &kit.Epilogue{Bias: &bc})
	res2 := kit.Reads(sum)
	rowsProduct(b, b.Out(2), kit.Reads(hr), 3, b.In(3), x, n, c, c, &kit.Epilogue{Res: &res2})
	out, u := b.Out(2), b.Out(1)
	out.Mode = plan.ReadWrite
	l = b.Par(n, split)
	l.Call(rnn.GRUStateF32, lower.Rows(b.Out(3), c), lower.Rows(out, c), lower.Rows(kit.Reads(u), c), lower.Rows(b.In(1), c))
	return nil
}

// gruGradLower lowers GRUBlockCellGrad. The inputs are those of GRUBlockCell, then its outputs r, u
// and c, and then d_h.
func gruGradLower(b *lower.Builder) error {
	m, err := cellSizes(b)
	if err != nil {
		return err
	}
	q := plan.Lit(rnn.GRUParams{}, "Batch", m['b'], "Input", m['i'], "Cell", m['c'])
	b.Call(rnn.GRUGradF32, b.Out(0), b.Out(1), b.Out(2), b.Out(3), b.In(1), b.In(2), b.In(3), b.In(6), b.In(7), b.In(8), b.In(9),
		kit.Scratch(b, tensor.Float32, rnn.GRUGradScratchLen, q), q)
	return nil
}
