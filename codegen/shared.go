package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

// If two signatures compute the same results (see plan.Same), their code is emitted only once. Each
// of the two still has its own method and types, because the names of their feeds and fetches differ
// and appear in errors. The method of the second signature checks its feeds and calls the code of the
// first.

// signatures assigns places in memory to the buffers of the plans whose code is emitted. For each
// other plan, it finds the signature whose code the plan shares.
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
			return fmt.Errorf("signature %q: it shares the code of %q, which has no code itself", s.plan.Name, s.of.plan.Name)
		}
		if err := s.plan.CheckSame(); err != nil {
			return fmt.Errorf("signature %q: %w", s.plan.Name, err)
		}
		s.of.shared = true
	}
	return nil
}

// sharedSizes handles a signature that calls the code of another signature. It gives the sizes of
// the two signatures the same names.
func (s *signature) sharedSizes() {
	if s.of == nil {
		return
	}
	s.sizes = map[string]string{}
	for own, other := range s.plan.Same.Sizes {
		s.sizes[own] = s.of.field(other)
	}
}

// callName returns the name of the method that runs a signature's code once the sizes are known.
func (s *signature) callName() string { return s.prefix + "Call" }

// sharing emits the functions that a signature needs because it shares code, besides its method. If
// the signature calls the code of another signature, that is its bind function. If others call its
// code, that is the method that they call.
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

// title returns the name of a variant in comments: its method, with its ranks if there are several
// variants.
func (s *signature) title() string {
	if len(s.variants) > 1 {
		return s.prefix + "Into"
	}
	return s.method
}

// runShared returns the body of the method of a signature whose code other signatures call.
func (s *signature) runShared() []jen.Code {
	body, call := s.bindAndCall(s)
	return append(body, jen.Return(call(jen.Id("in"), jen.Id("out"))))
}

// bindAndCall returns code that checks the feeds and reads the sizes. It also returns a function
// that makes a call with these sizes as an argument. The parameter is the signature whose code the
// call runs: s, or the signature whose code s shares.
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

// runOther returns the body of the method of a signature that calls the code of another signature.
// If the input types of the two signatures differ by name alone, a pointer is converted. Otherwise
// the fields are copied, but not the elements of tensors. The same holds for the output types.
func (s *signature) runOther() []jen.Code {
	same, of := s.plan.Same, s.of
	fetches := same.Fetches[:len(s.fetches)] // the results; the watched tensors follow them
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

// sameFields reports whether the two lists of field names are equal and numbers[i] is i for each i.
func sameFields(a, b []string, numbers []int) bool {
	for i, j := range numbers {
		if i != j {
			return false
		}
	}
	return slices.Equal(a, b)
}
