package fuse

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Softmaxes replaces nodes that compute the softmax of rows by a single node. A row is a vector
// along the last dimension:
//
//	Softmax     e / Σ e           e = exp(x - max(x))
//	LogSoftmax  d - log(Σ exp(d)) d = x - max(x)
//
// In f32, Softmaxes also merges a softmax with the nodes before it if they are those of attention:
// _MaskedSoftmax is the softmax of scale·x + mask, where the mask is broadcast to the shape of x[B,
// H, T, N].
func Softmaxes(s *edit.State) (bool, error) {
	p, order, err := algebra.NewPattern(s)
	if err != nil {
		return false, err
	}
	fuel := true
	for _, n := range order {
		switch n.Op {
		case "RealDiv", "Div":
			fuel = spelledSoftmax(p, n)
		case "Sub":
			fuel = spelledLogSoftmax(p, n)
		case "Softmax":
			fuel = masked(p, n)
		}
		if !fuel {
			break
		}
	}
	return p.Apply(), nil
}

// lastReduced returns the input of n if n is a reduction by the given op over the last axis, with
// keep_dims. Otherwise, it returns false.
func lastReduced(n *ir.Node, op string) (ir.Out, bool) {
	if n.Op != op || len(n.Ins) != 2 || !n.Bool("keep_dims") {
		return ir.Out{}, false
	}
	s := n.Ins[0].Fact().Shape
	axes, ok := algebra.Ints(n.Ins[1])
	if !ok || !s.Known || len(s.Dims) == 0 || len(axes) != 1 || axes[0] != -1 && axes[0] != len(s.Dims)-1 {
		return ir.Out{}, false
	}
	return n.Ins[0], true
}

// lessMax returns x if n computes x - max(x), where the maximum is that of a row. Otherwise, it
// returns false.
func lessMax(n *ir.Node) (ir.Out, bool) {
	if n.Op != "Sub" || len(n.Ins) != 2 {
		return ir.Out{}, false
	}
	x, ok := lastReduced(n.Ins[1].Node, "Max")
	d := n.Outs[0].DType
	return x, ok && x == n.Ins[0] && (d == tensor.Float32 || d == tensor.Float64)
}

func spelledSoftmax(p *algebra.Pattern, n *ir.Node) bool {
	if len(n.Ins) != 2 {
		return true
	}
	e := n.Ins[0].Node
	of, ok := lastReduced(n.Ins[1].Node, "Sum")
	if !ok || of != n.Ins[0] || e.Op != "Exp" {
		return true
	}
	d := e.Ins[0].Node
	x, ok := lessMax(d)
	inner := map[*ir.Node]bool{e: true, d: true, n.Ins[1].Node: true}
	if ok {
		inner[d.Ins[1].Node] = true
	}
	if !ok {
		return true
	}
	if why := p.Hinders(inner, n); why != "" {
		p.E.Refuse(n, "it is a softmax, but "+why)
		return true
	}
	return p.Put(n, inner, "Softmax", map[string]ir.Attr{"T": n.Outs[0].DType}, "exp(x-max(x)) over its sum is softmax", x)
}

func spelledLogSoftmax(p *algebra.Pattern, n *ir.Node) bool {
	if len(n.Ins) != 2 {
		return true
	}
	d, l := n.Ins[0].Node, n.Ins[1].Node
	x, ok := lessMax(d)
	if !ok || l.Op != "Log" || len(l.Ins) != 1 {
		return true
	}
	sum := l.Ins[0].Node
	e, ok := lastReduced(sum, "Sum")
	if !ok || e.Node.Op != "Exp" || e.Node.Ins[0].Node != d {
		return true
	}
	inner := map[*ir.Node]bool{d: true, l: true, sum: true, e.Node: true, d.Ins[1].Node: true}
	if why := p.Hinders(inner, n); why != "" {
		p.E.Refuse(n, "it is a log-softmax, but "+why)
		return true
	}
	return p.Put(n, inner, "LogSoftmax", map[string]ir.Attr{"T": n.Outs[0].DType}, "x-max(x) less the logarithm of its exp's sum is log-softmax", x)
}

// masked merges the softmax n with the multiplication by a scale and the addition of a mask before
// it. One of these two nodes may be missing. masked returns false if the pass may make no more
// changes, because its fuel is used up.
func masked(p *algebra.Pattern, n *ir.Node) bool {
	x := n.Ins[0]
	out := n.Outs[0].Shape
	if n.Outs[0].DType != tensor.Float32 || out.Rank() != 4 || p.Gone[n] {
		return true
	}
	inner := map[*ir.Node]bool{}
	attrs := map[string]ir.Attr{"T": tensor.Float32, "scale": float32(1)}
	var ins []ir.Out
	if a := x.Node; (a.Op == "Add" || a.Op == "AddV2") && len(a.Ins) == 2 && a.Ins[0] != a.Ins[1] {
		for i, o := range a.Ins {
			m := a.Ins[1-i]
			if o.Fact().Shape.Equal(out) && maskOf(m.Fact().Shape, out) && !(i == 0 && m.Fact().Shape.Equal(out) && scaled(m) != 0 && scaled(o) == 0) {
				inner[a] = true
				x, ins = o, []ir.Out{m}
				break
			}
		}
	}
	if c := scaled(x); c != 0 {
		m := x.Node
		t := map[*ir.Node]bool{m: true}
		for k := range inner {
			t[k] = true
		}
		if p.Private(t, n) {
			inner, attrs["scale"] = t, float32(c)
			if x = m.Ins[0]; m.Ins[0].Node.Op == "Const" {
				x = m.Ins[1]
			}
		}
	}
	if len(inner) == 0 || !x.Fact().Shape.Equal(out) {
		return true
	}
	if why := p.Hinders(inner, n); why != "" {
		p.E.Refuse(n, "scaling and mask are not joined with it: "+why)
		return true
	}
	return p.Put(n, inner, "_MaskedSoftmax", attrs, "scaling and mask join the softmax", append([]ir.Out{x}, ins...)...)
}

// scaled returns c if o is the product of a tensor with a constant c, or a quotient that is exactly
// equal to such a product. Otherwise, it returns 0.
func scaled(o ir.Out) float64 {
	n := o.Node
	if n.Op != "Mul" && n.Op != "RealDiv" || len(n.Ins) != 2 || o.Fact().DType != tensor.Float32 {
		return 0
	}
	c, ok := edit.Uniform(n.Ins[1].Node.Value())
	if !ok && n.Op == "Mul" {
		c, ok = edit.Uniform(n.Ins[0].Node.Value())
	}
	if !ok || c == 0 || math.IsNaN(c) || math.IsInf(c, 0) {
		return 0
	}
	if n.Op == "RealDiv" {
		if !algebra.ExactInverse(c, tensor.Float32) {
			return 0
		}
		c = 1 / c
	}
	return c
}

// maskOf reports whether a mask of shape m can be broadcast to the shape rows, which is [B, H, T,
// N]. The last axis must not be broadcast.
func maskOf(m, rows ir.Shape) bool {
	if !m.Known || !rows.Known || len(m.Dims) == 0 || len(m.Dims) > len(rows.Dims) {
		return false
	}
	for i := range m.Dims {
		r := rows.Dims[len(rows.Dims)-1-i]
		if d := m.Dims[len(m.Dims)-1-i]; !d.Equal(r) && (i == 0 || !d.Is(1)) {
			return false
		}
	}
	return true
}
