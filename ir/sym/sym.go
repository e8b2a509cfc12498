// Package sym holds integer expressions over symbolic dimensions: the unknown batch of a feed, the
// length of a sequence, a size that is known only when the program runs.
//
// An expression is kept in a normal form, a polynomial with integer coefficients over atoms, so
// equal dimensions have equal keys: (B·7·7·64)/3136 is B. An atom is a symbol, or a division,
// remainder, minimum, maximum or broadcast that could not be simplified.
//
// Symbols whose names begin with "v_" (the constant Signed) are elements of integer tensors and may
// be negative. All other symbols are dimensions and are assumed to be non-negative.
package sym

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Expr is an immutable integer expression. A nil *Expr is not valid.
type Expr struct {
	terms []term // sorted by key, no zero coefficient
	key   string
}

type term struct {
	coef  int
	atoms []*atom // sorted by key, repeated for powers
	key   string
}

// Op is the operation of an atom.
type Op uint8

// The atoms' operations.
const (
	OpVar       Op = iota
	OpDiv          // floor(X/Y)
	OpMod          // X - Y·floor(X/Y)
	OpMin          // the smaller
	OpMax          // the larger
	OpBroadcast    // Y if X is 1, else X: the joint dimension of a broadcast
)

type atom struct {
	op   Op
	name string // OpVar
	x, y *Expr
	key  string
}

var opNames = [...]string{OpDiv: "div", OpMod: "mod", OpMin: "min", OpMax: "max", OpBroadcast: "bcast"}

// Int returns the constant n.
func Int(n int) *Expr {
	if n == 0 {
		return build(nil)
	}
	return build([]term{{coef: n}})
}

// Signed is the prefix of the names of symbols that may be negative.
const Signed = "v_"

// Zero and One are the constants 0 and 1.
var (
	Zero = Int(0)
	One  = Int(1)
)

// Var returns the symbol of that name, which must be a Go identifier.
func Var(name string) *Expr {
	return fromAtom(&atom{op: OpVar, name: name, key: name})
}

func fromAtom(a *atom) *Expr {
	return build([]term{{coef: 1, atoms: []*atom{a}, key: a.key}})
}

func build(ts []term) *Expr {
	e := &Expr{terms: ts}
	switch {
	case len(ts) == 0:
		e.key = "0"
		return e
	case len(ts) == 1 && len(ts[0].atoms) == 0:
		e.key = strconv.Itoa(ts[0].coef)
		return e
	}
	var b strings.Builder
	for i, t := range ts {
		c := t.coef
		if i > 0 {
			if c < 0 {
				b.WriteString(" - ")
				c = -c
			} else {
				b.WriteString(" + ")
			}
		}
		switch {
		case len(t.atoms) == 0:
			b.WriteString(strconv.Itoa(c))
		case c == 1:
			b.WriteString(t.key)
		case c == -1:
			b.WriteString("-" + t.key)
		default:
			b.WriteString(strconv.Itoa(c) + "*" + t.key)
		}
	}
	e.key = b.String()
	return e
}

func termKey(as []*atom) string {
	ks := make([]string, len(as))
	for i, a := range as {
		ks[i] = a.key
	}
	return strings.Join(ks, "*")
}

// normal merges equal terms; constants come last. Coefficients wrap around.
func normal(ts []term) *Expr { return merge(ts, func(a, b int) int { return a + b }) }

func merge(ts []term, add func(a, b int) int) *Expr {
	sort.SliceStable(ts, func(i, j int) bool {
		if (ts[i].key == "") != (ts[j].key == "") {
			return ts[j].key == ""
		}
		return ts[i].key < ts[j].key
	})
	var out []term
	for _, t := range ts {
		if n := len(out); n > 0 && out[n-1].key == t.key {
			out[n-1].coef = add(out[n-1].coef, t.coef)
			continue
		}
		out = append(out, t)
	}
	k := out[:0]
	for _, t := range out {
		if t.coef != 0 {
			k = append(k, t)
		}
	}
	return build(k)
}

// Key returns a canonical text: equal expressions have equal keys. Parse accepts it.
func (e *Expr) Key() string { return e.key }

// String returns Key.
func (e *Expr) String() string { return e.key }

// Equal reports whether e and f are provably equal for all values of the symbols.
func (e *Expr) Equal(f *Expr) bool { return e == f || e.key == f.key }

// IsInt returns the value of a constant expression.
func (e *Expr) IsInt() (int, bool) {
	switch {
	case len(e.terms) == 0:
		return 0, true
	case len(e.terms) == 1 && len(e.terms[0].atoms) == 0:
		return e.terms[0].coef, true
	}
	return 0, false
}

// Is reports whether e is the constant n.
func (e *Expr) Is(n int) bool {
	v, ok := e.IsInt()
	return ok && v == n
}

