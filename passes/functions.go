package passes

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// functions puts the function that two nodes spell out in their place:
//
//	x·x                 Square(x)
//	Square(x-y)         SquaredDifference(x, y)     not of complex numbers
//	Log(Softmax(x))     LogSoftmax(x)
//	Log(1+x)            Log1p(x)
//	Exp(x)-1            Expm1(x)
//	x/Sqrt(y)           x·Rsqrt(y)
//	Xdivy(x, Sqrt(y))   MulNoNan(Rsqrt(y), x)       0 where x is 0
//	max(x, αx)          LeakyRelu(x)                0 < α < 1
//	x·Tanh(Softplus(x)) _Mish(x)
//	CheckNumerics(Cast(i)) Cast(i)                  of integers that the type has numbers for
//	¬(x=y), ¬(x≠y)      x≠y, x=y
//	¬(x<y) and its kin  x≥y                         not of floats: neither holds of NaN
//
// What is in between has one reader. DivNoNan and FloorDiv by a root stay.
func functions(s *state) (bool, error) {
	return s.each(func(r *rewriter, n *ir.Node) {
		if len(n.Outs) != 1 || len(n.Ins) == 0 {
			return
		}
		d := n.Outs[0].DType
		in := n.Ins[0]
		switch n.Op {
		case "Mul":
			switch {
			case len(n.Ins) == 2 && n.Ins[0] == n.Ins[1] && takes(s.o.Ops, "Square", d):
				r.is(n, "Square", "a product with itself", in)
			case len(n.Ins) == 2 && !r.mish(n, 0):
				r.mish(n, 1)
			}
		case "Square":
			if m := in.Node; m.Op == "Sub" && r.sole(in, n) && !d.IsComplex() && takes(s.o.Ops, "SquaredDifference", d) {
				r.is(n, "SquaredDifference", "the square of a difference", m.Ins...)
			}
		case "Log":
			r.logarithm(n)
		case "Sub":
			r.expm1(n)
		case "RealDiv", "Div", "Xdivy":
			r.byRoot(n)
		case "Maximum":
			r.leaky(n)
		case "LogicalNot":
			r.not(n)
		case "CheckNumerics":
			r.checked(n)
		}
	})
}

func (r *rewriter) logarithm(n *ir.Node) {
	m, d := n.Ins[0].Node, n.Outs[0].DType
	if !r.sole(n.Ins[0], n) || !d.IsFloat() {
		return
	}
	switch m.Op {
	case "Softmax":
		if takes(r.s.o.Ops, "LogSoftmax", d) {
			r.is(n, "LogSoftmax", "the logarithm of a softmax", m.Ins[0])
		}
	case "Add", "AddV2":
		for i, o := range m.Ins {
			x := m.Ins[1-i]
			if c, ok := filledWith(o); ok && c == 1 && takes(r.s.o.Ops, "Log1p", d) && x.Fact().Shape.Equal(m.Outs[0].Shape) && !zeroSignSeen(r.s.o.Ops, r.readers, ir.Out{Node: n}) {
				r.is(n, "Log1p", "the logarithm of 1 and a number", x)
				return
			}
		}
	}
}

func (r *rewriter) expm1(n *ir.Node) {
	d := n.Outs[0].DType
	if len(n.Ins) != 2 || n.Ins[0].Node.Op != "Exp" || !d.IsFloat() || !takes(r.s.o.Ops, "Expm1", d) || !r.sole(n.Ins[0], n) {
		return
	}
	x := n.Ins[0].Node.Ins[0]
	if c, ok := filledWith(n.Ins[1]); ok && c == 1 && x.Fact().Shape.Equal(n.Outs[0].Shape) && !zeroSignSeen(r.s.o.Ops, r.readers, ir.Out{Node: n}) {
		r.is(n, "Expm1", "an exponential less 1", x)
	}
}

// byRoot multiplies with the reciprocal of a root.
func (r *rewriter) byRoot(n *ir.Node) {
	d := n.Outs[0].DType
	if len(n.Ins) != 2 || !isWide(d) || n.Ins[1].Node.Op != "Sqrt" || !r.sole(n.Ins[1], n) {
		return
	}
	root := n.Ins[1]
	if !r.take(n, "a product with the reciprocal of the root") {
		return
	}
	inv := r.made(n, "rsqrt", "Rsqrt", ofType(d), *root.Fact(), root.Node.Ins[0])
	if n.Op == "Xdivy" {
		r.set(n, "MulNoNan", ofType(d), inv, n.Ins[0])
	} else {
		r.set(n, "Mul", ofType(d), n.Ins[0], inv)
	}
}

// leaky recognises the larger of a number and a part of it.
func (r *rewriter) leaky(n *ir.Node) {
	d := n.Outs[0].DType
	if len(n.Ins) != 2 || !isWide(d) {
		return
	}
	for i, o := range n.Ins {
		x, m := n.Ins[1-i], o.Node
		if m.Op != "Mul" || !r.sole(o, n) || !x.Fact().Shape.Equal(n.Outs[0].Shape) {
			continue
		}
		for k := range m.Ins {
			c := valueOf(m.Ins[k])
			if m.Ins[1-k] != x || c == nil || c.Len() != 1 {
				continue
			}
			alpha, ok := uniform(c)
			if !ok || !(alpha > 0 && alpha < 1) || float64(float32(alpha)) != alpha {
				continue
			}
			if r.take(n, "the larger of a number and a part of it is a leaky relu") {
				r.set(n, "LeakyRelu", map[string]ir.Attr{"T": d, "alpha": float32(alpha)}, x)
			}
			return
		}
	}
}

// checked drops a check of what cannot be but finite.
func (r *rewriter) checked(n *ir.Node) {
	c := n.Ins[0].Node
	if c.Op != "Cast" || len(n.Ins) != 1 {
		return
	}
	from, to := c.Ins[0].Fact().DType, n.Outs[0].DType
	if from != tensor.Bool && !from.IsInteger() || to == tensor.Half && digits[from] > 15 {
		return
	}
	r.becomes(n, n.Ins[0], "an integer is finite")
}

// mish recognises a number times the hyperbolic tangent of its softplus, input i.
func (r *rewriter) mish(n *ir.Node, i int) bool {
	x, t := n.Ins[1-i], n.Ins[i].Node
	if t.Op != "Tanh" || !r.sole(n.Ins[i], n) || !takes(r.s.o.Ops, "_Mish", n.Outs[0].DType) {
		return false
	}
	p := t.Ins[0].Node
	if p.Op != "Softplus" || p.Ins[0] != x || !r.sole(t.Ins[0], t) {
		return false
	}
	r.is(n, "_Mish", "a number times tanh(softplus) of it is mish", x)
	return true
}

// opposite is the comparison that holds where another does not.
var opposite = map[string]string{"Equal": "NotEqual", "NotEqual": "Equal", "Less": "GreaterEqual", "GreaterEqual": "Less", "Greater": "LessEqual",
	"LessEqual": "Greater"}

func (r *rewriter) not(n *ir.Node) {
	m := n.Ins[0].Node
	op := opposite[m.Op]
	if op == "" || !r.sole(n.Ins[0], n) {
		return
	}
	if d := m.Ins[0].Fact().DType; op != "Equal" && op != "NotEqual" && !d.IsInteger() || d == tensor.Invalid {
		return
	}
	if r.take(n, "the opposite comparison") {
		r.set(n, op, m.Attrs, m.Ins...)
	}
}
