package codegen

import (
	"fmt"
	"math"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
)

// loop returns the call that runs a parallel loop. It also emits the body of the loop as a
// function:
//
//	func predictLoop3(s *predictState, t []int, lo, n int, m []byte) { … }
//
// The function computes the items from lo to lo+n-1. The slice m is its private memory. If the loop
// is part of repeated steps (see outline), t has the places of the buffers in the current
// repetition.
func (s *funcBody) loop(l *plan.Par, i int) ([]jen.Code, error) {
	node, op := stepNode(l)
	code := s.begin(node, op, nil, i)

	inner := s.newBody(s.table, s.inTask)
	inner.inPar, inner.chunk = true, &chunk{names: map[string]string{}}
	inner.names["lo"], inner.names["n"] = true, true
	var body []jen.Code
	for _, st := range l.Body {
		c, err := inner.step(st, i)
		if err != nil {
			return nil, err
		}
		body = append(body, c...)
	}
	delete(inner.used, "m") // the function needs no local m, because m is a parameter
	name := fmt.Sprintf("%sLoop%d", s.sig.prefix, s.count)
	row := jen.Nil()
	if inner.used["t"] {
		row = s.local("t").Index(jen.Op(":"))
	}
	if !s.collects {
		s.count++
		params := []jen.Code{jen.Id("s").Op("*").Id(s.sig.prefix + "State"), jen.Id("t").Index().Int(),
			jen.List(jen.Id("lo"), jen.Id("n")).Int(), jen.Id("m").Index().Byte()}
		s.loops = append(s.loops, jen.Comment(fmt.Sprintf("// %s computes items lo..lo+n-1 of a loop over %s items.", name, s.sig.text(l.Total))).Line().
			Func().Id(name).Params(params...).Block(slices.Concat(locals(inner.used), inner.chunk.set, body)...))
	}
	return append(code, jen.Id("s").Dot("Par").Call(jen.Id(name), row, s.checked(l.Total), s.split(&l.Split))), nil
}

// split returns an rt.Split literal, which says how a parallel loop may be divided into chunks.
func (s *funcBody) split(sp *plan.Split) *jen.Statement {
	var fields []jen.Code
	field := func(name string, x *sym.Expr) {
		if x != nil && !x.Is(0) {
			fields = append(fields, jen.Id(name).Op(":").Add(s.expr(x)))
		}
	}
	if sp.Grain > 1 {
		field("Grain", sym.Int(sp.Grain))
	}
	field("Most", sp.Most)
	field("Least", sym.Int(sp.Least))
	field("Wrap", sp.Wrap)
	if n, ok := sp.Work.IsInt(); ok && n > math.MaxInt32 {
		fields = append(fields, jen.Id("Work").Op(":").Add(wide(n)))
	} else {
		field("Work", sp.Work)
	}
	return s.e.rt("Split").Values(fields...)
}

// takeLoops returns the bodies of parallel loops that were emitted since the last call of
// takeLoops.
func (s *stepsFile) takeLoops() []jen.Code {
	l := s.loops
	s.loops = nil
	return l
}
