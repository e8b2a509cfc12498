package codegen

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
)

// api emits the package's types and functions.
func (e *emitter) api() error {
	f := e.newFile()
	comment, err := e.packageComment()
	if err != nil {
		return err
	}
	f.PackageComment(comment)
	f.Comment("// The package must fit the run time that it is linked with. If one of these constants is out of range,\n" +
		"// update the run time or generate the package again:\n" +
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
		if s.parts != nil {
			fields, ready := e.partsPools(s)
			pools, init = append(pools, fields...), append(init, ready...)
			continue
		}
		pools = append(pools, jen.Id(s.prefix+"Pool").Add(e.rt("Pool")).Types(e.types(s)...))
		init = append(init, jen.Id("m").Dot(s.prefix+"Pool").Dot("Init").Call(jen.Id("base"), jen.Op("&").Id(s.prefix+"Code"), e.varsOf()))
		if first := s.variants[0]; s != first {
			init = append(init, jen.Id("m").Dot(s.prefix+"Pool").Dot("Share").Call(jen.Id("m").Dot(first.prefix+"Pool").Dot("Slots").Call()))
		}
	}
	if len(e.vars.bufs) > 0 {
		pools = append([]jen.Code{jen.Id("vars").Id("modelVars")}, pools...)
	}
	pools = append(pools, jen.Id("base").Op("*").Add(e.rt("Base")))
	f.Comment("// Model is a compiled model; New returns one. Any number of goroutines may call its methods at once.")
	f.Type().Id("Model").Struct(pools...).Line()
	made, err := e.makeVars(f)
	if err != nil {
		return err
	}
	made = append(made, init...)
	made = append(made, e.initialize(f)...)
	f.Comment(e.newComment())
	body := []jen.Code{
		jen.List(jen.Id("base"), jen.Err()).Op(":=").Add(e.rt("Open")).Call(weights, e.options().Op("...")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
		jen.Id("m").Op(":=").Op("&").Id("Model").Values(jen.Id("base").Op(":").Id("base")),
	}
	if e.kept.bytes > 0 {
		body = append(body, jen.Id("base").Dot("Keep").Call(jen.Lit(e.kept.bytes)))
	}
	body = append(append(body, made...), jen.Return(jen.Id("m"), jen.Nil()))
	f.Func().Id("New").Params(jen.Id("opts").Op("...").Add(e.rt("Option"))).Params(jen.Op("*").Id("Model"), jen.Error()).Block(body...).Line()
	e.closing(f)
	for _, n := range e.entries {
		if err := e.signatureAPI(f, n); err != nil {
			return err
		}
	}
	e.dynamic(f)
	if err := e.saving(f); err != nil {
		return err
	}
	return e.add(fileBase(e.Name)+".gen.go", f)
}

// newComment returns the doc comment of New.
func (e *emitter) newComment() string {
	does := "returns a model that is ready to run"
	if e.data.name != "" {
		does += ". It reads the weights"
		if e.init != nil {
			does += " and initializes variables and tables"
		}
	} else if e.init != nil {
		does += ". It initializes variables and tables"
	}
	return "// New " + does + ".\n// Options of package rt limit what a run may use, such as rt.WithThreads; rt.WithConcurrency limits the\n" +
		"// number of simultaneous runs. Close the model when it is no longer used."
}

// clause returns the name in the package clause.
func (e *emitter) clause() string {
	if e.Main {
		return "main"
	}
	return e.Name
}

// embed emits the function that describes the weights file. It returns the argument that New passes
// for the weights: a call of that function, or nil.
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
			section := []jen.Code{jen.Id("Off").Op(":").Lit(s.Off), jen.Id("Size").Op(":").Lit(s.Size)}
			if s.Unit > 0 {
				section = append(section, jen.Id("Unit").Op(":").Lit(s.Unit))
			}
			vs = append(vs, jen.Values(section...))
		}
		fields = append(fields, jen.Id(name).Op(":").Index().Add(e.rt("Section")).Add(multi(vs)))
	}
	table("Sections", w.sections)
	table("Strings", w.strings)
	// The description is a function, so that no variable keeps it in memory.
	f.Comment("// modelWeights describes the weights file.")
	f.Func().Id("modelWeights").Params().Op("*").Add(e.rt("Weights")).Block(jen.Return(jen.Op("&").Add(e.rt("Weights")).Add(multi(fields)))).Line()
	return jen.Id("modelWeights").Call()
}

