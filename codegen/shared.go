package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

// A signature that computes what another does, as plan.Same says, has a method and types of its own: they have the names of
// its feeds and fetches, and errors name these. The method checks what is fed and calls the code of the other signature, which
// is printed once.

// signatures lays out the plans that are printed, and finds the others' code.
func (e *emitter) signatures() error {
	by := map[*plan.Plan]*signature{}
	for _, p := range e.Plans {
		if p.Same != nil && slices.Contains(e.Plans, p.Same.Plan) {
			by[p] = &signature{plan: p}
			e.calls = append(e.calls, by[p])
			continue
		}
		s, err := e.signature(p)
		if err != nil {
			return fmt.Errorf("signature %q: %w", p.Name, err)
		}
		by[p] = s
		e.calls, e.sigs = append(e.calls, s), append(e.sigs, s)
	}
	for _, s := range e.calls {
		if s.layout != nil {
			continue
		}
		if s.of = by[s.plan.Same.Plan]; s.of.layout == nil {
			return fmt.Errorf("signature %q: the same as %q, which has no code of its own", s.plan.Name, s.of.plan.Name)
		}
		if err := s.plan.CheckSame(); err != nil {
			return fmt.Errorf("signature %q: %w", s.plan.Name, err)
		}
		s.of.shared = true
	}
	return nil
}

// sharedSizes has the sizes of a signature without code be those of the other one.
func (s *signature) sharedSizes() {
	if s.of == nil {
		return
	}
	s.sizes = map[string]string{}
	for own, other := range s.plan.Same.Sizes {
		s.sizes[own] = s.of.field(other)
	}
}

// callName is the method that runs a signature's code with sizes that are known.
func (s *signature) callName() string { return s.prefix + "Call" }

// sharing prints what a signature has beside its method where another has its code, or where it has that of another.
func (e *emitter) sharing(f *jen.File, s *signature) error {
	if s.of != nil {
		e.bind(f, s)
	}
	if !s.shared {
		return nil
	}
	var names []string
	for _, o := range e.calls {
		if o.of == s {
			names = append(names, o.title())
		}
	}
	params, dims := []jen.Code{jen.Id("ctx").Qual("context", "Context")}, s.dimsType().Values()
	if len(s.plan.Dims) > 0 {
		params, dims = append(params, jen.Id("dims").Add(s.dimsType())), jen.Id("dims")
	}
	body, err := e.runCode(s, dims)
	if err != nil {
		return err
	}
	f.Comment(fmt.Sprintf("// %s runs the code that %s shares with %s.", s.callName(), s.title(), strings.Join(names, ", ")))
	f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id(s.callName()).
		Params(append(params, jen.Id("in").Op("*").Id(s.method+"Input"), jen.Id("out").Op("*").Id(s.method+"Output"))...).
		Params(jen.Err().Error()).Block(body...).Line()
	return nil
}

// title names a variant of a signature as comments do: by its method, and its ranks where there are several.
func (s *signature) title() string {
	if len(s.variants) > 1 {
		return s.prefix + "Into"
	}
	return s.method
}

// runShared prints the body of the method of a signature whose code others have, too.
func (s *signature) runShared() []jen.Code {
	body, call := s.bindAndCall(s)
	return append(body, jen.Return(call(jen.Id("in"), jen.Id("out"))))
}

// bindAndCall prints what binds what is fed, and returns what prints the call of the code of a signature with the sizes.
func (s *signature) bindAndCall(of *signature) (body []jen.Code, call func(in, out jen.Code) *jen.Statement) {
	body, dims := s.binding()
	return body, func(in, out jen.Code) *jen.Statement {
		args := []jen.Code{jen.Id("ctx")}
		if len(of.plan.Dims) > 0 {
			args = append(args, dims)
		}
		return jen.Id("m").Dot(of.callName()).Call(append(args, in, out)...)
	}
}

// runOther prints the body of the method of a signature that has the code of another. Types whose fields have the same names,
// types and order differ by name alone, and are converted; others are copied field by field, which copies no elements.
func (s *signature) runOther() []jen.Code {
	same, of := s.plan.Same, s.of
	fetches := same.Fetches[:len(s.fetches)] // what is watched comes after the results
	pointer := func(kind, value string) *jen.Statement {
		return jen.Parens(jen.Op("*").Id(of.method + kind)).Call(jen.Id(value))
	}
	body, call := s.bindAndCall(of)
	in := pointer("Input", "in")
	if !sameFields(s.feeds, of.feeds, same.Feeds) {
		var fields []jen.Code
		for i, j := range same.Feeds {
			fields = append(fields, jen.Id(of.feeds[j]).Op(":").Id("in").Dot(s.feeds[i]))
		}
		body, in = append(body, jen.Id("given").Op(":=").Id(of.method+"Input").Values(fields...)), jen.Op("&").Id("given")
	}
	if sameFields(s.fetches, of.fetches, fetches) {
		return append(body, jen.Return(call(in, pointer("Output", "out"))))
	}
	var got, back []jen.Code
	for i, j := range fetches {
		got = append(got, jen.Id(of.fetches[j]).Op(":").Id("out").Dot(s.fetches[i]))
		back = append(back, jen.Id("out").Dot(s.fetches[i]).Op("=").Id("got").Dot(of.fetches[j]))
	}
	body = append(body, jen.Id("got").Op(":=").Id(of.method+"Output").Values(got...), jen.Err().Op("=").Add(call(in, jen.Op("&").Id("got"))))
	return append(append(body, back...), jen.Return(jen.Err()))
}

// sameFields reports whether two lists of fields are the same, with the numbers that the fields of the first have in the second.
func sameFields(a, b []string, numbers []int) bool {
	for i, j := range numbers {
		if i != j {
			return false
		}
	}
	return slices.Equal(a, b)
}
