package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// How a dimension of one operand meets that of the other.
const (
	meetEqual   = iota // the same for all sizes
	meetLeft           // only the left operand has it
	meetRight          // only the right operand has it
	meetUnknown        // a run decides; never merged
)

// meeting is one dimension of a broadcast.
type meeting struct {
	a, b *sym.Expr
	how  int
}

// meet aligns two shapes to the right and merges adjacent dimensions that
// broadcast alike; dimensions of 1 on both sides are dropped.
func meet(a, b []*sym.Expr) []meeting {
	n := max(len(a), len(b))
	at := func(s []*sym.Expr, i int) *sym.Expr {
		if i -= n - len(s); i >= 0 {
			return s[i]
		}
		return sym.One
	}
	var ms []meeting
	for i := range n {
		m := meeting{a: at(a, i), b: at(b, i)}
		switch {
		case m.a.Equal(m.b):
			if m.a.Is(1) {
				continue
			}
		case m.b.Is(1):
			m.how = meetLeft
		case m.a.Is(1):
			m.how = meetRight
		default:
			m.how = meetUnknown
		}
		if k := len(ms) - 1; k >= 0 && ms[k].how == m.how && m.how != meetUnknown {
			ms[k].a, ms[k].b = ms[k].a.Mul(m.a), ms[k].b.Mul(m.b)
			continue
		}
		ms = append(ms, m)
	}
	return ms
}

// broadcastDims makes a binary kernel's Dims, with checks of the dimensions
// that only a run can compare. same reports that the two shapes are equal.
func (b *Builder) broadcastDims(x, y []*sym.Expr) (dims plan.Struct, same bool, err error) {
	ms := meet(x, y)
	if len(ms) > elem.MaxRank {
		return plan.Struct{}, false, tensor.Errorf(tensor.Unimplemented, "broadcasting over %d dimensions that differ; %d are supported", len(ms), elem.MaxRank)
	}
	var as, bs []*sym.Expr
	same = true
	for _, m := range ms {
		if m.how == meetUnknown {
			b.Check(shape.Broadcastable, m.a, m.b)
		}
		same = same && m.how == meetEqual
		as, bs = append(as, m.a), append(bs, m.b)
	}
	if len(ms) == 0 {
		return plan.Lit(elem.Dims{}), true, nil
	}
	return plan.Lit(elem.Dims{N: len(ms)}, "A", as, "B", bs), same, nil
}

// broadcastLoop begins a loop over the outermost dimension of a broadcast of
// inputs 0 and 1, taken for tensors of the shapes xs and ys, and returns a chunk's part of the output and of each operand
// and the kernel's Dims for it; nil where the broadcast is no such loop.
func (b *Builder) broadcastLoop(op string, fn any, xs, ys []*sym.Expr) (l *Loop, out, x, y plan.View, dims plan.Struct, same bool) {
	ms := meet(xs, ys)
	if len(ms) == 0 || len(ms) > elem.MaxRank || !loopable(fn, b.InFact(0).DType, b.OutFact(0).DType) {
		return
	}
	same = true
	for _, m := range ms {
		if m.how == meetUnknown {
			return
		}
		same = same && m.how == meetEqual
	}
	joint := func(m meeting) *sym.Expr {
		if m.how == meetRight {
			return m.b
		}
		return m.a
	}
	total, wrap := joint(ms[0]), (*sym.Expr)(nil)
	first, rest := ms[0], ms[1:]
	if len(rest) > 0 && first.how == meetEqual && rest[0].how != meetEqual {
		// The items are those of two dimensions, the outer of which tells the
		// place in the operand that repeats.
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
		item, itemA, itemB = item.Mul(joint(m)), itemA.Mul(m.a), itemB.Mul(m.b)
		as, bs = append(as, m.a), append(bs, m.b)
	}
	sp := rowSplit(item, elementCost(op, b.InFact(0).DType))
	sp.Wrap = wrap
	l = b.Par(total, sp)
	out, x, y = rows(b.Out(0), item), rows(b.In(0), itemA), rows(b.In(1), itemB)
	repeated := func(v plan.View, item *sym.Expr) plan.View {
		if wrap == nil {
			return v
		}
		return v.At(plan.Lo.Div(wrap).Mul(item), item)
	}
	switch first.how {
	case meetLeft:
		y, bs[0] = repeated(b.In(1), itemB), sym.One
	case meetRight:
		x, as[0] = repeated(b.In(0), itemA), sym.One
	}
	return l, out, x, y, plan.Lit(elem.Dims{N: len(as)}, "A", as, "B", bs), same
}

// sameShapes requires the shapes of inputs i and j to be equal: InvalidArgument
// where it is known that they are not. The joint shape takes the dimensions
// that are better known.
func (c *Shaper) sameShapes(i, j int) (ir.Shape, error) {
	return mergeShapes(c.Shape(i), c.Shape(j))
}

// mergeShapes joins what is known of one shape from two sides.
func mergeShapes(a, b ir.Shape) (ir.Shape, error) {
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

// checkSame checks at run what sameShapes could not show.
func (b *Builder) checkSame(x, y []*sym.Expr) error {
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
