package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
)

// scalarStep prints
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

// chooses reports whether a step is printed as an if with an assignment in each branch.
func chooses(st plan.Step) bool {
	c, ok := st.(*plan.Scalar)
	return ok && c.Program.Ops[c.Program.Outs[0].Value].Code == scalar.Select
}

// element prints the only element of a view.
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

// target prints the left side and the operator of the assignment by which step st sets the only
// element of dst. The expression for that element is given by to. The operator is := if the step
// declares a variable.
func (s *funcBody) target(to *jen.Statement, dst plan.View, st plan.Step) *jen.Statement {
	if s.declares(dst, st) {
		return to.Op(":=")
	}
	return to.Op("=")
}

// store prints the statement that stores a variable in its place in the arena after an assignment.
// It prints nothing if no store is needed yet.
func (s *funcBody) store(dst plan.View) ([]jen.Code, error) {
	if x := s.vars.of(dst); x != nil && x.stored && x.last == nil {
		return s.stores(x)
	}
	return nil, nil
}

// stores prints the statements that store variables in their places in the arena.
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

// declare prints the declarations, before step st, of variables that get their first value later.
func (s *funcBody) declare(st plan.Step) []jen.Code {
	var code []jen.Code
	for _, x := range s.vars.declared(st) {
		code = append(code, jen.Var().Id(x.name).Add(s.e.elem(x.root.DType)))
	}
	return code
}

// named chooses the names of a function's variables, in the order of the plan's buffers.
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
