package codegen

import (
	"github.com/dave/jennifer/jen"
)

// main emits the main function of a program.
func (e *emitter) main() error {
	f := e.newFile()
	f.Func().Id("main").Params().Block(
		jen.Qual(e.path(Module+"/rt/program"), "Main").Call(
			jen.Lit(e.Name), jen.Lit(plain(e.Version)),
			jen.Func().Params(jen.Id("opts").Op("...").Add(e.rt("Option"))).Params(e.rt("Program"), jen.Error()).Block(
				jen.Return(jen.Id("New").Call(jen.Id("opts").Op("..."))),
			),
		),
	)
	return e.add("main.go", f)
}
