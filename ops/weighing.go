package ops

import (
	"reflect"

	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// byWeights are the functions that do one thing with weights that are stored in the ways that
// Weights names; nil where there is none.
type byWeights [4]any

var (
	gemmByWeights = byWeights{gemm.F32, gemm.F32F16, gemm.F32BF16, gemm.F32I8}
	convByWeights = byWeights{conv.F32, conv.F32F16, conv.F32BF16, conv.F32I8}
)

// gatherByWeights are those that gather rows of a table by indices of a type.
func gatherByWeights(indices tensor.DType) (fns byWeights) {
	for w, d := range [...]tensor.DType{tensor.Float32, tensor.Half, tensor.BFloat16, tensor.Int8} {
		fns[w] = gatherGatherKernels[[2]tensor.DType{d, indices}]
	}
	return fns
}

// weighing is what a call does that reads weights, with its operands by name.
type weighing struct {
	fns     byWeights
	out, in plan.View // in is the left side of a product, an image, or the indices of rows
	weights plan.View
	// bias and res of a product or a convolution, where they are not absent, are views.
	bias, res plan.Arg
	scratch   plan.View
	params    plan.Struct
}

// weigh is the call that reads weights as they are. narrowWeights may have it read fewer bits.
func (b *Builder) weigh(w weighing) *plan.Call {
	c := b.call(w.fns[WeightsF32], nil, w.args(nil, nil))
	if b.l.weighings == nil {
		b.l.weighings = map[*plan.Call]*weighing{}
	}
	b.l.weighings[c] = &w
	return c
}

// table reports that the weights are a table of which rows are gathered.
func (w *weighing) table() bool { _, ok := w.params.V.(gather.Params); return ok }

// args are the arguments of the functions. scale is what bytes are multiplied by, room is where
// narrow weights are widened to; nil for weights that are stored otherwise.
func (w *weighing) args(scale, room *plan.View) []any {
	if w.table() {
		return []any{w.out, w.weights, w.in, w.params}
	}
	args := []any{w.out, w.in, w.weights}
	if scale != nil {
		args = append(args, *scale)
	}
	args = append(args, w.bias, w.res, w.scratch)
	if room != nil {
		args = append(args, *room)
	}
	return append(args, w.params)
}

// depth is how many weights one scale is for, the rows of a panel or the elements of a table's
// row; 0 where it is not known.
func (w *weighing) depth() int {
	s := w.params
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
func (w *weighing) conv() conv.Params {
	s := w.params
	return conv.Params{KH: structInt(s, "KH"), KW: structInt(s, "KW"), C: structInt(s, "C"), OC: structInt(s, "OC"), Groups: max(structInt(s, "Groups"), 1)}
}

// room is how many floats a call has n narrow weights of known depth widened to.
func (w *weighing) room(n int) int {
	switch w.params.V.(type) {
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
