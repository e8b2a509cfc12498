package lower

import (
	"reflect"

	"github.com/graphc/graphc/plan"
)

// ByWeights holds kernels that do the same computation with weights in different formats, and
// describes how these kernels use the weights.
type ByWeights struct {
	Fns [4]any // the kernel for each value of type Weights; nil if missing
	// Table says whether the weights are a table from which rows are gathered. If so, the kernels'
	// parameters are Out, Weights, In and Params. Otherwise they are Out, In, Weights, Scratch and
	// Params.
	Table bool
	// Depth returns, for the params of a call, the number of weights that share a scale: the number
	// of rows in a panel, or of elements in a row of a table. It returns 0 if the number is
	// unknown.
	Depth func(plan.Struct) int
	// Room returns the number of float32 values of scratch memory that a call needs to convert n
	// stored weights to f32. Room is nil if the weights are a table. It is called only if Depth
	// does not return 0.
	Room func(params plan.Struct, n int) int
}

// Weighing is a call that reads weights, with its operands in named fields.
type Weighing struct {
	By      *ByWeights
	Out, In plan.View // In is the left operand of a product, an image, or row indices
	Weights plan.View
	Scratch plan.View
	Params  plan.Struct
	// Residual is nil, or an operand that is added to the result, element by element. Out may share
	// storage with it, as in Builder.CallInPlace.
	Residual *plan.View
}

// Weigh returns a call that reads weights in f32. narrowWeights may later change the call to read
// weights with fewer bits.
func (b *Builder) Weigh(w Weighing) *plan.Call {
	c := Over(b.call(w.By.Fns[WeightsF32], nil, w.args(nil, nil)), w.Out, w.Residual)
	if b.l.weighings == nil {
		b.l.weighings = map[*plan.Call]*Weighing{}
	}
	b.l.weighings[c] = &w
	return c
}

// args returns the arguments of the kernels. scale holds the scales of weights stored as bytes, and
// room is the memory for weights converted to f32. Each is nil if the weights' format does not need
// it.
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

// StructInt returns the integer in a field of a struct argument, or 0 if its value is unknown.
func StructInt(s plan.Struct, field string) int {
	if es := s.Fields[field]; len(es) == 1 {
		n, _ := es[0].IsInt()
		return n
	}
	return int(reflect.ValueOf(s.V).FieldByName(field).Int())
}