// IsVar returns the name of e if e is a lone symbol.
func (e *Expr) IsVar() (string, bool) {
	if a := e.lone(OpVar); a != nil {
		return a.name, true
	}
	return "", false
}

// Add returns e + f.
func (e *Expr) Add(f *Expr) *Expr {
	return e.plus(f).decided()
}

// plus is Add without a proof about minima and maxima.
func (e *Expr) plus(f *Expr) *Expr {
	return normal(append(append(make([]term, 0, len(e.terms)+len(f.terms)), e.terms...), f.terms...))
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

// AddInt returns e + n.
func (e *Expr) AddInt(n int) *Expr { return e.Add(Int(n)) }

// Sub returns e - f.
func (e *Expr) Sub(f *Expr) *Expr { return e.Add(f.Mul(Int(-1))) }

// Mul returns e · f.
func (e *Expr) Mul(f *Expr) *Expr {
	return normal(e.times(f, func(a, b int) int { return a * b }))
}

func (e *Expr) times(f *Expr, mul func(a, b int) int) []term {
	var ts []term
	for _, a := range e.terms {
		for _, b := range f.terms {
			as := append(append([]*atom(nil), a.atoms...), b.atoms...)
			sort.SliceStable(as, func(i, j int) bool { return as[i].key < as[j].key })
			ts = append(ts, term{mul(a.coef, b.coef), as, termKey(as)})
		}
	}
	return ts
}

// MulInt returns e · n.
func (e *Expr) MulInt(n int) *Expr { return e.Mul(Int(n)) }

// Product multiplies sizes; the empty product is 1. Unlike Mul, it saturates coefficients that
// overflow an int. A buffer with that many elements is rejected when its memory is allocated.
func Product(es []*Expr) *Expr {
	p := One
	for _, e := range es {
		p = merge(p.times(e, boundedMul), boundedAdd)
	}
	return p
}

func boundedMul(a, b int) int {
	p := a * b
	if a != 0 && (p/a != b || a == -1 && b == math.MinInt) {
		if (a < 0) == (b < 0) {
			return math.MaxInt
		}
		return math.MinInt
	}
	return p
}

func boundedAdd(a, b int) int {
	s := a + b
	switch {
	case a > 0 && b > 0 && s < 0:
		return math.MaxInt
	case a < 0 && b < 0 && s >= 0:
		return math.MinInt
	}
	return s
}

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
	case OpDiv:
		if d, ok := a.y.IsInt(); ok && d > 0 {
			return a.x.NonNegative()
		}
	case OpMod:
		return a.y.NonNegative()
	}
	return a.x.NonNegative() && a.y.NonNegative()
}

// Broadcast returns the dimension to which the dimensions e and f broadcast: f if e is 1, else e. If e
// or f is unknown, a check at run time ensures that they are compatible. The result is valid only for
// compatible dimensions: each of e and f is then 1 or equal to the result. A repeated operand of nested
// broadcasts therefore changes nothing, and Broadcast omits it.
func Broadcast(e, f *Expr) *Expr {
	a, aok := e.IsInt()
	b, bok := f.IsInt()
	switch {
	case e.Equal(f), bok && b == 1:
		return e
	case aok && a == 1:
		return f
	case aok:
		return e
	case bok:
		return f
	}
	all := f.operands(e.operands(nil))
	sort.Slice(all, func(i, j int) bool { return all[i].key < all[j].key })
	var kept []*Expr
	for i, x := range all {
		if (i == 0 || x.key != all[i-1].key) && !x.clips(all) {
			kept = append(kept, x)
		}
	}
	r := kept[len(kept)-1]
	for i := len(kept) - 2; i >= 0; i-- {
		r = binary(OpBroadcast, kept[i], r)
	}
	return r
}

// operands appends the operands of e to a slice if e is a broadcast, and otherwise e itself. It returns
// the slice. In place of an operand that is a broadcast, it appends the operands of that broadcast.
func (e *Expr) operands(to []*Expr) []*Expr {
	if a := e.lone(OpBroadcast); a != nil {
		return a.y.operands(a.x.operands(to))
	}
	return append(to, e)
}

// clips reports whether e is min(n, x), where n is a constant above 1 and x is an element of the slice
// others. Then e is 1 only if x is 1, so e adds nothing to a broadcast with x.
func (e *Expr) clips(others []*Expr) bool {
	a := e.lone(OpMin)
	if a == nil {
		return false
	}
	for _, p := range [][2]*Expr{{a.x, a.y}, {a.y, a.x}} {
		if n, ok := p[0].IsInt(); ok && n > 1 {
			for _, o := range others {
				if o.Equal(p[1]) {
					return true
				}
			}
		}
	}
	return false
}

