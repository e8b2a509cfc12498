package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir/sym"
)

// Before a run, the input is bound: a generated function checks the shapes of its tensors and reads
// the sizes of the run from them. A signature without feeds needs no such function. If all shapes
// are known, there are no sizes.

// fedDim is a dimension of a feed that must equal an expression of sizes.
type fedDim struct {
	feed, axis int
	want       *sym.Expr
}

// checkedFeeds returns the numbers of the feeds whose shapes are checked: those that a step or a
// size needs.
func (s *signature) checkedFeeds() (feeds []int) {
	for i := range s.plan.Feeds {
		if !unused(s.plan, i) {
			feeds = append(feeds, i)
		}
	}
	return feeds
}

// checkedDims returns those dimensions of the checked feeds that must equal an expression of sizes.
// A dimension that must equal a constant is left out, and so is a dimension from which a size is
// read.
func (s *signature) checkedDims() (dims []fedDim) {
	tells := map[[2]int]bool{}
	for _, d := range s.plan.Dims {
		tells[[2]int{d.Feed, d.Axis}] = true
	}
	for _, i := range s.checkedFeeds() {
		for a, x := range s.plan.Feeds[i].Shape {
			if _, known := x.IsInt(); !known && !tells[[2]int{i, a}] {
				dims = append(dims, fedDim{i, a, x})
			}
		}
	}
	return dims
}

// binding returns the code that calls the bind function. It also returns the expression for the
// struct of sizes, which the caller passes to the run.
func (s *signature) binding() (body []jen.Code, dims *jen.Statement) {
	call := jen.Id(s.prefix + "Bind").Call(jen.Id("in"))
	switch {
	case len(s.plan.Dims) > 0:
		return []jen.Code{jen.List(jen.Id("dims"), jen.Err()).Op(":=").Add(call), jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))}, jen.Id("dims")
	case len(s.checkedFeeds()) > 0:
		body = []jen.Code{jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))}
	}
	return body, s.dimsType().Values()
}

// bind emits the function that checks the feeds' shapes and reads the sizes.
func (e *emitter) bind(f *jen.File, sig *signature) {
	feeds := sig.checkedFeeds()
	if len(feeds) == 0 && len(sig.plan.Dims) == 0 {
		return
	}
	p := e.printer(sig)
	name := sig.prefix + "Bind"
	fn := jen.Func().Id(name).Params(jen.Id("in").Op("*").Id(sig.method + "Input"))
	var out []jen.Code // in an emitted return statement, the results before the error
	if len(sig.plan.Dims) > 0 {
		f.Comment(fmt.Sprintf("// %s checks the shapes of the feeds and reads the sizes from them.", name))
		fn.Params(jen.Id("d").Add(sig.dimsType()), jen.Err().Error())
		out = []jen.Code{jen.Id("d")}
	} else {
		f.Comment(fmt.Sprintf("// %s checks the shapes of the feeds.", name))
		fn.Error()
	}
	in := func(i int) *jen.Statement { return jen.Id("in").Dot(sig.feeds[i]) }
	var shapes, sizes [][]jen.Code
	for _, i := range feeds {
		shapes = append(shapes, []jen.Code{jen.Lit(i), in(i).Dot("Shape"), jen.Len(in(i).Dot("Data"))})
	}
	for _, d := range sig.checkedDims() {
		sizes = append(sizes, []jen.Code{jen.Lit(d.feed), jen.Lit(d.axis), in(d.feed).Dot("Shape").Index(jen.Lit(d.axis)), p.expr(d.want)})
	}
	body := sig.checks("CheckShape", []column{{"feed", jen.Int()}, {"shape", jen.Index().Int()}, {"n", jen.Int()}}, shapes, out)
	for _, d := range sig.plan.Dims {
		body = append(body, p.symbol(d.Name).Op("=").Add(in(d.Feed)).Dot("Shape").Index(jen.Lit(d.Axis)))
	}
	body = append(body, sig.checks("CheckDim", []column{{"feed", jen.Int()}, {"axis", jen.Int()}, {"got", jen.Int()}, {"want", jen.Int()}}, sizes, out)...)
	if n := len(shapes); out == nil && n < tableRows {
		body = append(body[:n-1], jen.Return(sig.check("CheckShape", shapes[n-1])))
	} else {
		body = append(body, jen.Return(append(out, jen.Nil())...))
	}
	f.Add(fn.Block(body...)).Line()
}

// checks returns code that calls a method of the signature, once for each row of arguments. If a
// call returns an error, the emitted function returns that error, after the results in the
// parameter out.
func (s *signature) checks(method string, columns []column, rows [][]jen.Code, out []jen.Code) []jen.Code {
	try := func(args []jen.Code) []jen.Code {
		return []jen.Code{jen.If(jen.Err().Op(":=").Add(s.check(method, args)), jen.Err().Op("!=").Nil()).Block(jen.Return(append(out[:len(out):len(out)], jen.Err())...))}
	}
	if len(rows) >= tableRows {
		return []jen.Code{eachRow(columns, rows, try)}
	}
	var body []jen.Code
	for _, args := range rows {
		body = append(body, try(args)...)
	}
	return body
}

// check returns a call of a method of the signature.
func (s *signature) check(method string, args []jen.Code) *jen.Statement {
	return jen.Id(s.prefix + "Signature").Dot(method).Call(args...)
}
