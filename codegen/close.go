package codegen

import (
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

// closing emits the methods that close the model.
func (e *emitter) closing(f *jen.File) {
	method := func(name, text string) *jen.Statement {
		f.Comment(text)
		return f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id(name)
	}
	base := func() *jen.Statement { return jen.Id("m").Dot("base") }
	method("Close", "// Close ends current and later runs with the code Cancelled. It returns when no run is in progress.\n// Closing again has no effect.").
		Params().Error().Block(jen.Return(base().Dot("Close").Call())).Line()

	by := map[string][]*plan.Buf{}
	for _, b := range e.vars.bufs {
		_, container, _ := resource(b.Name)
		by[container] = append(by[container], b)
	}
	drop := jen.Nil()
	if len(by) > 0 {
		drop = jen.Id("m").Dot("vars").Dot("drop")
	}
	method("Reset", "// Reset closes the model and frees the variables, tables and queues in the named containers, or in all\n// containers if none is named.").
		Params(jen.Id("containers").Op("...").String()).Error().
		Block(jen.Return(base().Dot("Reset").Call(jen.Id("containers"), drop))).Line()
	if len(by) == 0 {
		return
	}
	var body []jen.Code
	for _, c := range slices.Sorted(maps.Keys(by)) {
		body = append(body, jen.If(jen.Id("named").Call(jen.Lit(c))).Block(e.forget(by[c])))
	}
	f.Comment("// drop forgets the resources of the containers for which named reports true.")
	f.Func().Params(jen.Id("v").Op("*").Id("modelVars")).Id("drop").Params(jen.Id("named").Func().Params(jen.String()).Bool()).Block(body...).Line()
}

// forget returns the code that clears the handles of the resources in bufs.
func (e *emitter) forget(bufs []*plan.Buf) jen.Code {
	if len(bufs) == len(e.vars.bufs) {
		return jen.Op("*").Id("v").Op("=").Id("modelVars").Values()
	}
	none := e.tensor("Handle").Values()
	if len(bufs) == 1 {
		return jen.Id("v").Dot(e.vars.fields[bufs[0].Name]).Index(jen.Lit(0)).Op("=").Add(none)
	}
	var all []jen.Code
	for _, b := range bufs {
		all = append(all, jen.Op("&").Id("v").Dot(e.vars.fields[b.Name]))
	}
	return jen.For(jen.List(jen.Id("_"), jen.Id("h")).Op(":=").Range().Index().Op("*").Index(jen.Lit(1)).Add(e.tensor("Handle")).Values(all...)).
		Block(jen.Id("h").Index(jen.Lit(0)).Op("=").Add(none))
}
