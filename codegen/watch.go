package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

// watched returns the code that passes tensor v to the watchers of a run:
//
//	if s.Watches() {
//		if err = rt.Watched(s, "dense/MatMul:0", "MatMul", …, 32, 10); err != nil {
//			return err
//		}
//	}
func (pr *printer) watched(x plan.Fetch, op string, v jen.Code) jen.Code {
	args := []jen.Code{jen.Id("s"), jen.Lit(x.Name), jen.Lit(op), v}
	var dims []jen.Code
	for _, d := range x.Shape {
		dims = append(dims, pr.expr(d))
	}
	if x.Rank != nil {
		args = append(args, jen.Index().Int().Values(dims...).Index(jen.Empty(), pr.expr(x.Rank)).Op("..."))
	} else {
		args = append(args, dims...)
	}
	return jen.If(jen.Id("s").Dot("Watches").Call()).Block(
		jen.If(jen.Err().Op("=").Add(pr.e.rt("Watched").Call(args...)), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
}
