package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
)

// head emits the declarations that the steps of a signature use: the state, the tables, and the
// functions that read and check sizes. If several functions contain the steps, head also emits the
// function that calls all of them.
func (s *stepsFile) head(f *jen.File, all []function) error {
	sig, e, pre := s.sig, s.e, s.sig.prefix
	s.declareTypes(f)
	var code []jen.Code
	if sig.plan.Name != "" {
		code = append(code, jen.Id("Name").Op(":").Lit(sig.plan.Name))
	}
	if sig.described() {
		code = append(code, jen.Id("Steps").Op(":").Id(pre+"Steps").Index(jen.Op(":")))
	}
	if sig.described() && len(sig.plan.Names.Scopes()) > 0 {
		code = append(code, jen.Id("Scopes").Op(":").Id(sig.scopes()).Index(jen.Op(":")))
	}
	if sig.plan.Device != "" {
		code = append(code, jen.Id("Device").Op(":").Lit(sig.plan.Device))
	}
	switch {
	case sig.layout.Static && sig.layout.Bytes > 0:
		code = append(code, jen.Id("Arena").Op(":").Lit(sig.layout.Bytes))
	case !sig.layout.Static:
		code = append(code, jen.Id("Lives").Op(":").Id(pre+"Lives").Index(jen.Op(":")), jen.Id("Sizes").Op(":").Id(pre+"Bytes"))
	}
	own, known := ownBytes(sig.layout.Own)
	switch {
	case !known:
		code = append(code, jen.Id("OwnSize").Op(":").Id(pre+"Own"))
	case own > 0:
		code = append(code, jen.Id("Own").Op(":").Lit(own))
	}
	if len(sig.plan.Prologue) > 0 {
		code = append(code, jen.Id("Check").Op(":").Id(pre+"Check"))
	}
	for _, outside := range []struct {
		place plan.Place
		field string
	}{{plan.Grow, "Grow"}, {plan.Strings, "Strings"}, {plan.Handles, "Handles"}} {
		if slices.ContainsFunc(sig.layout.Grown, func(b *plan.Buf) bool { return b.Place == outside.place }) {
			code = append(code, jen.Id(outside.field).Op(":").Lit(len(sig.layout.Grown)))
		}
	}
	f.Var().Id(pre + "Code").Op("=").Add(e.rt("Code")).Types(sig.dimsType()).Add(multi(code))
	f.Line()
	if sig.described() {
		sig.scopeTable(f)
		s.stepTable(f)
	}
	if sig != e.init && sig.number == 0 {
		e.bind(f, sig.seen())
		if sig.seen().plan.Partial {
			s.stages(f)
		}
	}
	if len(sig.plan.Prologue) > 0 {
		if err := s.check(f); err != nil {
			return err
		}
	}
	if !sig.layout.Static {
		s.bytes(f)
	}
	if !known {
		s.own(f)
	}
	if sig.accelerated() {
		if err := s.work(f); err != nil {
			return err
		}
	}

	if sig.whole != nil {
		if err := e.part(f, sig); err != nil {
			return err
		}
	}
	if whole := pre + "Run"; len(all) > 1 {
		f.Comment(fmt.Sprintf("// %s runs all steps.", whole))
		f.Func().Id(whole).Params(jen.Id("s").Op("*").Id(pre + "State")).Error().Block(rest(all)...).Line()
	}
	return nil
}

// multi returns composite values in braces, one per line.
func multi(values []jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, values...)
}

// stepTable emits the table that describes the steps, for errors and hooks. The last rows are for
// the checks of sizes.
func (s *stepsFile) stepTable(f *jen.File) {
	var rows []jen.Code
	add := func(st rt.Step) {
		row := []jen.Code{jen.Id("Node").Op(":").Lit(st.Node), jen.Id("Op").Op(":").Lit(st.Op)}
		if len(st.Outputs) > 0 {
			var outputs []jen.Code
			for _, out := range st.Outputs {
				outputs = append(outputs, jen.Lit(out))
			}
			row = append(row, jen.Id("Outputs").Op(":").Index().String().Values(outputs...))
		}
		rows = append(rows, jen.Values(row...))
	}
	plan.Walk(s.sig.plan.Steps, func(_ int, st plan.Step) { add(s.sig.plan.Describe(st, s.sig.text)) })
	for _, c := range s.sig.plan.Prologue {
		add(rt.Step{Node: s.sig.short(c.Node), Op: c.Op})
	}
	f.Comment(fmt.Sprintf("// %sSteps describes the steps, for errors and hooks.", s.sig.prefix))
	f.Var().Id(s.sig.prefix + "Steps").Op("=").Index(jen.Op("...")).Add(s.e.rt("Step")).Add(multi(rows))
	f.Line()
}

