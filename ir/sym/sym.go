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
			switch {
			case !a.contains(name):
			case a.op != OpVar || at >= 0:
				return nil, nil, false
			default:
				at = i
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
		if slices.ContainsFunc(t.atoms, func(a *atom) bool { return a.contains(name) }) {
			return true
		}
	}
	return false
}

func (a *atom) contains(name string) bool {
	if a.op == OpVar {
		return a.name == name
	}
	return a.x.Contains(name) || a.y.Contains(name)
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
