package algebra

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Involution removes pairs of functions that undo each other. There may be nodes between them that
// only move elements:
//
//	f(f(x))                 x          Neg, Reciprocal, Inv, Conj, Invert, LogicalNot
//	f(move(f(x)))           move(x)    if the inner nodes have no other readers
//	ReverseV2(ReverseV2(x)) x          over the same axes
//	Conj(Transpose(x))      ConjugateTranspose(x); also for Transpose(Conj(x))
//	Bitcast(Bitcast(x))     one Bitcast, or x
//	Cast(Cast(x))           one Cast, if the inner Cast loses nothing
//
// Involution also exchanges a cast and a node that only moves elements, so that the node moves
// elements of the smaller type. Cast(Transpose(x)) to a smaller type becomes Transpose(Cast(x)).
// Transpose(Cast(x)) from a smaller type becomes Cast(Transpose(x)).
func Involution(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		switch {
		case len(n.Ins) == 0 || len(n.Outs) != 1:
		case s.O.Ops.Trait(n.Op, lower.Involution):
			if !pair(r, n) && n.Op == "Conj" {
				conjugated(r, n)
			}
		case n.Op == "ReverseV2":
			reversed(r, n)
		case n.Op == "Transpose" || n.Op == "ConjugateTranspose":
			conjugated(r, n)
		case n.Op == "Bitcast":
			bitcast(r, n)
		case n.Op == "Cast":
			casts(r, n)
		}
		if !r.Spent {
			castMoves(r, n)
		}
	})
}

// pair looks for an earlier node that applies the same function as n, so that the two undo each
// other. If it finds one, it removes both, and returns true.
func pair(r *edit.Rewriter, n *ir.Node) bool {
	o := n.Ins[0]
	if o.Node.Op == n.Op && r.Near(o, n) {
		r.Becomes(n, o.Node.Ins[0], "two of it undo each other")
		return true
	}
	at := n
	for range 16 {
		if !r.Sole(o, at) {
			return false
		}
		m := o.Node
		if m.Op == n.Op {
			x := m.Ins[0]
			if r.Take(n, "undoes "+m.Name+", with only moves of elements between them") {
				r.Set(m, "Identity", edit.OfType(m.Outs[0].DType), x)
				r.Set(n, "Identity", edit.OfType(n.Outs[0].DType), n.Ins[0])
			}
			return true
		}
		if !r.S.O.Ops.Trait(m.Op, lower.Picks) || m.Outs[0].DType != n.Outs[0].DType {
			return false
		}
		at, o = m, m.Ins[0]
	}
	return false
}

// reversed removes n, a ReverseV2, and the ReverseV2 before it if both reverse the same axes.
func reversed(r *edit.Rewriter, n *ir.Node) {
	m := n.Ins[0].Node
	if m.Op != "ReverseV2" || len(n.Ins) != 2 || len(m.Ins) != 2 || !r.Near(n.Ins[0], n) {
		return
	}
	same := n.Ins[1] == m.Ins[1]
	if !same {
		a, ok1 := reversedAxes(n)
		b, ok2 := reversedAxes(m)
		same = ok1 && ok2 && slices.Equal(a, b)
	}
	if same {
		r.Becomes(n, m.Ins[0], "two reversals undo each other")
	}
}

func reversedAxes(n *ir.Node) ([]int, bool) {
	axes, ok := Ints(n.Ins[1])
	rank := n.Outs[0].Shape.Rank()
	if !ok || rank < 0 {
		return nil, false
	}
	axes = slices.Clone(axes)
	for i, a := range axes {
		if a < 0 {
			axes[i] = a + rank
		}
	}
	slices.Sort(axes)
	return axes, true
}

// conjugated merges a conjugation and a transposition into one op.
func conjugated(r *edit.Rewriter, n *ir.Node) {
	m := n.Ins[0].Node
	if !n.Outs[0].DType.IsComplex() || !r.Near(n.Ins[0], n) {
		return
	}
	op, turn := "", n
	switch n.Op + " " + m.Op {
	case "Conj Transpose":
		op, turn = "ConjugateTranspose", m
	case "Conj ConjugateTranspose":
		op, turn = "Transpose", m
	case "Transpose Conj":
		op = "ConjugateTranspose"
	case "ConjugateTranspose Conj":
		op = "Transpose"
	default:
		return
	}
	if len(turn.Ins) != 2 || !edit.Takes(r.S.O.Ops, op, n.Outs[0].DType) || !r.Take(n, "the conjugation joins the transposition") {
		return
	}
	r.Set(n, op, turn.Attrs, m.Ins[0], turn.Ins[1])
}

