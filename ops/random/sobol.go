package random

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/joekuo"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sobolShape infers the shape of the output of SobolSample(dim, num_results, skip), which is
// [num_results, dim].
func sobolShape(c *lower.Shaper) error {
	var e [3]*sym.Expr
	if err := kit.Scalars(c, 0, 3); err != nil {
		return err
	}
	for i, what := range []string{"dim", "num_results", "skip"} {
		v, ok, err := kit.OneInt(c, i, what)
		if err != nil {
			return err
		}
		if !ok {
			c.UnknownShape(0, c.Node.DType("dtype"))
			return nil
		}
		e[i] = v
	}
	d, ok0 := e[0].IsInt()
	n, ok1 := e[1].IsInt()
	s, ok2 := e[2].IsInt()
	if !ok0 {
		d = 1
	}
	if !ok1 {
		n = 1
	}
	if !ok2 {
		s = 0
	}
	if err := random.SobolFits(d, n, s, joekuo.MaxDims); err != nil {
		return err
	}
	dims := [2]*sym.Expr{e[1], e[0]}
	for k, e := range dims {
		if lower.MayBeNegative(e) {
			dims[k] = c.NewSizeK(0, k)
		}
	}
	c.Set(0, c.Node.DType("dtype"), ir.ShapeOf(dims[:]...))
	return nil
}

func sobolLower(b *lower.Builder) error {
	if !b.OutFact(0).Shape.Known {
		return lower.UnknownRank(b.Node, 0)
	}
	var e [3]*sym.Expr
	for i := range e {
		es, ok := b.Ints(i)
		if !ok || len(es) != 1 {
			return b.Errorf(tensor.InvalidArgument, "dim, num_results and skip must be scalars")
		}
		e[i] = es[0]
	}
	b.Check(random.SobolFits, e[0], e[1], e[2], joekuo.MaxDims)
	kit.BindSize(b, 0, 0, e[1], "num_results")
	kit.BindSize(b, 0, 1, e[0], "dim")
	dims := joekuo.MaxDims
	if n, ok := e[0].IsInt(); ok {
		dims = n
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, random.SobolF32, random.SobolF64)
	if err != nil {
		return err
	}
	numbers := b.Const("", &tensor.Tensor{DType: tensor.Uint32, Shape: tensor.Shape{dims * joekuo.Digits}, Data: joekuo.Numbers(dims)})
	out := b.OutShape(0)
	b.Call(fn, b.Out(0), numbers, plan.Lit(random.SobolParams{Digits: joekuo.Digits}, "Dims", out[1], "Points", out[0], "Skip", e[2]))
	return nil
}
