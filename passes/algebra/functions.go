package algebra

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Functions replaces two nodes that together compute a known function by a node for this function:
//
//	x·x                 Square(x)
//	Square(x-y)         SquaredDifference(x, y)     except for complex numbers
//	Log(Softmax(x))     LogSoftmax(x)
//	Log(1+x)            Log1p(x)
//	Exp(x)-1            Expm1(x)
//	x/Sqrt(y)           x·Rsqrt(y)
//	Xdivy(x, Sqrt(y))   MulNoNan(Rsqrt(y), x)       0 where x is 0
//	max(x, αx)          LeakyRelu(x)                0 < α < 1
//	x·Tanh(Softplus(x)) _Mish(x)
//	CheckNumerics(Cast(i)) Cast(i)                  if no integer i becomes infinite in the float type
//	¬(x=y), ¬(x≠y)      x≠y, x=y
//	¬(x<y), ¬(x≤y), …   x≥y, x>y, …                 only of integers: with NaN, x<y and x≥y are both false
//
// The inner node must have no other reader. A DivNoNan or FloorDiv by a square root is not
// replaced.
func Functions(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		if len(n.Outs) != 1 || len(n.Ins) == 0 {
			return
		}
		d := n.Outs[0].DType
		in := n.Ins[0]
		switch n.Op {
		case "Mul":
			switch {
			case len(n.Ins) == 2 && n.Ins[0] == n.Ins[1] && edit.Takes(s.O.Ops, "Square", d):
				r.Is(n, "Square", "a product with itself", in)
			case len(n.Ins) == 2 && !mish(r, n, 0):
				mish(r, n, 1)
			}
		case "Square":
			if m := in.Node; m.Op == "Sub" && r.Sole(in, n) && !d.IsComplex() && edit.Takes(s.O.Ops, "SquaredDifference", d) {
				r.Is(n, "SquaredDifference", "the square of a difference", m.Ins...)
			}
		case "Log":
			logarithm(r, n)
		case "Sub":
			expm1(r, n)
		case "RealDiv", "Div", "Xdivy":
			byRoot(r, n)
		case "Maximum":
			leaky(r, n)
		case "LogicalNot":
			not(r, n)
		case "CheckNumerics":
			checked(r, n)
		}
	})
}

func logarithm(r *edit.Rewriter, n *ir.Node) {
	m, d := n.Ins[0].Node, n.Outs[0].DType
	if !r.Sole(n.Ins[0], n) || !d.IsFloat() {
		return
	}
	switch m.Op {
	case "Softmax":
		if edit.Takes(r.S.O.Ops, "LogSoftmax", d) {
			r.Is(n, "LogSoftmax", "the logarithm of a softmax", m.Ins[0])
		}
	case "Add", "AddV2":
		for i, o := range m.Ins {
			x := m.Ins[1-i]
			if c, ok := edit.FilledWith(o); ok && c == 1 && edit.Takes(r.S.O.Ops, "Log1p", d) && x.Fact().Shape.Equal(m.Outs[0].Shape) && !edit.ZeroSignSeen(r.S.O.Ops, r.Readers, ir.Out{Node: n}) {
				r.Is(n, "Log1p", "the logarithm of 1 and a number", x)
				return
			}
		}
	}
}

func expm1(r *edit.Rewriter, n *ir.Node) {
	d := n.Outs[0].DType
	if len(n.Ins) != 2 || n.Ins[0].Node.Op != "Exp" || !d.IsFloat() || !edit.Takes(r.S.O.Ops, "Expm1", d) || !r.Sole(n.Ins[0], n) {
		return
	}
	x := n.Ins[0].Node.Ins[0]
	if c, ok := edit.FilledWith(n.Ins[1]); ok && c == 1 && x.Fact().Shape.Equal(n.Outs[0].Shape) && !edit.ZeroSignSeen(r.S.O.Ops, r.Readers, ir.Out{Node: n}) {
		r.Is(n, "Expm1", "an exponential less 1", x)
	}
}

