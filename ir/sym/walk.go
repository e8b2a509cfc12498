package sym

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Factor is one factor of a term, for printers: a symbol (Name) or a two-operand Op over X and Y.
type Factor struct {
	Op   Op
	Name string
	X, Y *Expr
}

// Term is a coefficient times factors.
type Term struct {
	Coef    int
	Factors []Factor
}

// Terms returns the terms of e in printing order. The expression 0 has no terms.
func (e *Expr) Terms() []Term {
	out := make([]Term, len(e.terms))
	for i, t := range e.terms {
		out[i].Coef = t.coef
		for _, a := range t.atoms {
			out[i].Factors = append(out[i].Factors, Factor{a.op, a.name, a.x, a.y})
		}
	}
	return out
}

// Limits of Parse: the nesting depth, and the number of terms after products of sums are multiplied
// out. That number can grow exponentially with the length of the text.
const (
	maxDepth = 100
	maxTerms = 1000
)

// Parse parses the output of String: sums and products of integers, symbols and div, mod, min, max
// and bcast of two operands. Parentheses are allowed.
func Parse(s string) (*Expr, error) {
	p := &parser{src: s}
	e, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	if p.skip(); p.pos != len(s) {
		return nil, fmt.Errorf("expression %q: unexpected %q", s, s[p.pos:])
	}
	return e, nil
}

type parser struct {
	src string
	pos int
}

func (p *parser) skip() {
	for p.pos < len(p.src) && p.src[p.pos] == ' ' {
		p.pos++
	}
}

func (p *parser) eat(c byte) bool {
	p.skip()
	if p.pos < len(p.src) && p.src[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *parser) sum(depth int) (*Expr, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("expression nested deeper than %d", maxDepth)
	}
	e := Zero
	neg := p.eat('-')
	for {
		t, err := p.product(depth)
		if err != nil {
			return nil, err
		}
		if neg {
			t = t.MulInt(-1)
		}
		e = e.Add(t)
		switch {
		case p.eat('+'):
			neg = false
		case p.eat('-'):
			neg = true
		default:
			return e, nil
		}
	}
}

func (p *parser) product(depth int) (*Expr, error) {
	e, err := p.factor(depth)
	for err == nil && p.eat('*') {
		var f *Expr
		if f, err = p.factor(depth); err == nil {
			if len(e.terms)*len(f.terms) > maxTerms {
				return nil, fmt.Errorf("expression %q: a product of more than %d terms", p.src, maxTerms)
			}
			e = e.Mul(f)
		}
	}
	return e, err
}

func (p *parser) factor(depth int) (*Expr, error) {
	if p.eat('(') {
		e, err := p.sum(depth + 1)
		if err == nil && !p.eat(')') {
			err = fmt.Errorf("expression %q: missing )", p.src)
		}
		return e, err
	}
	p.skip()
	start := p.pos
	for p.pos < len(p.src) {
		c := rune(p.src[p.pos])
		if c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			break
		}
		p.pos++
	}
	w := p.src[start:p.pos]
	if w == "" {
		return nil, fmt.Errorf("expression %q: a number, a name or ( expected at %d", p.src, start)
	}
	if w[0] >= '0' && w[0] <= '9' {
		n, err := strconv.Atoi(w)
		if err != nil {
			return nil, fmt.Errorf("expression %q: %q is not a number", p.src, w)
		}
		return Int(n), nil
	}
	if !p.eat('(') {
		return Var(w), nil
	}
	for op, name := range opNames {
		if name == "" || !strings.EqualFold(name, w) {
			continue
		}
		x, err := p.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.eat(',') {
			return nil, fmt.Errorf("expression %q: %s takes two operands", p.src, w)
		}
		y, err := p.sum(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.eat(')') {
			return nil, fmt.Errorf("expression %q: missing )", p.src)
		}
		return Apply(Op(op), x, y), nil
	}
	return nil, fmt.Errorf("expression %q: unknown function %q", p.src, w)
}
