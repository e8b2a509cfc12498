package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

// initialization prepares the plan Package.Init, which is emitted as a signature that only New
// runs. It assigns places in memory to the plan's buffers.
func (e *emitter) initialization() error {
	p := e.Init
	if p == nil {
		return nil
	}
	if len(p.Feeds)+len(p.Fetches)+len(p.Dims) > 0 || p.Ranks != nil {
		return fmt.Errorf("the initialization has feeds or fetches")
	}
	s, err := e.signature(p)
	if err != nil {
		return fmt.Errorf("initialization: %w", err)
	}
	s.entry, e.init = &entry{variants: []*signature{s}}, s
	return nil
}

// all returns everything that has steps: the signatures, replaced by their parts if they have any,
// and the initialization.
func (e *emitter) all() []*signature {
	var out []*signature
	for _, s := range e.sigs {
		if s.parts != nil {
			out = append(out, s.parts...)
			continue
		}
		out = append(out, s)
	}
	if e.init != nil {
		out = append(out, e.init)
	}
	return out
}

// initialize emits the method that runs the initialization. It returns the code by which New calls
// this method.
func (e *emitter) initialize(f *jen.File) []jen.Code {
	s := e.init
	if s == nil {
		return nil
	}
	body := []jen.Code{
		jen.Var().Id("pool").Add(e.rt("Pool")).Types(e.types(s)...),
		jen.Id("pool").Dot("Init").Call(jen.Id("base"), jen.Op("&").Id(s.prefix+"Code"), e.varsOf()),
		jen.Defer().Id("pool").Dot("Drop").Call(),
		jen.List(jen.Id("s"), jen.Err()).Op(":=").Id("pool").Dot("Get").Call(jen.Qual("context", "Background").Call(), s.dimsType().Values()),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.Defer().Id("pool").Dot("Put").Call(jen.Id("s"), jen.Op("&").Err()),
	}
	f.Comment("// initialize runs the model's initialization.")
	f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id("initialize").Params(jen.Id("base").Op("*").Add(e.rt("Base"))).Params(jen.Err().Error()).
		Block(append(body, s.runThen(nil)...)...).Line()
	return []jen.Code{jen.If(jen.Id("base").Dot("Initializes").Call()).Block(
		jen.If(jen.Err().Op(":=").Id("m").Dot("initialize").Call(jen.Id("base")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())),
	)}
}