// byRoot replaces x/Sqrt(y) by x·Rsqrt(y). The parameter n is the division.
func byRoot(r *edit.Rewriter, n *ir.Node) {
	d := n.Outs[0].DType
	if len(n.Ins) != 2 || !edit.IsWide(d) || n.Ins[1].Node.Op != "Sqrt" || !r.Sole(n.Ins[1], n) {
		return
	}
	root := n.Ins[1]
	if !r.Take(n, "a product with the reciprocal of the root") {
		return
	}
	inv := r.Made(n, "rsqrt", "Rsqrt", edit.OfType(d), *root.Fact(), root.Node.Ins[0])
	if n.Op == "Xdivy" {
		r.Set(n, "MulNoNan", edit.OfType(d), inv, n.Ins[0])
	} else {
		r.Set(n, "Mul", edit.OfType(d), n.Ins[0], inv)
	}
}

// leaky recognizes max(x, αx).
func leaky(r *edit.Rewriter, n *ir.Node) {
	d := n.Outs[0].DType
	if len(n.Ins) != 2 || !edit.IsWide(d) {
		return
	}
	for i, o := range n.Ins {
		x, m := n.Ins[1-i], o.Node
		if m.Op != "Mul" || !r.Sole(o, n) || !x.Fact().Shape.Equal(n.Outs[0].Shape) {
			continue
		}
		for k := range m.Ins {
			c := edit.ValueOf(m.Ins[k])
			if m.Ins[1-k] != x || c == nil || c.Len() != 1 {
				continue
			}
			alpha, ok := edit.Uniform(c)
			if !ok || !(alpha > 0 && alpha < 1) || float64(float32(alpha)) != alpha {
				continue
			}
			if r.Take(n, "max(x, αx) is a leaky relu") {
				r.Set(n, "LeakyRelu", map[string]ir.Attr{"T": d, "alpha": float32(alpha)}, x)
			}
			return
		}
	}
}

// checked removes the node n, a CheckNumerics, if its input is a Cast from integers, whose results
// are always finite.
func checked(r *edit.Rewriter, n *ir.Node) {
	c := n.Ins[0].Node
	if c.Op != "Cast" || len(n.Ins) != 1 {
		return
	}
	from, to := c.Ins[0].Fact().DType, n.Outs[0].DType
	if from != tensor.Bool && !from.IsInteger() || to == tensor.Half && digits[from] > 15 {
		return
	}
	r.Becomes(n, n.Ins[0], "an integer is finite")
}

// mish replaces x·tanh(softplus(x)) by _Mish(x). The parameter n is the product; its input number i
// is the tanh. mish reports whether it replaced n.
func mish(r *edit.Rewriter, n *ir.Node, i int) bool {
	x, t := n.Ins[1-i], n.Ins[i].Node
	if t.Op != "Tanh" || !r.Sole(n.Ins[i], n) || !edit.Takes(r.S.O.Ops, "_Mish", n.Outs[0].DType) {
		return false
	}
	p := t.Ins[0].Node
	if p.Op != "Softplus" || p.Ins[0] != x || !r.Sole(t.Ins[0], t) {
		return false
	}
	r.Is(n, "_Mish", "a number times tanh(softplus) of it is mish", x)
	return true
}

// opposite maps a comparison to its negation.
var opposite = map[string]string{"Equal": "NotEqual", "NotEqual": "Equal", "Less": "GreaterEqual", "GreaterEqual": "Less", "Greater": "LessEqual",
	"LessEqual": "Greater"}

func not(r *edit.Rewriter, n *ir.Node) {
	m := n.Ins[0].Node
	op := opposite[m.Op]
	if op == "" || !r.Sole(n.Ins[0], n) {
		return
	}
	if d := m.Ins[0].Fact().DType; op != "Equal" && op != "NotEqual" && !d.IsInteger() || d == tensor.Invalid {
		return
	}
	if r.Take(n, "the opposite comparison") {
		r.Set(n, op, m.Attrs, m.Ins...)
	}
}
