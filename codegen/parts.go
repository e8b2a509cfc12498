package codegen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

// A signature that is divided into parts has one method for its callers. Each part has a pool and steps, like a
// signature with one plan, and a method that takes a state from the pool, runs the part and copies
// its results.

// maxPairs is the largest number of transfers to and from other parts that the comment of a part
// lists.
const maxPairs = 40

// inParts lays out a plan that is divided into parts. The plan has already been checked.
func (e *emitter) inParts(p *plan.Plan) (*signature, error) {
	s := &signature{plan: p, layout: &plan.Layout{Block: plan.Block{Static: true}}}
	for k, q := range p.Parts {
		l, err := q.Layout(0)
		if err != nil {
			return nil, fmt.Errorf("part %d (%s): %w", k, q.Device, err)
		}
		s.parts = append(s.parts, &signature{plan: q, layout: l, whole: s, number: k})
	}
	return s, nil
}

// seen returns the signature that callers see: for a part, the whole signature.
func (s *signature) seen() *signature {
	if s.whole != nil {
		return s.whole
	}
	return s
}

// parts returns a qualified name of package parts.
func (e *emitter) parts(name string) *jen.Statement {
	return jen.Qual(e.path(Module+"/rt/parts"), name)
}

// partsType returns a generic type of package parts with the type arguments for a signature. The
// parameter name is Parts, Turn or PartialOf.
func (e *emitter) partsType(name string, s *signature) *jen.Statement {
	return e.parts(name).Types(s.dimsType(), jen.Id(s.method+"Input"), jen.Id(s.method+"Output"))
}

// partsPools returns the fields of a signature that is divided into parts, and the code in New that
// sets these fields.
func (e *emitter) partsPools(s *signature) (fields, init []jen.Code) {
	on := s.prefix + "Devices"
	find, of := "Devices", []jen.Code{jen.Id("base")}
	if slices.ContainsFunc(s.parts, (*signature).accelerated) {
		find, of = "DevicesOf", append(of, jen.Qual(e.path(Module+"/rt/device/gpu"), "Open"))
	}
	for _, q := range s.parts {
		of = append(of, jen.Lit(q.plan.Device))
	}
	init = append(init, jen.List(jen.Id(on), jen.Err()).Op(":=").Add(e.parts(find)).Call(of...),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())))
	args := []jen.Code{jen.Id("base"), jen.Lit(len(s.plan.Pairs)), jen.Id(on)}
	for _, q := range s.parts {
		fields = append(fields, jen.Id(q.prefix+"Pool").Add(e.rt("Pool")).Types(e.types(q)...))
		init = append(init, jen.Id("m").Dot(q.prefix+"Pool").Dot("Init").Call(jen.Id("base"), jen.Op("&").Id(q.prefix+"Code"), e.varsOf()))
		if q.accelerated() {
			if e.Assemble != nil {
				init = append(init, e.device("Use").Call(jen.Id(on).Index(jen.Lit(q.number)), jen.Op("&").Id("modelCubins")))
				e.assembled = true
			}
			record := jen.Nil()
			if records(q.plan) {
				record = jen.Id(q.prefix + "Record")
			}
			args := []jen.Code{jen.Op("&").Id("m").Dot(q.prefix + "Pool"), jen.Id(on).Index(jen.Lit(q.number)), jen.Op("&").Id(q.prefix + "Work"), record}
			for _, b := range q.plan.DeviceVars() {
				args = append(args, jen.Id("m").Dot("vars").Dot(e.vars.fields[b.Var.Name]).Index(jen.Op(":")))
			}
			init = append(init, jen.If(jen.Err().Op(":=").Add(e.devwork("WorkOn")).Call(args...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err())))
		} else {
			init = append(init, e.parts("On").Call(jen.Op("&").Id("m").Dot(q.prefix+"Pool"), jen.Id(on).Index(jen.Lit(q.number))))
		}
		args = append(args, jen.Id("m").Dot(q.prefix))
	}
	fields = append(fields, jen.Id(s.prefix+"Parts").Add(e.partsType("Parts", s)))
	init = append(init, jen.Id("m").Dot(s.prefix+"Parts").Dot("Init").Call(args...))
	if first := s.variants[0]; s != first && first.parts != nil {
		init = append(init, jen.Id("m").Dot(s.prefix+"Parts").Dot("Share").Call(jen.Id("m").Dot(first.prefix+"Parts").Dot("Slots").Call()))
	}
	return fields, init
}

// runParts returns the code that runs a signature that is divided into parts. The parameter dims is
// the expression for the struct of sizes.
func (e *emitter) runParts(s *signature, dims *jen.Statement) []jen.Code {
	return []jen.Code{jen.Return(jen.Id("m").Dot(s.prefix+"Parts").Dot("Run").Call(jen.Id("ctx"), dims, jen.Id("in"), jen.Id("out")))}
}

// part emits the method that runs a part and copies its results.
func (e *emitter) part(f *jen.File, q *signature) error {
	pr := e.printer(q)
	fields := make([]string, len(q.plan.Gives))
	for i, at := range q.plan.Gives {
		if at < len(q.fetches) { // the tensors after the fetches are watched tensors, which have no fields
			fields[i] = q.fetches[at]
		}
	}
	fetch, err := pr.fetches("t.Out", fields)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("// %s runs part %d of %s, on %s.", q.prefix, q.number, q.method, quote(q.plan.Device))
	for i, p := range q.whole.plan.Pairs {
		if strings.Count(text, "\n") == maxPairs && (p.From == q.number || p.To == q.number) {
			text += "\n//   …"
			break
		}
		switch q.number {
		case p.From:
			text += fmt.Sprintf("\n//   %d: %s to part %d", i, quote(p.Tensor), p.To)
		case p.To:
			text += fmt.Sprintf("\n//   %d: %s from part %d", i, quote(p.Tensor), p.From)
		}
	}
	pool := func() *jen.Statement { return jen.Id("m").Dot(q.prefix + "Pool") }
	t := func(field string) *jen.Statement { return jen.Id("t").Dot(field) }
	body := []jen.Code{
		jen.List(jen.Id("s"), jen.Err()).Op(":=").Add(pool()).Dot("Get").Call(t("Context"), t("Dims")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())),
		jen.Defer().Add(pool()).Dot("Put").Call(jen.Id("s"), jen.Op("&").Err()),
		jen.Id("s").Dot("Tell").Call(t("Exchange")),
		jen.Id("s").Dot("X").Dot("Exchange").Op("=").Add(t("Exchange")),
	}
	if q.readsFeeds() {
		body = append(body, jen.Id("s").Dot("In").Op("=").Op("*").Add(t("In")))
	}
	body = append(body, q.runThen(append(locals(pr.used), fetch...))...)
	f.Comment(text)
	f.Func().Params(jen.Id("m").Op("*").Id("Model")).Id(q.prefix).Params(jen.Id("t").Op("*").Add(e.partsType("Turn", q.whole))).
		Params(jen.Err().Error()).Block(body...).Line()
	return nil
}