// bitcast merges two Bitcasts if the sizes of the types allow it.
func bitcast(r *edit.Rewriter, n *ir.Node) {
	m := n.Ins[0].Node
	if m.Op != "Bitcast" || !r.Near(n.Ins[0], n) {
		return
	}
	x := m.Ins[0]
	from, mid, to := x.Fact().DType, m.Outs[0].DType, n.Outs[0].DType
	switch {
	case from == to && x.Fact().Shape.Equal(n.Outs[0].Shape):
		r.Becomes(n, x, "the bits are unchanged")
	case mid.Size() == from.Size() || mid.Size() == to.Size():
		if r.Take(n, "bits are read as another type once") {
			r.Set(n, "Bitcast", map[string]ir.Attr{"T": from, "type": to}, x)
		}
	}
}

// casts merges two Casts if the first keeps every value.
func casts(r *edit.Rewriter, n *ir.Node) {
	m := n.Ins[0].Node
	if m.Op != "Cast" || !r.Near(n.Ins[0], n) || n.Bool("Truncate") || m.Bool("Truncate") {
		return
	}
	x := m.Ins[0]
	from, mid, to := x.Fact().DType, m.Outs[0].DType, n.Outs[0].DType
	if !keepsValues(from, mid) || mid.IsFloat() && !to.IsFloat() && !keepsValues(from, to) && from != to {
		return // without the cast to mid, numbers that are out of range would be converted differently
	}
	if from == to {
		r.Becomes(n, x, "a cast to a larger type and back")
		return
	}
	if r.Take(n, "a cast through a larger type") {
		r.Set(n, "Cast", map[string]ir.Attr{"SrcT": from, "DstT": to, "Truncate": false}, x)
	}
}

// digits holds the number of bits without the sign bit for each integer type, and the number of
// mantissa bits, including the implicit one, for each floating-point type.
var digits = map[tensor.DType]int{tensor.Bool: 1, tensor.Uint8: 8, tensor.Uint16: 16, tensor.Uint32: 32, tensor.Uint64: 64, tensor.Int8: 7, tensor.Int16: 15,
	tensor.Int32: 31, tensor.Int64: 63, tensor.Half: 11, tensor.BFloat16: 8, tensor.Float32: 24, tensor.Float64: 53}

// keepsValues reports whether a cast between the two types preserves the value of each number.
func keepsValues(from, to tensor.DType) bool {
	a, b := digits[from], digits[to]
	switch {
	case a == 0 || b == 0 || to == tensor.Bool:
		return false
	case from == to:
		return true
	case from.IsFloat():
		return to.IsFloat() && a < b && !(from == tensor.BFloat16 && to == tensor.Half)
	case to.IsFloat():
		return a <= b && !(to == tensor.Half && a > 11)
	case from.IsSigned():
		return to.IsSigned() && a <= b
	}
	return a <= b
}

// castMoves exchanges n and the node before it. One of the two must be a cast, and the other must
// only move elements. It exchanges them only if the moved elements then have a smaller type.
func castMoves(r *edit.Rewriter, n *ir.Node) {
	if len(n.Ins) == 0 || len(n.Outs) != 1 || !r.Sole(n.Ins[0], n) {
		return
	}
	m := n.Ins[0].Node
	if r.S.O.Ops.Trait(n.Op, lower.Permutes) && m.Op == "Cast" && m.Ins[0].Fact().DType.Size() < m.Outs[0].DType.Size() {
		x := m.Ins[0]
		d := x.Fact().DType
		if !plainType(d) || !plainType(n.Outs[0].DType) || !edit.Takes(r.S.O.Ops, n.Op, d) || !r.Take(n, "moved before it is cast to a larger type") {
			return
		}
		moved := r.Made(n, "moved", n.Op, With(n.Attrs, "T", d), ir.Fact{DType: d, Shape: n.Outs[0].Shape}, append([]ir.Out{x}, n.Ins[1:]...)...)
		r.Set(n, "Cast", m.Attrs, moved)
		return
	}
	if n.Op == "Cast" && r.S.O.Ops.Trait(m.Op, lower.Permutes) && n.Outs[0].DType.Size() < m.Outs[0].DType.Size() {
		d := n.Outs[0].DType
		if !plainType(d) || !plainType(m.Outs[0].DType) || !edit.Takes(r.S.O.Ops, m.Op, d) || !r.Take(n, "cast to a smaller type before it is moved") {
			return
		}
		x := m.Ins[0]
		small := r.Made(n, "small", "Cast", n.Attrs, ir.Fact{DType: d, Shape: x.Fact().Shape}, x)
		r.Set(n, m.Op, With(m.Attrs, "T", d), append([]ir.Out{small}, m.Ins[1:]...)...)
	}
}

// plainType reports whether d is a type of numbers or bools.
func plainType(d tensor.DType) bool {
	return d.IsInteger() || d.IsFloat() || d.IsComplex() || d == tensor.Bool
}

// With returns a copy of attrs in which the attribute with the given name has the value v.
func With(attrs map[string]ir.Attr, name string, v ir.Attr) map[string]ir.Attr {
	out := make(map[string]ir.Attr, len(attrs)+1)
	for k, a := range attrs {
		out[k] = a
	}
	out[name] = v
	return out
}
