package lower

import (
	"reflect"

	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/plan"
)

// ByWeights are the functions that do one thing with weights that are stored in the ways that
// Weights names; nil where there is none.
type ByWeights [4]any

// Weighing is what a call does that reads weights, with its operands by name.
type Weighing struct {
	Fns     ByWeights
	Out, In plan.View // In is the left side of a product, an image, or the indices of rows
	Weights plan.View
	// Bias and Res of a product or a convolution, where they are not absent, are views.
	Bias, Res plan.Arg
	Scratch   plan.View
	Params    plan.Struct
}

// Weigh is the call that reads weights as they are. narrowWeights may have it read fewer bits.
func (b *Builder) Weigh(w Weighing) *plan.Call {
	c := b.call(w.Fns[WeightsF32], nil, w.args(nil, nil))
	if b.l.weighings == nil {
		b.l.weighings = map[*plan.Call]*Weighing{}
	}
	b.l.weighings[c] = &w
	return c
}

// table reports that the weights are a table of which rows are gathered.
func (w *Weighing) table() bool { _, ok := w.Params.V.(gather.Params); return ok }

// args are the arguments of the functions. scale is what bytes are multiplied by, room is where
// narrow weights are widened to; nil for weights that are stored otherwise.
func (w *Weighing) args(scale, room *plan.View) []any {
	if w.table() {
		return []any{w.Out, w.Weights, w.In, w.Params}
	}
	args := []any{w.Out, w.In, w.Weights}
	if scale != nil {
		args = append(args, *scale)
	}
	args = append(args, w.Bias, w.Res, w.Scratch)
	if room != nil {
		args = append(args, *room)
	}
	return append(args, w.Params)
}

// depth is how many weights one scale is for, the rows of a panel or the elements of a table's
// row; 0 where it is not known.
func (w *Weighing) depth() int {
	s := w.Params
	switch s.V.(type) {
	case gemm.Params:
		return structInt(s, "K")
	case conv.Params:
		p := w.conv()
		if p.C%p.Groups != 0 || p.OC%p.Groups != 0 {
			return 0
		}
		return p.KH * p.KW * (p.C / p.Groups)
	}
	if structInt(s, "Batch") != 1 || structInt(s, "Outer") != 1 {
		return 0
	}
	return structInt(s, "Inner")
}

// conv are the sizes of a convolution that its weights depend on.
func (w *Weighing) conv() conv.Params {
	s := w.Params
	return conv.Params{KH: structInt(s, "KH"), KW: structInt(s, "KW"), C: structInt(s, "C"), OC: structInt(s, "OC"), Groups: max(structInt(s, "Groups"), 1)}
}

// room is how many floats a call has n narrow weights of known depth widened to.
func (w *Weighing) room(n int) int {
	switch w.Params.V.(type) {
	case gemm.Params:
		k := w.depth()
		return gemm.WideLen(gemm.Params{M: 1, N: n / k, K: k})
	case conv.Params:
		return conv.WideLen(w.conv())
	}
	return 0
}

// structInt is a field of a struct argument, 0 where it is not known.
func structInt(s plan.Struct, field string) int {
	if es := s.Fields[field]; len(es) == 1 {
		n, _ := es[0].IsInt()
		return n
	}
	return int(reflect.ValueOf(s.V).FieldByName(field).Int())
}
