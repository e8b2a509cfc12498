package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
)

// scalarStep returns the statements that compute a single element, such as
//
//	sum := x[0] + 1
func (s *funcBody) scalarStep(st *plan.Scalar, i int) ([]jen.Code, error) {
	code := s.begin(st.Node, st.Op, s.makes(st.Dst), i)
	f := &formula{body: s, step: st, p: st.Program}
	out := st.Program.Outs[0].Value
	print := f.assign
	if chooses(st) {
		print = f.choice
	}
	set, err := print(out)
	if err != nil {
		return nil, err
	}
	stored, err := s.store(st.Dst)
	return append(append(code, set...), stored...), err
}

// chooses reports whether a step is emitted as an if statement with an assignment in each branch.
func chooses(st plan.Step) bool {
	c, ok := st.(*plan.Scalar)
	return ok && c.Program.Ops[c.Program.Outs[0].Value].Code == scalar.Select
}

// element returns an expression for the only element of a view.
func (s *funcBody) element(v plan.View) (*jen.Statement, error) {
	if x := s.vars.of(v); x != nil {
		return jen.Id(x.name), nil
	}
	c, err := s.view(v)
	if err != nil {
		return nil, err
	}
	return c.Clone().Index(jen.Lit(0)), nil
}

// declares reports whether step st, which writes dst, also declares the variable of dst.
func (s *funcBody) declares(dst plan.View, st plan.Step) bool {
	x := s.vars.of(dst)
	return x != nil && x.at == st && !x.bare
}

// target returns the beginning of an assignment: the left side, which is the first parameter, and
// the operator. The assignment is part of step st, and sets the only element of dst. The operator
// is := if the step declares a variable, and = otherwise.
func (s *funcBody) target(to *jen.Statement, dst plan.View, st plan.Step) *jen.Statement {
	if s.declares(dst, st) {
		return to.Op(":=")
	}
	return to.Op("=")
}

// store returns the statement that stores a variable in its place in the arena after an assignment.
// It returns nothing if no store is needed yet.
func (s *funcBody) store(dst plan.View) ([]jen.Code, error) {
	if x := s.vars.of(dst); x != nil && x.stored && x.last == nil {
		return s.stores(x)
	}
	return nil, nil
}

// stores returns the statements that store variables in their places in the arena.
func (s *funcBody) stores(xs ...*goVar) (code []jen.Code, err error) {
	for _, x := range xs {
		c, err := s.view(plan.View{Buf: x.root, Len: sym.One, Mode: plan.Write})
		if err != nil {
			return nil, err
		}
		code = append(code, c.Clone().Index(jen.Lit(0)).Op("=").Id(x.name))
	}
	return code, nil
}

// declare returns the declarations, before step st, of variables that get their first value later.
func (s *funcBody) declare(st plan.Step) []jen.Code {
	var code []jen.Code
	for _, x := range s.vars.declared(st) {
		code = append(code, jen.Var().Id(x.name).Add(s.e.elem(x.root.DType)))
	}
	return code
}

// named sets the variables of the function to v, and chooses the names of these variables in the
// order of the plan's buffers.
func (s *funcBody) named(v *variables) {
	if s.vars = v; v == nil {
		return
	}
	for _, n := range s.numbers {
		if x := v.by[n.root]; x != nil {
			x.name = s.newLocal(n.name, 1)
		}
	}
}
