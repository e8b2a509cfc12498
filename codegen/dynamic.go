package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
)

// dynamic emits the methods of the model's untyped interface.
func (e *emitter) dynamic(f *jen.File) {
	var refs []jen.Code
	for _, n := range e.entries {
		e.describe(f, n.prefix, n.sig)
		refs = append(refs, jen.Op("&").Id(n.prefix+"Signature"))
		if len(n.variants) > 1 {
			for _, s := range n.variants {
				sig := Signature([]*plan.Plan{s.plan})
				sig.Method = n.method
				e.describe(f, s.prefix, sig)
			}
		}
	}
	sigType := jen.Index().Op("*").Add(e.rt("Signature"))
	tensors := func() *jen.Statement { return jen.Map(jen.String()).Op("*").Add(e.tensor("Tensor")) }
	recv := jen.Params(jen.Id("m").Op("*").Id("Model"))
	f.Comment("// Signatures returns the signatures with the names, types and shapes of their inputs and outputs.")
	f.Func().Add(recv).Id("Signatures").Params().Add(sigType).Block(jen.Return(sigType.Clone().Values(refs...))).Line()

	f.Comment("// Run runs the named signature. Feeds and results are identified by their names or keys; see [rt.Program].")
	f.Func().Add(recv).Id("Run").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("signature").String(), jen.Id("feeds").Add(tensors())).
		Params(tensors(), jen.Error()).Block(
		jen.List(jen.Id("b"), jen.Err()).Op(":=").Id("m").Dot("Bind").Call(jen.Id("signature"), jen.Id("feeds")),
		jen.Return(e.rt("RunBound").Call(jen.Id("ctx"), jen.Id("b"), jen.Err())),
	).Line()

	var cases []jen.Code
	for _, s := range e.entries {
		ref := jen.Op("&").Id(s.prefix + "Signature")
		fields := []jen.Code{jen.Id("feeds")}
		for _, field := range s.feeds {
			fields = append(fields, e.rt("FeedTo").Call(jen.Op("&").Id("in").Dot(field)))
		}
		body := []jen.Code{
			jen.List(jen.Id("in"), jen.Id("out")).Op(":=").List(jen.New(jen.Id(s.method+"Input")), jen.New(jen.Id(s.method+"Output"))),
			jen.If(jen.Err().Op(":=").Id(s.prefix+"Signature").Dot("SetFeeds").Call(fields...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		}
		get := []jen.Code{jen.Id("got").Op(":=").Make(tensors(), jen.Lit(len(s.fetches)))}
		for i := range s.fetches {
			get = append(get, e.rt("AddFetch").Call(jen.Id("got"), ref, jen.Lit(i), jen.Op("&").Id("out").Dot(s.fetches[i])))
		}
		get = append(get, jen.Return(jen.Id("got")))
		body = append(body, jen.Return(jen.Op("&").Add(e.rt("Bound")).Add(multi([]jen.Code{
			jen.Id("Signature").Op(":").Add(ref),
			jen.Id("Run").Op(":").Func().Params(jen.Id("ctx").Qual("context", "Context")).Error().Block(
				jen.Return(jen.Id("m").Dot(s.method+"Into").Call(jen.Id("ctx"), jen.Id("in"), jen.Id("out")))),
			jen.Id("Fetches").Op(":").Func().Params().Add(tensors()).Block(get...),
		})), jen.Nil()))
		cases = append(cases, jen.Case(jen.Lit(s.sig.Name)).Block(body...))
	}
	f.Comment("// Bind checks feeds for the named signature and returns a run that can be repeated; see [rt.Program].")
	f.Func().Add(recv).Id("Bind").Params(jen.Id("signature").String(), jen.Id("feeds").Add(tensors())).
		Params(jen.Op("*").Add(e.rt("Bound")), jen.Error()).Block(
		jen.Switch(jen.Id("signature")).Block(cases...),
		jen.Return(jen.Nil(), e.rt("UnknownSignature").Call(jen.Id("m"), jen.Id("signature"))),
	).Line()
	e.partialByName(f)
}

// describe emits a variable that describes a signature: its feeds and fetches, with names, types
// and shapes.
func (e *emitter) describe(f *jen.File, prefix string, sig *rt.Signature) {
	ints := func(ns []int) *jen.Statement {
		var vs []jen.Code
		for _, n := range ns {
			vs = append(vs, jen.Lit(n))
		}
		return jen.Index().Int().Values(vs...)
	}
	port := func(p *rt.Port) jen.Code {
		vs := []jen.Code{jen.Id("Name").Op(":").Lit(p.Name)}
		if p.Key != "" {
			vs = append(vs, jen.Id("Key").Op(":").Lit(p.Key))
		}
		vs = append(vs, jen.Id("Field").Op(":").Lit(p.Field), jen.Id("DType").Op(":").Add(e.dtype(p.DType)))
		if !p.AnyRank {
			vs = append(vs, jen.Id("Shape").Op(":").Add(ints(p.Shape)))
		}
		if p.Dims != nil {
			var ds []jen.Code
			for _, d := range p.Dims {
				ds = append(ds, jen.Lit(d))
			}
			vs = append(vs, jen.Id("Dims").Op(":").Index().String().Values(ds...))
		}
		if p.AnyRank {
			vs = append(vs, jen.Id("AnyRank").Op(":").True())
		}
		if p.Ranks != nil {
			vs = append(vs, jen.Id("Ranks").Op(":").Add(ints(p.Ranks)))
		}
		if p.Unused {
			vs = append(vs, jen.Id("Unused").Op(":").True())
		}
		return jen.Values(vs...)
	}
	ports := func(ps []rt.Port) *jen.Statement {
		var vs []jen.Code
		for i := range ps {
			vs = append(vs, port(&ps[i]))
		}
		return jen.Index().Add(e.rt("Port")).Add(multi(vs))
	}
	var vs []jen.Code
	if sig.Name != "" {
		vs = append(vs, jen.Id("Name").Op(":").Lit(sig.Name))
	}
	vs = append(vs, jen.Id("Method").Op(":").Lit(sig.Method))
	if len(sig.Feeds) > 0 {
		vs = append(vs, jen.Id("Feeds").Op(":").Add(ports(sig.Feeds)))
	}
	if len(sig.Fetches) > 0 {
		vs = append(vs, jen.Id("Fetches").Op(":").Add(ports(sig.Fetches)))
	}
	if sig.Ranks != nil {
		var rows []jen.Code
		for _, r := range sig.Ranks {
			var row []jen.Code
			for _, n := range r {
				row = append(row, jen.Lit(n))
			}
			rows = append(rows, jen.Values(row...))
		}
		vs = append(vs, jen.Id("Ranks").Op(":").Index().Index().Int().Add(multi(rows)))
	}
	f.Var().Id(prefix + "Signature").Op("=").Add(e.rt("Signature")).Add(multi(vs))
	f.Line()
}