// lone returns e's atom if e is a single atom with operation op, else nil.
func (e *Expr) lone(op Op) *atom {
	if len(e.terms) == 1 && e.terms[0].coef == 1 && len(e.terms[0].atoms) == 1 && e.terms[0].atoms[0].op == op {
		return e.terms[0].atoms[0]
	}
	return nil
}

func binary(op Op, x, y *Expr) *Expr {
	return fromAtom(&atom{op: op, x: x, y: y, key: opNames[op] + "(" + x.key + ", " + y.key + ")"})
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// Vars adds the symbols of e to set.
func (e *Expr) Vars(set map[string]bool) {
	for _, t := range e.terms {
		for _, a := range t.atoms {
			if a.op == OpVar {
				set[a.name] = true
				continue
			}
			a.x.Vars(set)
			a.y.Vars(set)
		}
	}
}

// Eval computes e with the values of the symbols in env. It fails if a symbol is missing, for a
// division by zero, and if a result overflows.
func (e *Expr) Eval(env map[string]int) (int, error) {
	sum := 0
	for _, t := range e.terms {
		p := t.coef
		for _, a := range t.atoms {
			v, err := a.eval(env)
			if err != nil {
				return 0, err
			}
			hi := p * v
			if v != 0 && (hi/v != p || p == math.MinInt && v == -1) {
				return 0, fmt.Errorf("%s overflows", e)
			}
			p = hi
		}
		s := sum + p
		if (s > sum) != (p > 0) {
			return 0, fmt.Errorf("%s overflows", e)
		}
		if p != 0 {
			sum = s
		}
	}
	return sum, nil
}

func (a *atom) eval(env map[string]int) (int, error) {
	if a.op == OpVar {
		v, ok := env[a.name]
		if !ok {
			return 0, fmt.Errorf("the size %s is unknown", a.name)
		}
		return v, nil
	}
	x, err := a.x.Eval(env)
	if err != nil {
		return 0, err
	}
	y, err := a.y.Eval(env)
	if err != nil {
		return 0, err
	}
	switch a.op {
	case OpDiv, OpMod:
		if y == 0 {
			return 0, fmt.Errorf("%s divides by zero", a.key)
		}
		if a.op == OpMod {
			return x - y*floorDiv(x, y), nil
		}
		return floorDiv(x, y), nil
	case OpMin:
		return min(x, y), nil
	case OpMax:
		return max(x, y), nil
	}
	if x == 1 {
		return y, nil
	}
	return x, nil
}

// Subst returns e with every symbol that m contains replaced by its expression in m.
func (e *Expr) Subst(m map[string]*Expr) *Expr {
	sum := Zero
	for _, t := range e.terms {
		p := Int(t.coef)
		for _, a := range t.atoms {
			p = p.Mul(a.subst(m))
		}
		sum = sum.Add(p)
	}
	return sum
}

func (a *atom) subst(m map[string]*Expr) *Expr {
	if a.op == OpVar {
		if r, ok := m[a.name]; ok {
			return r
		}
		return fromAtom(a)
	}
	return Apply(a.op, a.x.Subst(m), a.y.Subst(m))
}

// Linear returns factor and rest if e is factor·v + rest, where v is the symbol of that name, and
// neither factor nor rest contains v. Otherwise it returns false.
func (e *Expr) Linear(name string) (factor, rest *Expr, ok bool) {
	var with, without []term
	for _, t := range e.terms {
		at := -1
		for i, a := range t.atoms {
			if a.op == OpVar && a.name == name {
				if at >= 0 {
					return nil, nil, false
				}
				at = i
			} else if a.op != OpVar && (a.x.Contains(name) || a.y.Contains(name)) {
				return nil, nil, false
			}
		}
		if at < 0 {
			without = append(without, t)
			continue
		}
		left := slices.Delete(slices.Clone(t.atoms), at, at+1)
		with = append(with, term{t.coef, left, termKey(left)})
	}
	if with == nil {
		return Zero, e, true
	}
	return normal(with), build(without), true
}

// Contains reports whether the symbol of that name occurs in e.
func (e *Expr) Contains(name string) bool {
	for _, t := range e.terms {
		for _, a := range t.atoms {
			if a.op == OpVar && a.name == name || a.op != OpVar && (a.x.Contains(name) || a.y.Contains(name)) {
				return true
			}
		}
	}
	return false
}

// Apply returns the expression of a two-operand Op applied to x and y.
func Apply(op Op, x, y *Expr) *Expr {
	switch op {
	case OpDiv:
		return x.Div(y)
	case OpMod:
		return x.Mod(y)
	case OpMin:
		return Min(x, y)
	case OpMax:
		return Max(x, y)
	}
	return Broadcast(x, y)
}
