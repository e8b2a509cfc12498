package sym

import "math"

// Div returns floor(e / f); a constant divisor must not be 0. If f divides e as polynomials, the
// quotient is exact and f is assumed to be non-zero.
func (e *Expr) Div(f *Expr) *Expr {
	a, aok := e.IsInt()
	b, bok := f.IsInt()
	switch {
	case bok && b == 1:
		return e
	case aok && bok && b != 0:
		return Int(floorDiv(a, b))
	case aok && a == 0:
		return e
	case e.Equal(f):
		return One
	case bok && b < 0 && b > math.MinInt:
		return e.MulInt(-1).Div(Int(-b))
	}
	if len(f.terms) == 1 {
		var exact, rest []term
		for _, t := range e.terms {
			if q, ok := t.div(f.terms[0]); ok {
				exact = append(exact, q)
			} else {
				rest = append(rest, t)
			}
		}
		switch {
		case len(rest) == 0:
			return normal(exact)
		case bok && b > 0:
			return normal(exact).Add(divInt(rest, b))
		case len(exact) > 0:
			return normal(exact).Add(binary(OpDiv, normal(rest), f))
		}
	}
	return binary(OpDiv, e, f)
}

// divInt returns floor(e / d) for a sum e of terms, where d > 0. In the division that remains, all
// coefficients are between -d and d, the first is positive, and the constant is between 0 and d. So
// equal quotients usually have equal forms.
func divInt(e []term, d int) *Expr {
	var whole, part []term
	constant := 0
	for _, t := range e {
		if len(t.atoms) == 0 {
			constant = t.coef
			continue
		}
		if q := t.coef / d; q != 0 {
			whole = append(whole, term{q, t.atoms, t.key})
		}
		if r := t.coef % d; r != 0 {
			part = append(part, term{r, t.atoms, t.key})
		}
	}
	q := floorDiv(constant, d)
	constant -= q * d
	if len(part) == 0 {
		return normal(whole).AddInt(q)
	}
	p := normal(part)
	if p.terms[0].coef > 0 {
		return normal(whole).AddInt(q).Add(divPart(p.AddInt(constant), d))
	}
	// floor(x/d) is -floor((-x + d - 1)/d), and 0 ≤ d - 1 - constant < d.
	return normal(whole).AddInt(q).Sub(divPart(p.MulInt(-1).AddInt(d-1-constant), d))
}

// divPart returns the division of divInt that remains. It uses floor(floor(x/c)/d) = floor(x/(c·d))
// for positive c and d.
func divPart(e *Expr, d int) *Expr {
	if in := e.lone(OpDiv); in != nil {
		if c, ok := in.y.IsInt(); ok && c > 0 && c*d/d == c {
			return in.x.Div(Int(c * d))
		}
	}
	return binary(OpDiv, e, Int(d))
}

// div returns t/u if u's coefficient and atoms divide t's.
func (t term) div(u term) (term, bool) {
	if t.coef%u.coef != 0 {
		return term{}, false
	}
	left := append([]*atom(nil), t.atoms...)
	for _, a := range u.atoms {
		found := false
		for i, b := range left {
			if a.key == b.key {
				left = append(left[:i], left[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			return term{}, false
		}
	}
	return term{t.coef / u.coef, left, termKey(left)}, true
}

// CeilDiv returns ceil(e / f) for a positive f.
func (e *Expr) CeilDiv(f *Expr) *Expr { return e.Add(f).AddInt(-1).Div(f) }

// Mod returns the remainder of Div, with the divisor's sign. With a positive constant f, it is written
// as e - f·floor(e/f), which other terms may cancel.
func (e *Expr) Mod(f *Expr) *Expr {
	a, aok := e.IsInt()
	b, bok := f.IsInt()
	if aok && bok && b != 0 {
		return Int(a - b*floorDiv(a, b))
	}
	if bok && b > 0 {
		return e.Sub(e.Div(f).Mul(f))
	}
	if e.Div(f).Mul(f).Equal(e) {
		return Zero
	}
	return binary(OpMod, e, f)
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