// signatureAPI emits the input type, the output type and the methods of a signature.
func (e *emitter) signatureAPI(f *jen.File, n *entry) error {
	title := "the signature " + quote(n.sig.Name)
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
				text += ", unused"
			}
			out = append(out, jen.Comment(text+"."), jen.Id(p.Field).Id("Tensor").Types(e.elem(p.DType)))
		}
		return out
	}
	f.Comment(fmt.Sprintf("// %sInput holds the inputs of %s.", n.method, title))
	f.Type().Id(n.method + "Input").Struct(fields(n.sig.Feeds)...).Line()
	f.Comment(fmt.Sprintf("// %sOutput holds the outputs of %s.", n.method, title))
	f.Type().Id(n.method + "Output").Struct(fields(n.sig.Fetches)...).Line()

	text := fmt.Sprintf("// %s runs %s.", n.method, title)
	for i := range n.sig.Feeds {
		if p := &n.sig.Feeds[i]; p.AnyRank && p.Ranks != nil {
			text += fmt.Sprintf("\n// %s may have several ranks: %v.", p.Field, p)
		}
	}
	text += "\n//\n// Errors have TensorFlow's codes, see [tensor.CodeOf]: InvalidArgument for an input that does not fit,\n" +
		"// Cancelled or DeadlineExceeded if ctx ends."
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
	f.Comment(fmt.Sprintf("// %sInto is like %s, but reuses the memory of out where it is large enough. Once warm, a run\n"+
		"// with the same sizes allocates nothing. in and out must not overlap.", n.method, n.method))
	if len(n.variants) == 1 {
		body, err := e.runBody(n.variants[0])
		if err != nil {
			return err
		}
		f.Add(into(n.method + "Into").Block(body...)).Line()
		if err := e.sharing(f, n.variants[0]); err != nil {
			return err
		}
		if n.partial() {
			e.partialAPI(f, n)
		}
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
		f.Comment(fmt.Sprintf("// %sInto is %sInto for %s.", s.prefix, n.method, strings.Join(at, ", ")))
		f.Add(into(s.prefix + "Into").Block(body...)).Line()
		if err := e.sharing(f, s); err != nil {
			return err
		}
	}
	return nil
}

// runBody returns the code for the body of the method that runs a variant of a signature. A
// signature has one variant for each choice of the ranks of its feeds.
func (e *emitter) runBody(s *signature) ([]jen.Code, error) {
	switch {
	case s.of != nil:
		return s.runOther(), nil
	case s.shared:
		return s.runShared(), nil
	}
	body, dims := s.binding()
	code, err := e.runCode(s, dims)
	return append(body, code...), err
}

// runCode returns the code that runs a variant after its sizes have been read. The parameter dims
// is the expression for the struct of these sizes.
func (e *emitter) runCode(s *signature, dims *jen.Statement) ([]jen.Code, error) {
	if s.parts != nil {
		return e.runParts(s, dims), nil
	}
	return e.runSteps(s, dims)
}

// runSteps does the same as runCode, for a variant that is not divided into parts.
func (e *emitter) runSteps(s *signature, dims *jen.Statement) ([]jen.Code, error) {
	pr := e.printer(s)
	fetch, err := pr.fetches("out", s.fetches)
	if err != nil {
		return nil, err
	}
	if s.plan.Batch != "" {
		return e.runBatch(s, locals(pr.used), fetch), nil
	}
	body := s.takeState(dims)
	if s.readsFeeds() {
		body = append(body, jen.Id("s").Dot("In").Op("=").Op("*").Id("in"))
	}
	return append(body, s.runThen(append(locals(pr.used), fetch...))...), nil
}

// runThen returns the code that calls the function for the steps (if the signature has any steps),
// then the statements in the parameter code, and then a return statement.
func (s *signature) runThen(code []jen.Code) []jen.Code {
	if len(s.plan.Steps) == 0 {
		return append(code, jen.Return(jen.Nil()))
	}
	if len(code) == 0 {
		return []jen.Code{jen.Return(s.callRun())}
	}
	code = append([]jen.Code{s.tryRun()}, code...)
	return append(code, jen.Return(jen.Nil()))
}

// pool returns the pool of the signature's run states.
func (s *signature) pool() *jen.Statement { return jen.Id("m").Dot(s.prefix + "Pool") }

// takeState returns the code that takes a run state s for the sizes dims from the pool, and gives it
// back at the end of the function.
func (s *signature) takeState(dims jen.Code) []jen.Code {
	return []jen.Code{
		jen.List(jen.Id("s"), jen.Err()).Op(":=").Add(s.pool()).Dot("Get").Call(jen.Id("ctx"), dims),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.Defer().Add(s.pool()).Dot("Put").Call(jen.Id("s"), jen.Op("&").Err()),
	}
}

// callRun returns a call of the function for the steps.
func (s *signature) callRun() *jen.Statement { return jen.Id(s.prefix + "Run").Call(jen.Id("s")) }

// tryRun returns the code that calls the function for the steps, and returns its error if there is
// one.
func (s *signature) tryRun() jen.Code {
	return jen.If(jen.Err().Op("=").Add(s.callRun()), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
}

// fetches returns the code that copies the fetched tensors to fields of a struct. The parameter out
// is the name of the struct's variable. The parameter fields has the names of the fields.
func (pr *printer) fetches(out string, fields []string) ([]jen.Code, error) {
	var fetch []jen.Code
	for i, x := range pr.sig.plan.Fetches {
		v, err := pr.view(plan.View{Buf: x.Buf, Len: sym.Product(x.Shape)})
		if err != nil {
			return nil, fmt.Errorf("fetch %q: %w", x.Name, err)
		}
		if op, ok := ir.Watched(x.Key); ok {
			fetch = append(fetch, pr.watched(x, op, v))
			continue
		}
		args := []jen.Code{jen.Op("&").Add(jen.Id(out).Dot(fields[i]))}
		call := "Fetch"
		if pr.sig.plan.InBatch(x.Shape) {
			call, args = "FetchMicroBatch", append(args, jen.Id("b"))
		}
		args = append(args, v)
		for _, d := range x.Shape {
			args = append(args, pr.expr(d))
		}
		fetch = append(fetch, pr.e.rt(call).Call(args...))
		if x.Rank != nil {
			sh := func() *jen.Statement { return jen.Id(out).Dot(fields[i]).Dot("Shape") }
			fetch = append(fetch, sh().Op("=").Add(sh()).Index(jen.Empty(), pr.expr(x.Rank)))
		}
	}
	return fetch, nil
}
