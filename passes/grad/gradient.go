package grad

import (
	"fmt"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Body is a function under construction. Each argument and each result is a single tensor.
type Body struct {
	G  *ir.Graph
	Fn *ir.Function
}

// NewBody begins the body of the gradient of a function or op.
func NewBody(of string, lib *ir.Library) *Body {
	g := ir.NewGraph("the gradient of " + of)
	g.Library = lib
	return &Body{g, &ir.Function{Name: g.Name, Body: g}}
}

// Arg appends an argument.
func (b *Body) Arg(d tensor.DType) ir.Out {
	i := int64(len(b.Fn.Args))
	n := b.G.NewNode(fmt.Sprintf("arg_%d", i), "_Arg", map[string]ir.Attr{"T": d, "index": i}, 1)
	n.Outs[0].DType = d
	b.Fn.Args = append(b.Fn.Args, ir.Param{Name: n.Name, DType: d})
	return ir.Out{Node: n}
}

// Ret appends a result.
func (b *Body) Ret(o ir.Out) {
	i, d := int64(len(b.Fn.Rets)), o.Fact().DType
	n := b.G.NewNode(fmt.Sprintf("ret_%d", i), "_Retval", map[string]ir.Attr{"T": d, "index": i}, 0, o)
	b.Fn.Rets = append(b.Fn.Rets, ir.Param{Name: n.Name, DType: d})
}

// node appends a node. The types are those of its outputs.
func (b *Body) node(name, op string, attrs map[string]ir.Attr, types []tensor.DType, ins ...ir.Out) *ir.Node {
	n := b.G.NewNode(name, op, attrs, len(types), ins...)
	for i, d := range types {
		n.Outs[i].DType = d
	}
	return n
}

// Prune drops nodes that no result and no effect needs. Among them may be a SymbolicGradient of an
// op that has no gradient, which would otherwise be an error.
func (b *Body) Prune(l *edit.Levels) {
	var roots []*ir.Node
	for _, n := range b.G.Nodes {
		if n.Op == "_Arg" || n.Op == "_Retval" || n.Op != "SymbolicGradient" && l.Of(n) == lower.Effects {
			roots = append(roots, n)
		}
	}
	b.G.Keep(edit.Upstream(roots...))
}

// Backprop walks a copied body from its results to its arguments. It visits a node after all
// readers of the node.
type Backprop struct {
	B       *Body
	Grads   map[ir.Out][]ir.Out // tensor → the terms of its gradient, one from each reader
	Pending map[*ir.Node]int    // node → how many readers are not yet visited
	ready   []*ir.Node
}

// Count finds the nodes on which the results depend. For each of them, it counts in Pending how
// many inputs and results read the node.
func (p *Backprop) Count(results []ir.Out) {
	seen := map[*ir.Node]bool{}
	var queue []*ir.Node
	read := func(o ir.Out) {
		p.Pending[o.Node]++
		if !seen[o.Node] {
			seen[o.Node] = true
			queue = append(queue, o.Node)
		}
	}
	for _, o := range results {
		read(o)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, o := range queue[0].Ins {
			read(o)
		}
	}
}

// Along adds one term to the gradient of tensor o. The zero Out is a term that is zero.
func (p *Backprop) Along(part, o ir.Out) {
	if part.Node != nil {
		p.Grads[o] = append(p.Grads[o], part)
	}
	if p.Pending[o.Node]--; p.Pending[o.Node] == 0 {
		p.ready = append(p.ready, o.Node)
	}
}

// Run adds a SymbolicGradient for each node, from the results backwards. It skips arguments and
// nodes whose gradient is always zero.
func (p *Backprop) Run(ops *lower.Table) {
	for ; len(p.ready) > 0; p.ready = p.ready[1:] {
		n := p.ready[0]
		if n.Op == "_Arg" {
			continue
		}
		if ops.Trait(n.Op, lower.NoGradient) {
			for _, o := range n.Ins {
				p.Along(ir.Out{}, o)
			}
			continue
		}
		ins := append([]ir.Out(nil), n.Ins...)
		var in, out []tensor.DType
		for _, o := range n.Ins {
			d := o.Fact().DType
			in = append(in, d)
			if d == tensor.Resource {
				d = tensor.Float32
			}
			out = append(out, d)
		}
		for i := range n.Outs {
			dy := p.Sum(ir.Out{Node: n, Index: i})
			ins = append(ins, dy)
			in = append(in, dy.Fact().DType)
		}
		g := p.B.node("backward/"+n.Name[len("forward/"):], "SymbolicGradient", map[string]ir.Attr{"Tin": in, "Tout": out,
			"f": ir.Func{Name: n.Op, Attrs: n.Attrs}}, out, ins...)
		g.Device, g.Origin = n.Device, n.Origin
		for i, o := range n.Ins {
			p.Along(ir.Out{Node: g, Index: i}, o)
		}
	}
}

// Sum returns the sum of the terms of a tensor's gradient. It returns zeros for a bool or for a
// tensor without terms.
func (p *Backprop) Sum(o ir.Out) ir.Out {
	parts, d := p.Grads[o], o.Fact().DType
	switch {
	case len(parts) == 0 || d == tensor.Bool:
		if d == tensor.Resource {
			d = tensor.Float32
			o = ir.Out{Node: p.B.node("read", "ReadVariableOp", map[string]ir.Attr{"dtype": d}, []tensor.DType{d}, o)}
		}
		return ir.Out{Node: p.B.node("zeros", "ZerosLike", map[string]ir.Attr{"T": d}, []tensor.DType{d}, o)}
	case len(parts) == 1:
		return parts[0]
	}
	d = parts[0].Fact().DType
	return ir.Out{Node: p.B.node("sum", "AddN", map[string]ir.Attr{"T": d, "N": int64(len(parts))}, []tensor.DType{d}, parts...)}
}
