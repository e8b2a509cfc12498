package sym

import (
	"slices"
	"sort"
)

// Min returns an expression for the smaller of e and f.
func Min(e, f *Expr) *Expr { return extreme(OpMin, e, f) }

// Max returns an expression for the larger of e and f.
func Max(e, f *Expr) *Expr { return extreme(OpMax, e, f) }

// maxOperands limits the operands of a Min or Max that are compared with each other.
const maxOperands = 8

// extreme returns the smallest or the largest of the given expressions, as op says. Operands that
// cannot be the result are left out. The others are sorted, so that equal extremes have equal forms.
func extreme(op Op, es ...*Expr) *Expr {
	var all []*Expr
	for _, e := range es {
		all = append(all, e.extremes(op)...)
	}
	if len(all) > maxOperands {
		all = es
	}
	kept := best(op, all)
	sort.Slice(kept, func(i, j int) bool { return kept[i].key < kept[j].key })
	r := kept[len(kept)-1]
	for i := len(kept) - 2; i >= 0; i-- {
		r = binary(op, kept[i], r)
	}
	return r
}

// best returns those of the given operands of op that may be the result. Of two operands of which
// one is never better, it keeps only the other.
func best(op Op, all []*Expr) []*Expr {
	var kept []*Expr
next:
	for i, e := range all {
		for j, f := range all {
			if i != j && f.better(op, e) && (j < i || !e.better(op, f)) {
				continue next
			}
		}
		kept = append(kept, e)
	}
	return kept
}

// better reports whether the result of op for e and f is provably e.
func (e *Expr) better(op Op, f *Expr) bool {
	if a, ok := e.IsInt(); ok {
		if b, ok := f.IsInt(); ok { // compared directly: their difference may overflow
			return op == OpMin && a <= b || op == OpMax && a >= b
		}
	}
	if op == OpMin {
		e, f = f, e
	}
	return e.plus(f.MulInt(-1)).NonNegative()
}

// extremes returns expressions of which e is the smallest or the largest, as op says. If e is
// k·max(x, y) + z with k > 0, for example, it is the larger of k·x + z and k·y + z.
func (e *Expr) extremes(op Op) []*Expr {
	at, negative := e.extremeTerm(op)
	if at < 0 {
		return []*Expr{e}
	}
	t := e.terms[at]
	a := t.atoms[0]
	rest := build(slices.Delete(slices.Clone(e.terms), at, at+1))
	inner := op
	if negative {
		inner = OpMin + OpMax - op
	}
	var out []*Expr
	for _, x := range []*Expr{a.x, a.y} {
		for _, y := range x.extremes(inner) {
			out = append(out, rest.Add(y.MulInt(t.coef)))
		}
	}
	return out
}

// extremeTerm returns the index of the only term of e that contains a minimum or maximum, if e is
// the minimum or maximum (as op says) of its values for the operands in that term. This is so if the
// term is k·a for an atom a with operation op and k > 0, or for one with the other operation and k <
// 0, which extremeTerm then reports. Otherwise it returns -1.
func (e *Expr) extremeTerm(op Op) (at int, negative bool) {
	at = -1
	for i, t := range e.terms {
		for _, a := range t.atoms {
			if a.op != OpMin && a.op != OpMax {
				continue
			}
			if at >= 0 || len(t.atoms) > 1 || (a.op == op) != (t.coef > 0) {
				return -1, false
			}
			at, negative = i, t.coef < 0
		}
	}
	return at, negative
}

// decided returns e, or a simpler expression if e contains a minimum or maximum that is provably
// always the same operand. For example, max(0, x - 2) + 2 - x is the larger of 2 - x and 0.
func (e *Expr) decided() *Expr {
	if len(e.terms) < 2 {
		return e
	}
	for _, op := range []Op{OpMin, OpMax} {
		if at, _ := e.extremeTerm(op); at < 0 {
			continue
		}
		if all := e.extremes(op); len(all) <= maxOperands {
			if kept := best(op, all); len(kept) == 1 {
				return kept[0]
			}
		}
	}
	return e
}
