package nn

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	mathops "github.com/graphc/graphc/ops/math"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var onlyF32 = map[string][]tensor.DType{"T": {tensor.Float32}}

// fusedDefs describes ops that are inserted by passes of the compiler. Each of these ops replaces
// several ops that together compute the same function.
var fusedDefs = []*lower.Def{
	{Name: "_LayerNorm", Types: onlyF32, Limits: kit.MadeByPasses, Shape: layerNormShape, Lower: layerNormLower},
	{Name: "_RMSNorm", Types: onlyF32, Limits: kit.MadeByPasses, Shape: layerNormShape, Lower: layerNormLower},
	{Name: "_Gelu", Types: onlyF32, Limits: kit.MadeByPasses, Shape: mathops.UnaryShape, Lower: geluLower},
	{Name: "_Swish", Types: onlyF32, Limits: kit.MadeByPasses, Shape: mathops.UnaryShape, Lower: func(b *lower.Builder) error { return inPlaceF32(b, elem.SwishF32) }},
	{Name: "_Mish", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Limits: kit.MadeByPasses, Shape: mathops.UnaryShape, Lower: mishLower},
	{Name: "_HardSwish", Types: onlyF32, Limits: kit.MadeByPasses, Shape: mathops.UnaryShape, Lower: func(b *lower.Builder) error { return inPlaceF32(b, elem.HardSwishF32) }},
}

// layerNormShape infers the shape of the output of _LayerNorm and _RMSNorm. The inputs are x, then
// gamma [C] if attribute gamma is set, then beta [C] if attribute beta is set. C is the last
// dimension of x.
func layerNormShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if x.Known && len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a scalar has no axis to normalise")
	}
	for i := 1; i < c.NumIn(); i++ {
		v := c.Shape(i)
		if x.Known && v.Known && lower.Differ(v.Len(), x.Dims[len(x.Dims)-1]) {
			return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v, which does not fit the rows of x %v", i, v, x)
		}
	}
	c.Set(0, c.In(0).DType, x)
	return nil
}

// layerNormInputs returns the numbers of the inputs gamma and beta; 0 means that the input is
// absent.
func layerNormInputs(b *lower.Builder, c *sym.Expr) (gamma, beta int, err error) {
	at := 1
	for _, v := range []struct {
		attr  string
		input *int
	}{{"gamma", &gamma}, {"beta", &beta}} {
		if !b.Node.Bool(v.attr) {
			continue
		}
		if at >= b.NumIn() {
			return 0, 0, b.Errorf(tensor.InvalidArgument, "the input %s is missing", v.attr)
		}
		if err := kit.RequireSame(b, b.InLen(at), c, "gamma and beta must have one value for each element of a row"); err != nil {
			return 0, 0, err
		}
		*v.input = at
		at++
	}
	return gamma, beta, nil
}

// layerNormLower normalises each row, which is a vector along the last dimension.
func layerNormLower(b *lower.Builder) error {
	x := b.InShape(0)
	c := x[len(x)-1]
	g, t, err := layerNormInputs(b, c)
	if err != nil {
		return err
	}
	q := plan.Lit(norm.LayerParams{Epsilon: b.Node.Float("epsilon")}, "Rows", plan.Count, "C", c)
	if g > 0 {
		q = q.With("Gamma", b.In(g))
	}
	if t > 0 {
		q = q.With("Beta", b.In(t))
	}
	l := b.Par(sym.Product(x[:len(x)-1]), lower.RowSplit(c, lower.CostModerate))
	out, in := lower.Rows(b.Out(0), c), lower.Rows(b.In(0), c)
	if b.Node.Op == "_RMSNorm" {
		l.CallInPlace(0, 0, norm.RMSNormF32, out, in, q)
		return nil
	}
	l.CallInPlace(0, 0, norm.LayerNormF32, out, in, q)
	return nil
}

// geluLower lowers _Gelu. If attribute approximate is set, GELU is computed with tanh, otherwise
// with erf.
func geluLower(b *lower.Builder) error {
	if b.Node.Bool("approximate") {
		return inPlaceF32(b, elem.GeluTanhF32)
	}
	return inPlaceF32(b, elem.GeluErfF32)
}

// inPlaceF32 appends a function of one f32 input that can work in place.
func inPlaceF32(b *lower.Builder, fn any) error {
	if d := b.InFact(0).DType; d != tensor.Float32 {
		return b.Errorf(tensor.Unimplemented, "%s requires f32, not %s", b.Node.Op, d)
	}
	l := b.Par(b.OutLen(0), lower.RowSplit(sym.One, lower.CostModerate))
	l.CallInPlace(0, 0, fn, lower.Rows(b.Out(0), sym.One), lower.Rows(b.In(0), sym.One))
	return nil
}

// mishLower lowers _Mish, which computes x·tanh(log(1 + e^x)).
func mishLower(b *lower.Builder) error {
	d := b.InFact(0).DType
	var fns [3]any
	for i, op := range []string{"Softplus", "Tanh", "Mul"} {
		fn, err := mathops.ElemKernel(op, d)
		if err != nil {
			return err
		}
		fns[i] = fn
	}
	l := b.Par(b.OutLen(0), lower.RowSplit(sym.One, b.ElementCost("Softplus", d)+b.ElementCost("Tanh", d)))
	out, x := lower.Rows(b.Out(0), sym.One), lower.Rows(b.In(0), sym.One)
	l.Call(fns[0], out, x)
	out.Mode = plan.Write
	l.Call(fns[1], out, kit.Reads(out))
	l.Call(fns[2], out, kit.Reads(out), x, plan.Lit(elem.Dims{N: 1}, "A", []*sym.Expr{plan.Count}, "B", []*sym.Expr{plan.Count}))
	return nil
}
