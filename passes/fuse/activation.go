package fuse

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// spelled describes how graphs compute an activation by elementary ops. There is a node f(arg),
// where arg is a polynomial in the argument x. The activation is y, a polynomial in x and f(arg).
type spelled struct {
	inner string // name of the op that computes f
	arg   algebra.Poly
	y     algebra.Poly
	op    string
	tanh  bool // attribute approximate
	why   string
}

var rootHalf, rootTwoOverPi = math.Sqrt(0.5), math.Sqrt(2 / math.Pi)

// spelledOut lists the recognized activations. In the polynomials, atom a is x and atom b is
// f(arg).
var spelledOut = []spelled{
	{"Erf", algebra.Poly{"a": rootHalf}, algebra.Poly{"a": 0.5, "ab": 0.5}, "_Gelu", false, "x/2·(1+erf(x/√2)) is gelu"},
	{"Erfc", algebra.Poly{"a": -rootHalf}, algebra.Poly{"ab": 0.5}, "_Gelu", false, "x/2·erfc(-x/√2) is gelu"},
	{"Tanh", algebra.Poly{"a": rootTwoOverPi, "aaa": rootTwoOverPi * 0.044715}, algebra.Poly{"a": 0.5, "ab": 0.5}, "_Gelu", true,
		"x/2·(1+tanh(√(2/π)·(x+0.044715·x³))) is gelu's approximation"},
	{"Sigmoid", algebra.Poly{"a": 1}, algebra.Poly{"ab": 1}, "_Swish", false, "x·sigmoid(x) is swish"},
	{"Relu6", algebra.Poly{"": 3, "a": 1}, algebra.Poly{"ab": 1. / 6}, "_HardSwish", false, "x·relu6(x+3)/6 is hard-swish"},
}

// Activation replaces nodes that compute gelu, swish, hard-swish, a parametric relu or a gated tanh by a single
// node. The constants must be those of the function, except for rounding to f32. The intermediate results must not
// be read by other nodes.
func Activation(s *edit.State) (bool, error) {
	p, order, err := algebra.NewPattern(s)
	if err != nil {
		return false, err
	}
	for _, n := range order {
		if !prelu(p, n) || !gatedTanh(p, n) {
			return p.Apply(), nil
		}
		for i := range spelledOut {
			a := &spelledOut[i]
			if n.Op != a.inner || len(n.Ins) != 1 || n.Outs[0].DType != tensor.Float32 {
				continue
			}
			if fuel := activation(p, n, a); !fuel {
				return p.Apply(), nil
			}
		}
	}
	return p.Apply(), nil
}

// activation replaces the nodes that compute the activation a, if there are such nodes around f,
// the node of the inner function. It returns false if the pass may make no more changes, because
// its fuel is used up.
func activation(p *algebra.Pattern, f *ir.Node, a *spelled) bool {
	for _, x := range arguments(p, f) {
		al := &algebra.Algebra{Env: map[ir.Out]algebra.Poly{x: algebra.Variable(algebra.AtomX)}}
		arg, ok := al.Expand(f.Ins[0], 6)
		if !ok || !arg.Is(a.arg) {
			continue
		}
		fo := ir.Out{Node: f}
		al.Env[fo] = algebra.Variable(algebra.AtomF)
		var root *ir.Node
		p.Forward(fo, 12, func(n *ir.Node) bool {
			y, ok := al.Expand(ir.Out{Node: n}, 6)
			if ok && root == nil && y.Is(a.y) && algebra.SameF32(x, ir.Out{Node: n}) {
				root = n
			}
			return ok && root == nil
		})
		if root == nil {
			continue
		}
		inner := map[*ir.Node]bool{f: true}
		al.Trail = al.Trail[:0]
		al.Expand(f.Ins[0], 6)
		al.Expand(ir.Out{Node: root}, 6)
		for _, n := range al.Trail {
			inner[n] = true
		}
		if why := p.Hinders(inner, root); why != "" {
			p.E.Refuse(root, a.why+", but "+why)
			continue
		}
		attrs := map[string]ir.Attr{"T": tensor.Float32}
		if a.op == "_Gelu" {
			attrs["approximate"] = a.tanh
		}
		return p.Put(root, inner, a.op, attrs, a.why, x)
	}
	return true
}

