package codegen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
)

// For a signature with partial runs, the emitted code has a type in addition to the signature's
// method. A value of that type is one partial run. The type has a method for each feed and each
// fetch. A partial run uses the same parts as the signature's method, which runs all parts side by
// side.

// partial reports whether an entry has partial runs.
func (n *entry) partial() bool { return len(n.variants) == 1 && n.variants[0].plan.Partial }

// partialAPI emits the type and methods of a signature's partial runs.
func (e *emitter) partialAPI(f *jen.File, n *entry) {
	name := n.method + "Partial"
	of := func() *jen.Statement { return e.partsType("PartialOf", n.variants[0]) }
	f.Comment(fmt.Sprintf("// %s is a partial run of %s: its methods feed and fetch one tensor each; see parts.PartialOf.\n"+
		"// A fetch first runs everything that the feeds so far allow. Each step runs once.", name, n.method))
	f.Type().Id(name).Add(of()).Line()
	f.Comment(fmt.Sprintf("// %s starts a partial run.", name))
	f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id(name).Params().Op("*").Id(name).Block(
		jen.Return(jen.Parens(jen.Op("*").Id(name)).Call(jen.Id("m").Dot(n.variants[0].prefix + "Parts").Dot("Partial").Call(jen.Op("&").Id(n.variants[0].prefix + "Stages"))))).Line()
	method := func(text, name2 string) *jen.Statement {
		f.Comment(text)
		return f.Func().Params(jen.Id("p").Op("*").Id(name)).Id(name2)
	}
	run := func() *jen.Statement { return jen.Parens(jen.Op("*").Add(of())).Call(jen.Id("p")) }
	ctx := func() *jen.Statement { return jen.Id("ctx").Qual("context", "Context") }
	for i := range n.sig.Feeds {
		p := &n.sig.Feeds[i]
		t := func() *jen.Statement { return jen.Id("Tensor").Types(e.elem(p.DType)) }
		method(fmt.Sprintf("// Feed%s feeds %s: %v. Do not change the memory of t before the next fetch or Run has returned.", p.Field, quote(p.Name), p), "Feed"+p.Field).
			Params(jen.Id("t").Add(t())).Error().Block(jen.Return(e.parts("FeedPartial").Call(run(), jen.Lit(i),
			jen.Func().Params(jen.Id("in").Op("*").Id(n.method+"Input")).Op("*").Add(t()).Block(jen.Return(jen.Op("&").Id("in").Dot(p.Field))), jen.Id("t")))).Line()
	}
	for i := range n.sig.Fetches {
		p := &n.sig.Fetches[i]
		t := func() *jen.Statement { return jen.Id("Tensor").Types(e.elem(p.DType)) }
		method(fmt.Sprintf("// Fetch%s runs what the feeds allow and returns %s: %v.", p.Field, quote(p.Name), p), "Fetch"+p.Field).
			Params(ctx()).Params(t(), jen.Error()).Block(jen.Return(e.parts("FetchPartial").Call(jen.Id("ctx"), run(), jen.Lit(i),
			jen.Func().Params(jen.Id("out").Op("*").Id(n.method+"Output")).Op("*").Add(t()).Block(jen.Return(jen.Op("&").Id("out").Dot(p.Field)))))).Line()
	}
	method("// Run runs what the feeds allow, without fetching.", "Run").Params(ctx()).Error().Block(jen.Return(run().Dot("Run").Call(jen.Id("ctx")))).Line()
	method("// Close ends the run. Steps that have not run are dropped.", "Close").Params().Block(run().Dot("Close").Call()).Line()
}

// partialByName emits the untyped interface of partial runs; see rt.Partialer.
func (e *emitter) partialByName(f *jen.File) {
	var cases []jen.Code
	for _, n := range e.entries {
		if !n.partial() {
			continue
		}
		ref := func() *jen.Statement { return jen.Op("&").Id(n.prefix + "Signature") }
		var feeds, fetches []jen.Code
		for i := range n.sig.Feeds {
			feeds = append(feeds, e.rt("FeedAny").Call(ref(), jen.Lit(i), jen.Id("p").Dot("Feed"+n.sig.Feeds[i].Field)))
		}
		for i := range n.sig.Fetches {
			fetches = append(fetches, e.rt("FetchAny").Call(ref(), jen.Lit(i), jen.Id("p").Dot("Fetch"+n.sig.Fetches[i].Field)))
		}
		t := jen.Op("*").Add(e.tensor("Tensor"))
		cases = append(cases, jen.Case(jen.Lit(n.sig.Name)).Block(
			jen.Id("p").Op(":=").Id("m").Dot(n.method+"Partial").Call(),
			jen.Return(jen.Op("&").Add(e.rt("PartialRun")).Add(multi([]jen.Code{
				jen.Id("Signature").Op(":").Add(ref()),
				jen.Id("Feeds").Op(":").Index().Func().Params(t.Clone()).Error().Add(multi(feeds)),
				jen.Id("Fetches").Op(":").Index().Func().Params(jen.Qual("context", "Context")).Params(t.Clone(), jen.Error()).Add(multi(fetches)),
				jen.Id("Step").Op(":").Id("p").Dot("Run"),
				jen.Id("End").Op(":").Id("p").Dot("Close"),
			})), jen.Nil())))
	}
	if len(cases) == 0 {
		return
	}
	f.Comment("// Partial starts a partial run of the named signature; see rt.Partialer.")
	f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id("Partial").Params(jen.Id("signature").String()).Params(jen.Op("*").Add(e.rt("PartialRun")), jen.Error()).Block(
		jen.Switch(jen.Id("signature")).Block(cases...),
		jen.Return(jen.Nil(), e.rt("NotPartial").Call(jen.Id("m"), jen.Id("signature"))),
	).Line()
}

