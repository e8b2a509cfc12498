package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
)

// printer makes expressions inside one function, and records which of the function's locals they
// use.
type printer struct {
	e     *emitter
	sig   *signature
	used  map[string]bool // names of the locals that the expressions use; see the function locals
	table *table          // the table of an outlined function, else nil
	names scope           // the names in use in the function
	// locals for parts of buffers that are set before the current loop; nil outside of loops
	fixed *fixed
	vars  *variables // the function's variables, nil for none
	// windows holds the locals for parts of buffers. It is nil if no part of a buffer gets a local.
	windows *windows
	// chunk holds the locals for parts of expressions that depend on the chunk of a parallel loop. It is
	// nil outside of such loops.
	chunk *chunk
	// whether the function has only the state that all runs of the model share, not that of one run
	base bool
	// inTask reports whether the function is part of a task. A task has a separate state, and takes
	// sizes from the state of the run.
	inTask bool
}

// local returns the identifier of a local, and records that the function uses this local.
func (p *printer) local(name string) *jen.Statement {
	p.used[name] = true
	return jen.Id(name)
}

func (p *printer) symbol(name string) *jen.Statement {
	switch name {
	case plan.LoName:
		return jen.Id("lo")
	case plan.CountName:
		return jen.Id("n")
	}
	if p.sig.dims[name] {
		return p.local("d").Dot(p.sig.field(name))
	}
	if p.inTask {
		p.used["Of"] = true
	}
	return p.local("v").Dot(p.sig.field(name))
}

// expr returns an expression that computes x in Go's unchecked arithmetic.
func (p *printer) expr(x *sym.Expr) *jen.Statement {
	terms := x.Terms()
	if len(terms) == 0 {
		return jen.Lit(0)
	}
	s := jen.Null()
	for i, t := range terms {
		c := t.Coef
		switch {
		case i > 0 && c < 0:
			s = s.Op("-")
			c = -c
		case i > 0:
			s = s.Op("+")
		case c == -1 && len(t.Factors) > 0:
			s = s.Op("-")
			c = 1
		}
		first := true
		if c != 1 || len(t.Factors) == 0 {
			s = s.Lit(c)
			first = false
		}
		for _, f := range t.Factors {
			if !first {
				s = s.Op("*")
			}
			first = false
			s = s.Add(p.factor(f))
		}
	}
	return s
}

// chunk is the set of locals for sizes of a chunk: quotients, remainders, minima and maxima.
type chunk struct {
	names map[string]string // by the text of the expression
	set   []jen.Code
	deep  bool // whether the expression of a local is being printed
}

// sizeOf returns the local for f, and declares it if it is new. It returns "" if f has no local. A minimum or
// maximum within the expression of a local has none.
func (p *printer) sizeOf(f sym.Factor) string {
	c := p.chunk
	if c == nil || f.Op == sym.OpVar || c.deep && (f.Op == sym.OpMin || f.Op == sym.OpMax) || !plan.Mentions(f.X) && !plan.Mentions(f.Y) {
		return ""
	}
	key := fmt.Sprintf("%v %v %v", f.Op, f.X, f.Y)
	if c.names[key] == "" {
		was := c.deep
		c.deep = true
		x := p.operation(f)
		c.deep = was
		name := p.names.take(map[sym.Op]string{sym.OpDiv: "quotient", sym.OpMod: "remainder", sym.OpMin: "least", sym.OpMax: "most"}[f.Op], "")
		c.names[key] = name
		c.set = append(c.set, jen.Id(name).Op(":=").Add(x))
	}
	return c.names[key]
}

func (p *printer) factor(f sym.Factor) *jen.Statement {
	if name := p.sizeOf(f); name != "" {
		return jen.Id(name)
	}
	return p.operation(f)
}

func (p *printer) operation(f sym.Factor) *jen.Statement {
	switch f.Op {
	case sym.OpVar:
		return p.symbol(f.Name)
	case sym.OpDiv:
		return p.e.rt("Div").Call(p.expr(f.X), p.expr(f.Y))
	case sym.OpMod:
		return p.e.rt("Mod").Call(p.expr(f.X), p.expr(f.Y))
	case sym.OpMin:
		return jen.Id("min").Call(p.expr(f.X), p.expr(f.Y))
	case sym.OpMax:
		return jen.Id("max").Call(p.expr(f.X), p.expr(f.Y))
	}
	return p.e.rt("Bcast").Call(p.expr(f.X), p.expr(f.Y))
}

// checked returns an expression that computes x in arithmetic that ends the run on overflow of int.
func (p *printer) checked(x *sym.Expr) *jen.Statement {
	if n, ok := x.IsInt(); ok {
		return jen.Lit(n)
	}
	var sum *jen.Statement
	for _, t := range x.Terms() {
		var prod *jen.Statement
		for _, f := range t.Factors {
			prod = p.combine("MulSize", prod, p.checkedFactor(f))
		}
		if t.Coef != 1 || prod == nil {
			if prod == nil {
				prod = jen.Lit(t.Coef)
			} else {
				prod = p.combine("MulSize", prod, jen.Lit(t.Coef))
			}
		}
		sum = p.combine("AddSize", sum, prod)
	}
	return sum
}

func (p *printer) combine(fn string, a, b *jen.Statement) *jen.Statement {
	if a == nil {
		return b
	}
	return p.e.rt(fn).Call(a, b)
}

func (p *printer) checkedFactor(f sym.Factor) *jen.Statement {
	fn := map[sym.Op]string{sym.OpDiv: "Div", sym.OpMod: "Mod", sym.OpBroadcast: "Bcast"}
	switch f.Op {
	case sym.OpVar:
		return p.symbol(f.Name)
	case sym.OpMin:
		return jen.Id("min").Call(p.checked(f.X), p.checked(f.Y))
	case sym.OpMax:
		return jen.Id("max").Call(p.checked(f.X), p.checked(f.Y))
	}
	return p.e.rt(fn[f.Op]).Call(p.checked(f.X), p.checked(f.Y))
}