// arguments returns tensors that may be the argument x: the input of f may be a polynomial in each
// of them. Near tensors come first.
func arguments(p *algebra.Pattern, f *ir.Node) []ir.Out {
	var outs []ir.Out
	seen := map[ir.Out]bool{}
	queue := []ir.Out{f.Ins[0]}
	for len(queue) > 0 && len(outs) < 16 {
		o := queue[0]
		queue = queue[1:]
		if seen[o] || o.Node.Op == "Const" {
			continue
		}
		seen[o] = true
		outs = append(outs, o)
		switch o.Node.Op {
		case "Mul", "Add", "AddV2", "RealDiv", "Div", "Neg", "Square", "Pow", "Sub":
			queue = append(queue, o.Node.Ins...)
		}
	}
	return outs
}

// prelu replaces n and the nodes before it if n is Relu(x) + b·Relu(-x), which Keras writes for its layer PReLU
// with b = -alpha. It returns false if the pass may make no more changes, because its fuel is used up.
func prelu(p *algebra.Pattern, n *ir.Node) bool {
	if n.Op != "AddV2" && n.Op != "Add" || n.Outs[0].DType != tensor.Float32 {
		return true
	}
	// of returns the input of o's node if the node has the op.
	of := func(o ir.Out, op string) (ir.Out, bool) {
		if o.Node.Op != op || len(o.Node.Ins) == 0 {
			return ir.Out{}, false
		}
		return o.Node.Ins[0], true
	}
	for i := range 2 {
		x, ok := of(n.Ins[i], "Relu")
		product := n.Ins[1-i].Node
		if !ok || product.Op != "Mul" {
			continue
		}
		for k := range 2 {
			minus, ok := of(product.Ins[k], "Relu")
			if !ok {
				continue
			}
			if neg, ok := of(minus, "Neg"); !ok || neg != x {
				continue
			}
			inner := map[*ir.Node]bool{n.Ins[i].Node: true, product: true, product.Ins[k].Node: true, minus.Node: true, n: true}
			const why = "relu(x) + b·relu(-x) is a parametric relu"
			if !algebra.SameF32(x, ir.Out{Node: n}) {
				continue
			}
			if h := p.Hinders(inner, n); h != "" {
				p.E.Refuse(n, why+", but "+h)
				continue
			}
			return p.Put(n, inner, "_Prelu", map[string]ir.Attr{"T": tensor.Float32}, why, x, product.Ins[1-k])
		}
	}
	return true
}

// gatedTanh replaces n and the nodes before it if n is tanh(a)·sigmoid(b) with a and b of n's shape: the gated
// activation unit of A. van den Oord et al., Conditional Image Generation with PixelCNN Decoders, 2016. It returns
// false if the pass may make no more changes, because its fuel is used up.
func gatedTanh(p *algebra.Pattern, n *ir.Node) bool {
	if n.Op != "Mul" || n.Outs[0].DType != tensor.Float32 {
		return true
	}
	tanh, sigmoid := n.Ins[0].Node, n.Ins[1].Node
	if tanh.Op == "Sigmoid" {
		tanh, sigmoid = sigmoid, tanh
	}
	if tanh.Op != "Tanh" || sigmoid.Op != "Sigmoid" || len(tanh.Ins) != 1 || len(sigmoid.Ins) != 1 {
		return true
	}
	a, b := tanh.Ins[0], sigmoid.Ins[0]
	if !algebra.SameF32(a, ir.Out{Node: n}) || !algebra.SameF32(b, ir.Out{Node: n}) {
		return true
	}
	const why = "tanh(a)·sigmoid(b) needs one division"
	inner := map[*ir.Node]bool{tanh: true, sigmoid: true, n: true}
	if h := p.Hinders(inner, n); h != "" {
		p.E.Refuse(n, why+", but "+h)
		return true
	}
	return p.Put(n, inner, "_GatedTanh", map[string]ir.Attr{"T": tensor.Float32}, why, a, b)
}