// stages emits two declarations for a signature with partial runs: a table of the feeds, sizes and
// fetches of each part, and the function that reads the sizes of a feed.
func (s *stepsFile) stages(f *jen.File) {
	sig := s.sig.seen()
	p := sig.plan
	at := map[string]int{}
	for k, d := range p.Dims {
		at[d.Name] = k
	}
	ints := func(ns []int) *jen.Statement {
		var vs []jen.Code
		for _, n := range ns {
			vs = append(vs, jen.Lit(n))
		}
		return jen.Index().Int().Values(vs...)
	}
	var parts, tells []jen.Code
	for _, q := range p.Parts {
		var fields []jen.Code
		add := func(name string, ns []int) {
			if len(ns) > 0 {
				fields = append(fields, jen.Id(name).Op(":").Add(ints(ns)))
			}
		}
		var sizes, gives []int
		for _, name := range q.Sizes {
			sizes = append(sizes, at[name])
		}
		for _, i := range q.Gives {
			if i < len(sig.fetches) { // otherwise it is a watched tensor, which is not a result
				gives = append(gives, i)
			}
		}
		add("Feeds", q.Needs)
		add("Sizes", sizes)
		add("Fetches", gives)
		parts = append(parts, jen.Values(fields...))
	}
	for _, d := range p.Dims {
		var feeds []jen.Code
		for _, i := range p.Tells(d.Name) {
			feeds = append(feeds, jen.Lit(i))
		}
		tells = append(tells, jen.Values(feeds...))
	}
	fields := []jen.Code{
		jen.Id("Signature").Op(":").Op("&").Id(sig.prefix + "Signature"),
		jen.Id("Parts").Op(":").Index().Add(s.e.parts("Stage")).Add(multi(parts)),
	}
	if len(tells) > 0 {
		fields = append(fields, jen.Id("Tells").Op(":").Index().Index().Int().Add(multi(tells)))
	}
	fields = append(fields, jen.Id("Bind").Op(":").Id(sig.prefix+"Feed"))
	f.Comment(fmt.Sprintf("// %sStages lists what each part needs, by the number of the part.", sig.prefix))
	f.Var().Id(sig.prefix+"Stages").Op("=").Add(s.e.parts("Stages")).Types(sig.dimsType(), jen.Id(sig.method+"Input")).Add(multi(fields))
	f.Line()
	s.feed(f, sig, at)
}

// feed emits the function that checks the shape of one feed and reads its sizes. A dimension that
// is an expression of sizes is checked as soon as these sizes are known.
func (s *stepsFile) feed(f *jen.File, sig *signature, at map[string]int) {
	pr := s.e.printer(sig)
	refuse := func(call *jen.Statement) *jen.Statement {
		return jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	}
	ref := func() *jen.Statement { return jen.Id(sig.prefix + "Signature") }
	var cases, late []jen.Code
	for i, fd := range sig.plan.Feeds {
		if fd.AnyShape {
			continue
		}
		in := func() *jen.Statement { return jen.Id("in").Dot(sig.feeds[i]) }
		body := []jen.Code{refuse(ref().Dot("CheckShape").Call(jen.Lit(i), in().Dot("Shape"), jen.Len(in().Dot("Data"))))}
		for a, x := range fd.Shape {
			size := in().Dot("Shape").Index(jen.Lit(a))
			if name, ok := x.IsVar(); ok {
				body = append(body, refuse(jen.Id("t").Dot("Size").Call(jen.Op("&").Add(ref()), jen.Lit(i), jen.Lit(a), size, jen.Lit(at[name]), jen.Op("&").Add(pr.symbol(name)))))
				continue
			}
			if _, known := x.IsInt(); known {
				continue
			}
			late = append(late, jen.If(jen.Id("t").Dot("Has").Call(s.sizesOf(x, i, at)...)).Block(
				refuse(ref().Dot("CheckDim").Call(jen.Lit(i), jen.Lit(a), size, pr.expr(x)))))
		}
		cases = append(cases, jen.Case(jen.Lit(i)).Block(body...))
	}
	body := []jen.Code{jen.Switch(jen.Id("feed")).Block(cases...)}
	body = append(append(body, late...), jen.Return(jen.Nil()))
	f.Comment(fmt.Sprintf("// %sFeed checks the shape of a feed and reads sizes from it.", sig.prefix))
	f.Func().Id(sig.prefix+"Feed").Params(jen.Id("feed").Int(), jen.Id("in").Op("*").Id(sig.method+"Input"), jen.Id("d").Op("*").Add(sig.dimsType()), jen.Id("t").Op("*").Add(s.e.parts("Told"))).
		Error().Block(body...).Line()
}

// sizesOf returns the number of a feed, followed by the numbers of the sizes in the expression x.
func (s *stepsFile) sizesOf(x *sym.Expr, feed int, at map[string]int) []jen.Code {
	names := map[string]bool{}
	x.Vars(names)
	args := []jen.Code{jen.Lit(feed)}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		args = append(args, jen.Lit(at[name]))
	}
	return args
}

// partials reports whether some signature has partial runs.
func (e *emitter) partials() bool {
	return slices.ContainsFunc(e.sigs, func(s *signature) bool { return s.plan.Partial })
}

// partialNames returns the suffixes of all names that the package declares for the method of plan
// p. The suffix "" is for the method itself.
func partialNames(p *plan.Plan) []string {
	names := []string{"", "Into", "Input", "Output"}
	if p.Partial {
		names = append(names, "Partial")
	}
	return names
}
