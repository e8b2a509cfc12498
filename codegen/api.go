package codegen

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
)

// api prints the package's types and functions.
func (e *emitter) api() error {
	f := e.newFile()
	what := "a model"
	if e.Model != "" {
		what = quote(e.Model)
	}
	kind := "Package"
	if e.Main {
		kind = "Command"
	}
	f.PackageComment(fmt.Sprintf("// %s %s runs %s, compiled to Go.", kind, e.Name, what))
	f.Comment("// This package and the run time it was compiled for belong together. When one of\n" +
		"// these constants is out of range, update the run time or emit the package again:\n" +
		"//\n//\tgo get " + Module + "@latest\n//\tgo generate ./...")
	f.Const().Defs(
		jen.Id("_").Op("=").Add(e.rt("EnforceVersion")).Call(jen.Lit(codeVersion).Op("-").Add(e.rt("MinVersion"))),
		jen.Id("_").Op("=").Add(e.rt("EnforceVersion")).Call(e.rt("MaxVersion").Op("-").Lit(codeVersion)),
	)
	f.Comment("// Tensor is a dense, row-major tensor.")
	f.Type().Id("Tensor").Types(jen.Id("T").Add(e.tensor("Elem"))).Op("=").Add(e.tensor("Of")).Types(jen.Id("T")).Line()

	weights := e.embed(f)
	var pools, init []jen.Code
	for _, s := range e.sigs {
		pools = append(pools, jen.Id(s.prefix+"Pool").Add(e.rt("Pool")).Types(jen.Id(s.prefix+"Dims"), jen.Id(s.prefix+"Sizes"), jen.Id(s.method+"Input")))
		init = append(init, jen.Id("m").Dot(s.prefix+"Pool").Dot("Init").Call(jen.Id("base"), jen.Op("&").Id(s.prefix+"Code")))
		if first := s.variants[0]; s != first {
			init = append(init, jen.Id("m").Dot(s.prefix+"Pool").Dot("Share").Call(jen.Id("m").Dot(first.prefix+"Pool").Dot("Slots").Call()))
		}
	}
	f.Comment("// Model is the model, ready to run. All methods may be called from any number of goroutines.")
	f.Type().Id("Model").Struct(pools...).Line()
	f.Comment("// New readies the model.")
	body := []jen.Code{
		jen.List(jen.Id("base"), jen.Err()).Op(":=").Add(e.rt("Open")).Call(weights, jen.Id("opts").Op("...")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Id("m").Op(":=").New(jen.Id("Model")),
	}
	if e.kept.bytes > 0 {
		body = append(body, jen.Id("base").Dot("Keep").Call(jen.Lit(e.kept.bytes)))
	}
	body = append(append(body, init...), jen.Return(jen.Id("m"), jen.Nil()))
	f.Func().Id("New").Params(jen.Id("opts").Op("...").Add(e.rt("Option"))).Params(jen.Op("*").Id("Model"), jen.Error()).Block(body...).Line()
	for _, n := range e.entries {
		if err := e.signatureAPI(f, n); err != nil {
			return err
		}
	}
	e.dynamic(f)
	return e.add(fileBase(e.Name)+".gen.go", f)
}

// clause is the name in the package clause.
func (e *emitter) clause() string {
	if e.Main {
		return "main"
	}
	return e.Name
}

// embed prints the description of the weights and returns what New passes on.
func (e *emitter) embed(f *jen.File) *jen.Statement {
	w := &e.data
	if w.name == "" {
		return jen.Nil()
	}
	fields := []jen.Code{}
	if e.Sidecar || len(w.bytes) > maxEmbedded {
		fields = append(fields, jen.Id("File").Op(":").Lit(w.name))
	} else {
		f.Anon("embed")
		f.Comment("//go:embed " + w.name)
		f.Var().Id("weightsData").String().Line()
		fields = append(fields, jen.Id("Data").Op(":").Id("weightsData"))
	}
	fields = append(fields, jen.Id("Size").Op(":").Lit(len(w.bytes)), jen.Id("Sum").Op(":").Lit(hex.EncodeToString(w.bytes[32:64])))
	table := func(name string, secs []sectionOf) {
		if len(secs) == 0 {
			return
		}
		var vs []jen.Code
		for _, s := range secs {
			vs = append(vs, jen.Values(jen.Id("Off").Op(":").Lit(s.Off), jen.Id("Size").Op(":").Lit(s.Size), jen.Id("Unit").Op(":").Lit(s.Unit)))
		}
		fields = append(fields, jen.Id(name).Op(":").Index().Add(e.rt("Section")).Add(multi(vs)))
	}
	table("Sections", w.sections)
	table("Strings", w.strings)
	// A function, so that the description is no variable that stays in memory.
	f.Comment("// modelWeights describes the weights file.")
	f.Func().Id("modelWeights").Params().Op("*").Add(e.rt("Weights")).Block(jen.Return(jen.Op("&").Add(e.rt("Weights")).Add(multi(fields)))).Line()
	return jen.Id("modelWeights").Call()
}

// signatureAPI prints the input, the output and the methods of a signature.
func (e *emitter) signatureAPI(f *jen.File, n *entry) error {
	title := fmt.Sprintf("signature %s", quote(n.sig.Name))
	if n.sig.Name == "" {
		title = "the model"
	}
	fields := func(ports []rt.Port) []jen.Code {
		var out []jen.Code
		for i := range ports {
			p := &ports[i]
			text := fmt.Sprintf("// %s is %s", p.Field, quote(p.Name))
			if p.Key != "" && p.Key != p.Name {
				text += ", key " + quote(p.Key)
			}
			text += ": " + p.String()
			if p.Unused {
				text += ", which nothing reads"
			}
			out = append(out, jen.Comment(text+"."), jen.Id(p.Field).Id("Tensor").Types(e.elem(p.DType)))
		}
		return out
	}
	f.Comment(fmt.Sprintf("// %sInput is what %s is fed.", n.method, title))
	f.Type().Id(n.method + "Input").Struct(fields(n.sig.Feeds)...).Line()
	f.Comment(fmt.Sprintf("// %sOutput is what %s gives.", n.method, title))
	f.Type().Id(n.method + "Output").Struct(fields(n.sig.Fetches)...).Line()

	text := fmt.Sprintf("// %s runs %s.", n.method, title)
	for i := range n.sig.Feeds {
		if p := &n.sig.Feeds[i]; p.AnyRank && p.Ranks != nil {
			text += fmt.Sprintf("\n// The rank of %s is open: %v.", p.Field, p)
		}
	}
	ctx := jen.Id("ctx").Qual("context", "Context")
	f.Comment(text)
	f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id(n.method).
		Params(ctx, jen.Id("in").Id(n.method+"Input")).
		Params(jen.Id("out").Id(n.method+"Output"), jen.Err().Error()).Block(
		jen.Err().Op("=").Id("m").Dot(n.method+"Into").Call(jen.Id("ctx"), jen.Op("&").Id("in"), jen.Op("&").Id("out")),
		jen.Return(jen.Id("out"), jen.Err()),
	).Line()

	into := func(name string) *jen.Statement {
		return jen.Func().Params(jen.Id("m").Op("*").Id("Model")).Id(name).
			Params(ctx.Clone(), jen.Id("in").Op("*").Id(n.method+"Input"), jen.Id("out").Op("*").Id(n.method+"Output")).
			Params(jen.Err().Error())
	}
	f.Comment(fmt.Sprintf("// %sInto is %s that writes into the memory of out where it is large enough: once\n"+
		"// warm, a run with the same sizes allocates nothing. in and out must not overlap.", n.method, n.method))
	if len(n.variants) == 1 {
		body, err := e.runBody(n.variants[0])
		if err != nil {
			return err
		}
		f.Add(into(n.method + "Into").Block(body...)).Line()
		return nil
	}
	var ranks, cases []jen.Code
	for _, name := range n.feeds {
		ranks = append(ranks, jen.Len(jen.Id("in").Dot(name).Dot("Shape")))
	}
	for k, s := range n.variants {
		c := jen.Case(jen.Lit(k))
		if k == len(n.variants)-1 {
			c = jen.Default()
		}
		cases = append(cases, c.Block(jen.Return(jen.Id("m").Dot(s.prefix+"Into").Call(jen.Id("ctx"), jen.Id("in"), jen.Id("out")))))
	}
	f.Add(into(n.method+"Into").Block(
		jen.List(jen.Id("k"), jen.Err()).Op(":=").Id(n.prefix+"Signature").Dot("Variant").Call(ranks...),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.Switch(jen.Id("k")).Block(cases...),
	)).Line()
	for _, s := range n.variants {
		body, err := e.runBody(s)
		if err != nil {
			return err
		}
		var at []string
		for i, p := range n.sig.Feeds {
			if p.AnyRank && p.Ranks != nil {
				at = append(at, fmt.Sprintf("%s of rank %d", p.Field, s.plan.Ranks[i]))
			}
		}
		f.Comment(fmt.Sprintf("// %sInto is %sInto with %s.", s.prefix, n.method, strings.Join(at, ", ")))
		f.Add(into(s.prefix + "Into").Block(body...)).Line()
	}
	return nil
}

// runBody prints what runs a variant.
func (e *emitter) runBody(s *signature) ([]jen.Code, error) {
	pr := &printer{e: e, sig: s, used: map[string]bool{}}
	var fetch []jen.Code
	for i, x := range s.plan.Fetches {
		v, err := pr.view(plan.View{Buf: x.Buf, Len: sym.Product(x.Shape)})
		if err != nil {
			return nil, fmt.Errorf("fetch %q: %w", x.Name, err)
		}
		args := []jen.Code{jen.Op("&").Id("out").Dot(s.fetches[i]), v}
		for _, d := range x.Shape {
			args = append(args, pr.expr(d))
		}
		fetch = append(fetch, e.rt("Fetch").Call(args...))
	}
	pool := func() *jen.Statement { return jen.Id("m").Dot(s.prefix + "Pool") }
	refuse := func() *jen.Statement { return jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())) }
	body := []jen.Code{
		jen.List(jen.Id("dims"), jen.Err()).Op(":=").Id(s.prefix + "Bind").Call(jen.Id("in")),
		refuse(),
		jen.List(jen.Id("s"), jen.Err()).Op(":=").Add(pool()).Dot("Get").Call(jen.Id("ctx"), jen.Id("dims")),
		refuse(),
		jen.Defer().Add(pool()).Dot("Put").Call(jen.Id("s"), jen.Op("&").Err()),
		jen.Id("s").Dot("In").Op("=").Op("*").Id("in"),
		jen.If(jen.Err().Op("=").Id(s.prefix+"Run").Call(jen.Id("s")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
	}
	body = append(body, locals(pr.used)...)
	return append(append(body, fetch...), jen.Return(jen.Nil())), nil
}

// dynamic prints the untyped interface.
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
	f.Comment("// Signatures describes the entry points.")
	f.Func().Add(recv).Id("Signatures").Params().Add(sigType).Block(jen.Return(sigType.Clone().Values(refs...))).Line()

	f.Comment("// Run runs the signature of that name on tensors keyed by name or key; see rt.Program.")
	f.Func().Add(recv).Id("Run").Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("signature").String(), jen.Id("feeds").Add(tensors())).
		Params(tensors(), jen.Error()).Block(
		jen.List(jen.Id("b"), jen.Err()).Op(":=").Id("m").Dot("Bind").Call(jen.Id("signature"), jen.Id("feeds")),
		jen.Return(e.rt("RunBound").Call(jen.Id("ctx"), jen.Id("b"), jen.Err())),
	).Line()

	var cases []jen.Code
	for _, s := range e.entries {
		ref := jen.Op("&").Id(s.prefix + "Signature")
		body := []jen.Code{
			jen.List(jen.Id("in"), jen.Id("out")).Op(":=").List(jen.New(jen.Id(s.method+"Input")), jen.New(jen.Id(s.method+"Output"))),
			jen.If(jen.Err().Op(":=").Id(s.prefix+"Signature").Dot("CheckFeeds").Call(jen.Id("feeds")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		}
		for i := range s.feeds {
			body = append(body, jen.If(jen.Err().Op(":=").Add(e.rt("SetFeed")).Call(jen.Op("&").Id("in").Dot(s.feeds[i]), ref, jen.Lit(i), jen.Id("feeds")),
				jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())))
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
	f.Comment("// Bind readies a run of the signature of that name that can be repeated; see rt.Program.")
	f.Func().Add(recv).Id("Bind").Params(jen.Id("signature").String(), jen.Id("feeds").Add(tensors())).
		Params(jen.Op("*").Add(e.rt("Bound")), jen.Error()).Block(
		jen.Switch(jen.Id("signature")).Block(cases...),
		jen.Return(jen.Nil(), e.rt("UnknownSignature").Call(jen.Id("m"), jen.Id("signature"))),
	).Line()
}

// describe prints the table of a signature's ports.
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
	vs := []jen.Code{
		jen.Id("Name").Op(":").Lit(sig.Name), jen.Id("Method").Op(":").Lit(sig.Method),
		jen.Id("Feeds").Op(":").Add(ports(sig.Feeds)), jen.Id("Fetches").Op(":").Add(ports(sig.Fetches)),
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
