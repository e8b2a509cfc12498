package sym

import (
	"slices"
	"strings"
)

// maxBounds limits the terms that one proof of NonNegative replaces by bounds.
const maxBounds = 8

// NonNegative reports whether e is provably at least 0.
func (e *Expr) NonNegative() bool {
	left := maxBounds
	return e.atLeastZero(&left)
}

// atLeastZero does the work of NonNegative. If a term does not fit, it replaces the term by a bound:
// a division by its exact quotient, a minimum or maximum by its operands. The parameter left is the
// number of such steps that are still allowed.
func (e *Expr) atLeastZero(left *int) bool {
	if v, ok := e.IsInt(); ok {
		return v >= 0
	}
	bad := false
	for _, t := range e.terms {
		bad = bad || t.coef < 0 || slices.ContainsFunc(t.atoms, func(a *atom) bool { return !a.nonNegative() })
	}
	if !bad {
		return true
	}
	for i, t := range e.terms {
		if len(t.atoms) != 1 || t.atoms[0].op == OpVar {
			continue
		}
		a := t.atoms[0]
		if *left--; *left < 0 {
			return false
		}
		rest := build(slices.Delete(slices.Clone(e.terms), i, i+1))
		with := func(x *Expr) bool { return rest.plus(x.MulInt(t.coef)).atLeastZero(left) }
		switch a.op {
		case OpDiv:
			d, ok := a.y.IsInt()
			if !ok || d <= 1 || d > 1<<20 {
				continue
			}
			// floor(x/d) is between (x - d + 1)/d and x/d. e is an integer, so it is enough that
			// d·e is more than -d.
			x := a.x
			if t.coef > 0 {
				x = x.plus(Int(1 - d))
			}
			if rest.MulInt(d).plus(x.MulInt(t.coef)).plus(Int(d - 1)).atLeastZero(left) {
				return true
			}
		case OpMin, OpMax:
			if (a.op == OpMax) == (t.coef > 0) {
				if with(a.x) || with(a.y) {
					return true
				}
			} else if with(a.x) && with(a.y) {
				return true
			}
		}
	}
	return false
}

func (a *atom) nonNegative() bool {
	switch a.op {
	case OpVar:
		return !strings.HasPrefix(a.name, Signed)
	case OpMax:
		return a.x.NonNegative() || a.y.NonNegative()
	case OpMod:
		return a.y.NonNegative()
	}
	return a.x.NonNegative() && a.y.NonNegative()
}
