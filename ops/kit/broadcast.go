package kit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Relations between the operands' sizes in one dimension.
const (
	meetEqual   = iota // the sizes are equal for all values of the symbols
	meetLeft           // the size of the right operand is 1
	meetRight          // the size of the left operand is 1
	MeetUnknown        // one of these three, known only at run time; such dimensions are never merged
)

// Meeting is one dimension of a broadcast.
type Meeting struct {
	A, B *sym.Expr
	How  int
}

// Meet aligns two shapes at their last dimensions and merges adjacent dimensions that broadcast
// alike. It drops dimensions that are 1 in both shapes.
func Meet(a, b []*sym.Expr) []Meeting {
	n := max(len(a), len(b))
	at := func(s []*sym.Expr, i int) *sym.Expr {
		if i -= n - len(s); i >= 0 {
			return s[i]
		}
		return sym.One
	}
	var ms []Meeting
	for i := range n {
		m := Meeting{A: at(a, i), B: at(b, i)}
		switch {
		case m.A.Equal(m.B):
			if m.A.Is(1) {
				continue
			}
		case m.B.Is(1):
			m.How = meetLeft
		case m.A.Is(1):
			m.How = meetRight
		default:
			m.How = MeetUnknown
		}
		if k := len(ms) - 1; k >= 0 && ms[k].How == m.How && m.How != MeetUnknown {
			ms[k].A, ms[k].B = ms[k].A.Mul(m.A), ms[k].B.Mul(m.B)
			continue
		}
		ms = append(ms, m)
	}
	return ms
}

// BroadcastDims returns the Dims of a binary kernel for operands of the shapes x and y. It appends
// checks for dimensions that can be compared only at run time. The result same reports whether the
// two shapes are equal.
func BroadcastDims(b *lower.Builder, x, y []*sym.Expr) (dims plan.Struct, same bool, err error) {
	ms := Meet(x, y)
	if len(ms) > elem.MaxRank {
		return plan.Struct{}, false, tensor.Errorf(tensor.Unimplemented, "broadcasting over %d dimensions that differ; %d are supported", len(ms), elem.MaxRank)
	}
	var as, bs []*sym.Expr
	same = true
	for _, m := range ms {
		if m.How == MeetUnknown {
			b.Check(shape.Broadcastable, m.A, m.B)
		}
		same = same && m.How == meetEqual
		as, bs = append(as, m.A), append(bs, m.B)
	}
	if len(ms) == 0 {
		return plan.Lit(elem.Dims{}), true, nil
	}
	return plan.Lit(elem.Dims{N: len(ms)}, "A", as, "B", bs), same, nil
}

// BroadcastLoop begins a loop over the outermost dimension of a broadcast of inputs 0 and 1, viewed
// with the shapes xs and ys. It returns a chunk's part of the output and of each operand, and the
// kernel's Dims for the chunk. l is nil if the broadcast cannot be such a loop.
func BroadcastLoop(b *lower.Builder, op string, fn any, xs, ys []*sym.Expr) (l *lower.Loop, out, x, y plan.View, dims plan.Struct, same bool) {
	ms := Meet(xs, ys)
	if len(ms) == 0 || len(ms) > elem.MaxRank || !lower.Loopable(fn, b.InFact(0).DType, b.OutFact(0).DType) {
		return
	}
	same = true
	for _, m := range ms {
		if m.How == MeetUnknown {
			return
		}
		same = same && m.How == meetEqual
	}
	joint := func(m Meeting) *sym.Expr {
		if m.How == meetRight {
			return m.B
		}
		return m.A
	}
	total, wrap := joint(ms[0]), (*sym.Expr)(nil)
	first, rest := ms[0], ms[1:]
	if len(rest) > 0 && first.How == meetEqual && rest[0].How != meetEqual {
		// The loop's items are the index pairs of the two outermost dimensions. An operand that is
		// repeated along the inner one of these dimensions is indexed only by the outer one.
		first, rest = rest[0], rest[1:]
		wrap = joint(first)
		total = total.Mul(wrap)
	}
	if total.Is(0) {
		return
	}
	item, itemA, itemB := sym.One, sym.One, sym.One
	as, bs := []*sym.Expr{plan.Count}, []*sym.Expr{plan.Count}
	for _, m := range rest {
		item, itemA, itemB = item.Mul(joint(m)), itemA.Mul(m.A), itemB.Mul(m.B)
		as, bs = append(as, m.A), append(bs, m.B)
	}
	sp := lower.RowSplit(item, b.ElementCost(op, b.InFact(0).DType))
	sp.Wrap = wrap
	l = b.Par(total, sp)
	out, x, y = lower.Rows(b.Out(0), item), lower.Rows(b.In(0), itemA), lower.Rows(b.In(1), itemB)
	repeated := func(v plan.View, item *sym.Expr) plan.View {
		if wrap == nil {
			return v
		}
		return v.At(plan.Lo.Div(wrap).Mul(item), item)
	}
	switch first.How {
	case meetLeft:
		y, bs[0] = repeated(b.In(1), itemB), sym.One
	case meetRight:
		x, as[0] = repeated(b.In(0), itemA), sym.One
	}
	return l, out, x, y, plan.Lit(elem.Dims{N: len(as)}, "A", as, "B", bs), same
}

// SameShapes returns the common shape of inputs i and j. A dimension that is constant in one of
// them is constant in the result. SameShapes returns InvalidArgument if the shapes are known to
// differ.
func SameShapes(c *lower.Shaper, i, j int) (ir.Shape, error) {
	return MergeShapes(c.Shape(i), c.Shape(j))
}

// MergeShapes merges two descriptions of one shape.
func MergeShapes(a, b ir.Shape) (ir.Shape, error) {
	if !a.Known {
		return b, nil
	}
	if !b.Known {
		return a, nil
	}
	if len(a.Dims) != len(b.Dims) {
		return ir.Shape{}, tensor.Errorf(tensor.InvalidArgument, "shapes must be equal rank, but are %v and %v", a, b)
	}
	out := make([]*sym.Expr, len(a.Dims))
	for k := range out {
		out[k] = a.Dims[k]
		x, xok := a.Dims[k].IsInt()
		y, yok := b.Dims[k].IsInt()
		if xok && yok && x != y {
			return ir.Shape{}, tensor.Errorf(tensor.InvalidArgument, "shapes must be equal, but are %v and %v", a, b)
		}
		if yok {
			out[k] = b.Dims[k]
		}
	}
	return ir.Shape{Known: true, Dims: out}, nil
}

// CheckSame adds run-time checks for dimensions that SameShapes could not compare.
func CheckSame(b *lower.Builder, x, y []*sym.Expr) error {
	if len(x) != len(y) {
		return tensor.Errorf(tensor.InvalidArgument, "shapes of rank %d and %d must be equal", len(x), len(y))
	}
	for k := range x {
		if !x[k].Equal(y[k]) {
			b.Check(shape.Equal, x[k], y[k], "shapes must be equal")
		}
	}
	return nil
}
