package passes

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// spelled is an activation as graphs spell it out: y is a polynomial over the
// argument x and a function f of a polynomial arg over x.
type spelled struct {
	inner string // the op of f
	arg   poly
	y     poly
	op    string
	tanh  bool // attribute approximate
	why   string
}

var rootHalf, rootTwoOverPi = math.Sqrt(0.5), math.Sqrt(2 / math.Pi)

// spelledOut are the activations that are recognised. x is a, f is b.
var spelledOut = []spelled{
	{"Erf", poly{"a": rootHalf}, poly{"a": 0.5, "ab": 0.5}, "_Gelu", false, "x/2·(1+erf(x/√2)) is gelu"},
	{"Erfc", poly{"a": -rootHalf}, poly{"ab": 0.5}, "_Gelu", false, "x/2·erfc(-x/√2) is gelu"},
	{"Tanh", poly{"a": rootTwoOverPi, "aaa": rootTwoOverPi * 0.044715}, poly{"a": 0.5, "ab": 0.5}, "_Gelu", true,
		"x/2·(1+tanh(√(2/π)·(x+0.044715·x³))) is gelu's approximation"},
	{"Sigmoid", poly{"a": 1}, poly{"ab": 1}, "_Swish", false, "x·sigmoid(x) is swish"},
	{"Relu6", poly{"": 3, "a": 1}, poly{"ab": 1. / 6}, "_HardSwish", false, "x·relu6(x+3)/6 is hard-swish"},
}

// activation recognises gelu, swish and hard-swish. The constants must be the
// function's own, as f32 rounds them; nobody else may read what is in between.
func activation(s *state) (bool, error) {
	p, order, err := newPattern(s)
	if err != nil {
		return false, err
	}
	for _, n := range order {
		for i := range spelledOut {
			a := &spelledOut[i]
			if n.Op != a.inner || len(n.Ins) != 1 || n.Outs[0].DType != tensor.Float32 {
				continue
			}
			if fuel := p.activation(n, a); !fuel {
				return p.apply(), nil
			}
		}
	}
	return p.apply(), nil
}

// activation looks for one that f is the inner function of; false when fuel is out.
func (p *pattern) activation(f *ir.Node, a *spelled) bool {
	for _, x := range p.arguments(f) {
		al := &algebra{env: map[ir.Out]poly{x: variable(atomX)}}
		arg, ok := al.expand(f.Ins[0], 6)
		if !ok || !arg.is(a.arg) {
			continue
		}
		fo := ir.Out{Node: f}
		al.env[fo] = variable(atomF)
		var root *ir.Node
		p.forward(fo, 12, func(n *ir.Node) bool {
			y, ok := al.expand(ir.Out{Node: n}, 6)
			if ok && root == nil && y.is(a.y) && sameF32(x, ir.Out{Node: n}) {
				root = n
			}
			return ok && root == nil
		})
		if root == nil {
			continue
		}
		inner := map[*ir.Node]bool{f: true}
		al.trail = al.trail[:0]
		al.expand(f.Ins[0], 6)
		al.expand(ir.Out{Node: root}, 6)
		for _, n := range al.trail {
			inner[n] = true
		}
		if why := p.hinders(inner, root); why != "" {
			p.e.Refuse(root, a.why+", but "+why)
			continue
		}
		attrs := map[string]ir.Attr{"T": tensor.Float32}
		if a.op == "_Gelu" {
			attrs["approximate"] = a.tanh
		}
		return p.put(root, inner, a.op, attrs, a.why, x)
	}
	return true
}

// arguments returns the tensors that f's input may be a polynomial of, nearest first.
func (p *pattern) arguments(f *ir.Node) []ir.Out {
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