// check emits the checks of sizes.
func (s *stepsFile) check(f *jen.File) error {
	b := s.newBody(nil, false)
	b.stateless = true
	var body []jen.Code
	for i, c := range s.sig.plan.Prologue {
		call, err := b.kernel(c)
		if err != nil {
			return fmt.Errorf("node %q (%s): %w", c.Node, c.Op, err)
		}
		body = append(body, jen.Comment(fmt.Sprintf("// %s %s", s.sig.node(c.Node), plain(c.Op))),
			jen.Op("*").Id("step").Op("=").Lit(len(s.sig.plan.Steps)+i))
		if hasError(c) {
			body = append(body, jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
		} else {
			body = append(body, call)
		}
	}
	body = append(body, jen.Return(jen.Nil()))
	f.Comment(fmt.Sprintf("// %sCheck rejects sizes that some node does not accept.", s.sig.prefix))
	f.Func().Id(s.sig.prefix+"Check").Params(jen.Id("d").Op("*").Add(s.sig.dimsType()), jen.Id("step").Op("*").Int()).Error().Block(body...).Line()
	return nil
}

// bytes emits the lifetimes and sizes of the arena's buffers.
func (s *stepsFile) bytes(f *jen.File) {
	s.blockSizes(f, &s.sig.layout.Block, s.sig.prefix, "the arena")
}

// blockSizes emits the lifetimes and sizes of the buffers in a block of memory.
func (s *stepsFile) blockSizes(f *jen.File, l *plan.Block, prefix, what string) {
	p := s.e.printer(s.sig)
	lives := make([]jen.Code, len(l.Lives))
	for i, v := range l.Lives {
		lives[i] = life(v)
	}
	f.Comment(fmt.Sprintf("// %sLives holds the first and the last step that uses each buffer of %s.", prefix, what))
	f.Var().Id(prefix+"Lives").Op("=").Index(jen.Op("...")).Qual(s.e.path(Module+"/rt/mem"), "Life").Add(multi(lives))
	f.Line()
	// Each size is computed once and copied to the buffers of equal size.
	first := map[string]int{}
	body := []jen.Code{jen.Id("_").Op("=").Id("n").Index(jen.Lit(len(lives) - 1))}
	for i, x := range l.Sizes {
		val := p.checked(x)
		if j, ok := first[x.Key()]; ok {
			val = jen.Id("n").Index(jen.Lit(j))
		} else {
			first[x.Key()] = i
		}
		body = append(body, jen.Id("n").Index(jen.Lit(i)).Op("=").Add(val))
	}
	f.Comment(fmt.Sprintf("// %sBytes computes the sizes of the buffers of %s.", prefix, what))
	f.Func().Id(prefix+"Bytes").Params(jen.Id("d").Op("*").Add(s.sig.dimsType()), jen.Id("n").Index().Int()).Block(body...).Line()
}

// ownBytes returns the largest of the sizes, if all are known.
func ownBytes(sizes []*sym.Expr) (n int, known bool) {
	for _, e := range sizes {
		v, ok := e.IsInt()
		if !ok {
			return 0, false
		}
		n = max(n, v)
	}
	return n, true
}

// own emits the function that computes the size of the private memory of a parallel loop's chunks.
func (s *stepsFile) own(f *jen.File) {
	p := s.e.printer(s.sig)
	seen := map[string]bool{}
	var all []jen.Code
	for _, x := range s.sig.layout.Own {
		if !seen[x.Key()] {
			seen[x.Key()] = true
			all = append(all, p.checked(x))
		}
	}
	result := all[0]
	if len(all) > 1 {
		result = jen.Id("max").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, all...)
	}
	f.Comment(fmt.Sprintf("// %sOwn computes the bytes of private memory that a chunk of a loop needs.", s.sig.prefix))
	f.Func().Id(s.sig.prefix + "Own").Params(jen.Id("d").Op("*").Add(s.sig.dimsType())).Int().Block(jen.Return(result)).Line()
}
