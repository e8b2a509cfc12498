package codegen

import (
	"encoding/hex"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
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
	for _, s := range e.sigs {
		if err := e.signatureAPI(f, s); err != nil {
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
func (e *emitter) signatureAPI(f *jen.File, s *signature) error {
	p := s.plan
	title := fmt.Sprintf("signature %s", quote(p.Name))
	if p.Name == "" {
		title = "the model"
	}
	fields := func(names []string, n int, at func(i int) (string, string, tensor.DType, []*sym.Expr)) []jen.Code {
		var out []jen.Code
		for i := range n {
			name, key, d, shape := at(i)
			text := fmt.Sprintf("// %s is %s", names[i], quote(name))
			if key != "" && key != name {
				text += ", key " + quote(key)
			}
			out = append(out, jen.Comment(text+": "+typeText(d, shape)+"."), jen.Id(names[i]).Id("Tensor").Types(e.elem(d)))
		}
		return out
	}
	in := fields(s.feeds, len(p.Feeds), func(i int) (string, string, tensor.DType, []*sym.Expr) {
		x := p.Feeds[i]
		return x.Name, x.Key, x.DType, x.Shape
	})
	out := fields(s.fetches, len(p.Fetches), func(i int) (string, string, tensor.DType, []*sym.Expr) {
		x := p.Fetches[i]
		return x.Name, x.Key, x.DType, x.Shape
	})
	f.Comment(fmt.Sprintf("// %sInput is what %s is fed.", s.method, title))
	f.Type().Id(s.method + "Input").Struct(in...).Line()
	f.Comment(fmt.Sprintf("// %sOutput is what %s gives.", s.method, title))
	f.Type().Id(s.method + "Output").Struct(out...).Line()

	f.Comment(fmt.Sprintf("// %s runs %s.", s.method, title))
	f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id(s.method).
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("in").Id(s.method+"Input")).
		Params(jen.Id("out").Id(s.method+"Output"), jen.Err().Error()).Block(
		jen.Err().Op("=").Id("m").Dot(s.method+"Into").Call(jen.Id("ctx"), jen.Op("&").Id("in"), jen.Op("&").Id("out")),
		jen.Return(jen.Id("out"), jen.Err()),
	).Line()

	pr := &printer{e: e, sig: s, used: map[string]bool{}}
	var fetch []jen.Code
	for i, x := range p.Fetches {
		v, err := pr.view(plan.View{Buf: x.Buf, Len: sym.Product(x.Shape)})
		if err != nil {
			return fmt.Errorf("fetch %q: %w", x.Name, err)
		}
		args := []jen.Code{jen.Op("&").Id("out").Dot(s.fetches[i]), v}
		for _, d := range x.Shape {
			args = append(args, pr.expr(d))
		}
		fetch = append(fetch, e.rt("Fetch").Call(args...))
	}
	body := []jen.Code{
		jen.List(jen.Id("dims"), jen.Err()).Op(":=").Id(s.prefix + "Bind").Call(jen.Id("in")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.List(jen.Id("s"), jen.Err()).Op(":=").Id("m").Dot(s.prefix+"Pool").Dot("Get").Call(jen.Id("ctx"), jen.Id("dims")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.Defer().Id("m").Dot(s.prefix+"Pool").Dot("Put").Call(jen.Id("s"), jen.Op("&").Err()),
		jen.Id("s").Dot("In").Op("=").Op("*").Id("in"),
		jen.If(jen.Err().Op("=").Id(s.prefix+"Run").Call(jen.Id("s")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
	}
	body = append(body, locals(pr.used)...)
	body = append(append(body, fetch...), jen.Return(jen.Nil()))
	f.Comment(fmt.Sprintf("// %sInto is %s that writes into the memory of out where it is large enough: once\n"+
		"// warm, a run with the same sizes allocates nothing. in and out must not overlap.", s.method, s.method))
	f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id(s.method+"Into").
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("in").Op("*").Id(s.method+"Input"), jen.Id("out").Op("*").Id(s.method+"Output")).
		Params(jen.Err().Error()).Block(body...).Line()
	return nil
}

// dynamic prints the untyped interface.
func (e *emitter) dynamic(f *jen.File) {
	var refs []jen.Code
	for _, s := range e.sigs {
		s.describe(e, f)
		refs = append(refs, jen.Op("&").Id(s.prefix+"Signature"))
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
	for _, s := range e.sigs {
		ref := jen.Op("&").Id(s.prefix + "Signature")
		body := []jen.Code{
			jen.List(jen.Id("in"), jen.Id("out")).Op(":=").List(jen.New(jen.Id(s.method+"Input")), jen.New(jen.Id(s.method+"Output"))),
			jen.If(jen.Err().Op(":=").Id(s.prefix+"Signature").Dot("CheckFeeds").Call(jen.Id("feeds")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		}
		for i := range s.plan.Feeds {
			body = append(body, jen.If(jen.Err().Op(":=").Add(e.rt("SetFeed")).Call(jen.Op("&").Id("in").Dot(s.feeds[i]), ref, jen.Lit(i), jen.Id("feeds")),
				jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())))
		}
		get := []jen.Code{jen.Id("got").Op(":=").Make(tensors(), jen.Lit(len(s.plan.Fetches)))}
		for i := range s.plan.Fetches {
			get = append(get, e.rt("AddFetch").Call(jen.Id("got"), ref, jen.Lit(i), jen.Op("&").Id("out").Dot(s.fetches[i])))
		}
		get = append(get, jen.Return(jen.Id("got")))
		body = append(body, jen.Return(jen.Op("&").Add(e.rt("Bound")).Add(multi([]jen.Code{
			jen.Id("Signature").Op(":").Add(ref),
			jen.Id("Run").Op(":").Func().Params(jen.Id("ctx").Qual("context", "Context")).Error().Block(
				jen.Return(jen.Id("m").Dot(s.method+"Into").Call(jen.Id("ctx"), jen.Id("in"), jen.Id("out")))),
			jen.Id("Fetches").Op(":").Func().Params().Add(tensors()).Block(get...),
		})), jen.Nil()))
		cases = append(cases, jen.Case(jen.Lit(s.plan.Name)).Block(body...))
	}
	f.Comment("// Bind readies a run of the signature of that name that can be repeated; see rt.Program.")
	f.Func().Add(recv).Id("Bind").Params(jen.Id("signature").String(), jen.Id("feeds").Add(tensors())).
		Params(jen.Op("*").Add(e.rt("Bound")), jen.Error()).Block(
		jen.Switch(jen.Id("signature")).Block(cases...),
		jen.Return(jen.Nil(), e.rt("UnknownSignature").Call(jen.Id("m"), jen.Id("signature"))),
	).Line()
}

// describe prints the table of a signature's ports.
func (s *signature) describe(e *emitter, f *jen.File) {
	port := func(name, key, field string, d tensor.DType, shape []*sym.Expr, unused bool) jen.Code {
		var ns, ds []jen.Code
		symbolic := false
		for _, x := range shape {
			if n, ok := x.IsInt(); ok {
				ns, ds = append(ns, jen.Lit(n)), append(ds, jen.Lit(""))
			} else {
				ns, ds = append(ns, jen.Lit(-1)), append(ds, jen.Lit(x.Key()))
				symbolic = true
			}
		}
		vs := []jen.Code{jen.Id("Name").Op(":").Lit(name)}
		if key != "" {
			vs = append(vs, jen.Id("Key").Op(":").Lit(key))
		}
		vs = append(vs, jen.Id("Field").Op(":").Lit(field), jen.Id("DType").Op(":").Add(e.dtype(d)), jen.Id("Shape").Op(":").Index().Int().Values(ns...))
		if symbolic {
			vs = append(vs, jen.Id("Dims").Op(":").Index().String().Values(ds...))
		}
		if unused {
			vs = append(vs, jen.Id("Unused").Op(":").True())
		}
		return jen.Values(vs...)
	}
	var in, out []jen.Code
	for i, x := range s.plan.Feeds {
		in = append(in, port(x.Name, x.Key, s.feeds[i], x.DType, x.Shape, s.unused(i)))
	}
	for i, x := range s.plan.Fetches {
		out = append(out, port(x.Name, x.Key, s.fetches[i], x.DType, x.Shape, false))
	}
	ports := func(vs []jen.Code) *jen.Statement { return jen.Index().Add(e.rt("Port")).Add(multi(vs)) }
	f.Var().Id(s.prefix + "Signature").Op("=").Add(e.rt("Signature")).Add(multi([]jen.Code{
		jen.Id("Name").Op(":").Lit(s.plan.Name), jen.Id("Method").Op(":").Lit(s.method),
		jen.Id("Feeds").Op(":").Add(ports(in)), jen.Id("Fetches").Op(":").Add(ports(out)),
	}))
	f.Line()
}
