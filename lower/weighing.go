package lower

import (
	"reflect"

	"github.com/graphc/graphc/plan"
)

// ByWeights are kernels that do the same computation with weights stored in the formats of type
// Weights, and properties of these weights.
type ByWeights struct {
	Fns [4]any // by Weights; nil if missing
	// Table means that the weights are a table whose rows are gathered. The kernels' parameters are
	// then Out, Weights, In and Params. Other kernels have Out, In, Weights, Scratch and Params.
	Table bool
	// Depth returns the number of weights for one scale, from the params of a call: the rows of a
	// panel, or the elements of a table's row. It returns 0 if that is unknown.
	Depth func(plan.Struct) int
	// Room returns the number of floats that a call needs to widen n narrow weights of known depth;
	// nil for tables.
	Room func(params plan.Struct, n int) int
}

// Weighing is a call that reads weights, with its operands by name.
type Weighing struct {
	By      *ByWeights
	Out, In plan.View // In is the left side of a product, an image, or the indices of rows
	Weights plan.View
	Scratch plan.View
	Params  plan.Struct
}

// Weigh returns a call that reads weights in f32. narrowWeights may change it to read fewer bits.
func (b *Builder) Weigh(w Weighing) *plan.Call {
	c := b.call(w.By.Fns[WeightsF32], nil, w.args(nil, nil))
	if b.l.weighings == nil {
		b.l.weighings = map[*plan.Call]*Weighing{}
	}
	b.l.weighings[c] = &w
	return c
}

// args returns the functions' arguments. scale is the factor of bytes; room is where narrow weights
// are widened to. Both are nil for weights in other formats.
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

// StructInt returns an integer field of a struct argument, or 0 if it is unknown.
func StructInt(s plan.Struct, field string) int {
	if es := s.Fields[field]; len(es) == 1 {
		n, _ := es[0].IsInt()
		return n
	}
	return int(reflect.ValueOf(s.V).FieldByName(field).Int())
}
