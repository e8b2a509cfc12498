package lower

import (
	"reflect"

	"github.com/graphc/graphc/plan"
)

// ByWeights are the kernels that do one thing with weights that are stored in the ways that
// Weights names, and what these weights are like.
type ByWeights struct {
	Fns [4]any // nil where there is none
	// Table says that the weights are a table of which rows are gathered, by kernels of Out, Weights, In and Params.
	// Others are of Out, In, Weights, Scratch and Params.
	Table bool
	// Depth is how many weights one scale is for, by the params of a call: the rows of a panel, or the elements of a
	// table's row; 0 where it is not known.
	Depth func(plan.Struct) int
	// Room is how many floats a call has n narrow weights of known depth widened to; nil for tables.
	Room func(params plan.Struct, n int) int
}

// Weighing is what a call does that reads weights, with its operands by name.
type Weighing struct {
	By      *ByWeights
	Out, In plan.View // In is the left side of a product, an image, or the indices of rows
	Weights plan.View
	Scratch plan.View
	Params  plan.Struct
}

// Weigh is the call that reads weights as they are. narrowWeights may have it read fewer bits.
func (b *Builder) Weigh(w Weighing) *plan.Call {
	c := b.call(w.By.Fns[WeightsF32], nil, w.args(nil, nil))
	if b.l.weighings == nil {
		b.l.weighings = map[*plan.Call]*Weighing{}
	}
	b.l.weighings[c] = &w
	return c
}

// args are the arguments of the functions. scale is what bytes are multiplied by, room is where
// narrow weights are widened to; nil for weights that are stored otherwise.
func (w *Weighing) args(scale, room *plan.View) []any {
	if w.By.Table {
		return []any{w.Out, w.Weights, w.In, w.Params}
	}
	args := []any{w.Out, w.In, w.Weights}
	if scale != nil {
		args = append(args, *scale)
	}
	args = append(args, w.Scratch)
	if room != nil {
		args = append(args, *room)
	}
	return append(args, w.Params)
}

// StructInt is an integer field of a struct argument, 0 where it is not known.
func StructInt(s plan.Struct, field string) int {
	if es := s.Fields[field]; len(es) == 1 {
		n, _ := es[0].IsInt()
		return n
	}
	return int(reflect.ValueOf(s.V).FieldByName(field).Int())
}
