package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var onlyF32 = map[string][]tensor.DType{"T": {tensor.Float32}}

// made says of an op that a graph which is read cannot hold it.
const made = "made by passes only"

// fusedDefs are what passes make of spelled-out functions.
var fusedDefs = []*Def{
	{Name: "_LayerNorm", Types: onlyF32, Limits: made, Shape: layerNormShape, Lower: layerNormLower},
	{Name: "_RMSNorm", Types: onlyF32, Limits: made, Shape: layerNormShape, Lower: layerNormLower},
	{Name: "_Gelu", Types: onlyF32, Limits: made, Shape: unaryShape, Lower: geluLower},
	{Name: "_Swish", Types: onlyF32, Limits: made, Shape: unaryShape, Lower: func(b *Builder) error { return b.inPlaceF32(elem.SwishF32) }},
	{Name: "_Mish", Types: map[string][]tensor.DType{"T": floatTypes}, Limits: made, Shape: unaryShape, Lower: mishLower},
	{Name: "_HardSwish", Types: onlyF32, Limits: made, Shape: unaryShape, Lower: func(b *Builder) error { return b.inPlaceF32(elem.HardSwishF32) }},
}

// layerNormShape: x, gamma [C] and beta [C] where the attributes gamma and beta
// say so.
func layerNormShape(c *Shaper) error {
	x := c.Shape(0)
	if x.Known && len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a scalar has no axis to normalise")
	}
	for i := 1; i < c.NumIn(); i++ {
		v := c.Shape(i)
		if x.Known && v.Known && differ(v.Len(), x.Dims[len(x.Dims)-1]) {
			return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v, the rows of x %v", i, v, x)
		}
	}
	c.Set(0, c.In(0).DType, x)
	return nil
}

// layerNormInputs are the inputs that are gamma and beta, 0 for one that is missing.
func (b *Builder) layerNormInputs(c *sym.Expr) (gamma, beta int, err error) {
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
		if err := b.sameDim(b.InLen(at), c, "gamma and beta must have one value an element of a row"); err != nil {
			return 0, 0, err
		}
		*v.input = at
		at++
	}
	return gamma, beta, nil
}

// layerNormLower: the rows are the last dimension.
func layerNormLower(b *Builder) error {
	x := b.InShape(0)
	c := x[len(x)-1]
	g, t, err := b.layerNormInputs(c)
	if err != nil {
		return err
	}
	gamma, beta := absent(tensor.Float32), absent(tensor.Float32)
	if g > 0 {
		gamma = b.In(g)
	}
	if t > 0 {
		beta = b.In(t)
	}
	q := plan.Lit(norm.LayerParams{Epsilon: b.Node.Float("epsilon")}, "Rows", plan.Count, "C", c)
	l := b.Par(sym.Product(x[:len(x)-1]), rowSplit(c, moderate))
	out, in := rows(b.Out(0), c), rows(b.In(0), c)
	if b.Node.Op == "_RMSNorm" {
		l.CallInPlace(0, 0, norm.RMSNormF32, out, in, gamma, q)
		return nil
	}
	l.CallInPlace(0, 0, norm.LayerNormF32, out, in, gamma, beta, q)
	return nil
}

// geluLower: attribute approximate chooses the form with tanh.
func geluLower(b *Builder) error {
	if b.Node.Bool("approximate") {
		return b.inPlaceF32(elem.GeluTanhF32)
	}
	return b.inPlaceF32(elem.GeluErfF32)
}

// inPlaceF32 appends a function of one f32 input that may work in place.
func (b *Builder) inPlaceF32(fn any) error {
	if d := b.InFact(0).DType; d != tensor.Float32 {
		return b.Errorf(tensor.Unimplemented, "%s takes f32, not %s", b.Node.Op, d)
	}
	l := b.Par(b.OutLen(0), rowSplit(sym.One, moderate))
	l.CallInPlace(0, 0, fn, rows(b.Out(0), sym.One), rows(b.In(0), sym.One))
	return nil
}

// mishLower: x·tanh(log(1 + e^x)).
func mishLower(b *Builder) error {
	d := b.InFact(0).DType
	var fns [3]any
	for i, op := range []string{"Softplus", "Tanh", "Mul"} {
		fn, err := elemKernel(op, d)
		if err != nil {
			return err
		}
		fns[i] = fn
	}
	l := b.Par(b.OutLen(0), rowSplit(sym.One, elementCost("Softplus", d)+elementCost("Tanh", d)))
	out, x := rows(b.Out(0), sym.One), rows(b.In(0), sym.One)
	l.Call(fns[0], out, x)
	out.Mode = plan.Write
	l.Call(fns[1], out, reads(out))
	l.Call(fns[2], out, reads(out), x, plan.Lit(elem.Dims{N: 1}, "A", []*sym.Expr{plan.Count}, "B", []*sym.Expr{plan.Count}))
	return nil
}
