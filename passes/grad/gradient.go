package grad

import (
	"fmt"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Body is a function whose body is being built. Each argument and each result consists of a single
// tensor.
type Body struct {
	G  *ir.Graph
	Fn *ir.Function
}

// NewBody returns an empty body for the gradient of the function or op with the given name.
func NewBody(of string, lib *ir.Library) *Body {
	g := ir.NewGraph("the gradient of " + of)
	g.Library = lib
	return &Body{g, &ir.Function{Name: g.Name, Body: g}}
}

// Arg adds an argument of type d to the function, and returns it.
func (b *Body) Arg(d tensor.DType) ir.Out {
	i := int64(len(b.Fn.Args))
	n := b.G.NewNode(fmt.Sprintf("arg_%d", i), "_Arg", map[string]ir.Attr{"T": d, "index": i}, 1)
	n.Outs[0].DType = d
	b.Fn.Args = append(b.Fn.Args, ir.Param{Name: n.Name, DType: d})
	return ir.Out{Node: n}
}

// Ret adds the result o to the function.
func (b *Body) Ret(o ir.Out) {
	i, d := int64(len(b.Fn.Rets)), o.Fact().DType
	n := b.G.NewNode(fmt.Sprintf("ret_%d", i), "_Retval", map[string]ir.Attr{"T": d, "index": i}, 0, o)
	b.Fn.Rets = append(b.Fn.Rets, ir.Param{Name: n.Name, DType: d})
}

// node adds a node to the body and returns it. Parameter types holds the types of its outputs.
func (b *Body) node(name, op string, attrs map[string]ir.Attr, types []tensor.DType, ins ...ir.Out) *ir.Node {
	n := b.G.NewNode(name, op, attrs, len(types), ins...)
	for i, d := range types {
		n.Outs[i].DType = d
	}
	return n
}

// Prune removes the nodes that are needed neither for a result nor for an effect. A
// SymbolicGradient of an op without a gradient would be an error; if it is not needed, Prune
// removes it.
func (b *Body) Prune(l *edit.Levels) {
	var roots []*ir.Node
	for _, n := range b.G.Nodes {
		if n.Op == "_Arg" || n.Op == "_Retval" || n.Op != "SymbolicGradient" && l.Of(n) == lower.Effects {
			roots = append(roots, n)
		}
	}
	b.G.Keep(edit.Upstream(roots...))
}

// Backprop computes the gradients of the nodes in a copied body. It visits the nodes from the
// results to the arguments; a node is visited after all nodes that read it.
type Backprop struct {
	B *Body
	// terms of the gradient of each tensor; each reader of the tensor contributes a term
	Grads   map[ir.Out][]ir.Out
	Pending map[*ir.Node]int // node → how many readers are not yet visited
	ready   []*ir.Node
}

// Count finds the nodes on which the results depend. For each such node n, it sets Pending[n] to
// the number of times that the outputs of n are used as inputs of such nodes or as results.
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

// Along adds a term to the gradient of tensor o, and decrements the number of terms that are still
// missing. If part is the zero value of ir.Out, the term is zero.
func (p *Backprop) Along(part, o ir.Out) {
	if part.Node != nil {
		p.Grads[o] = append(p.Grads[o], part)
	}
	if p.Pending[o.Node]--; p.Pending[o.Node] == 0 {
		p.ready = append(p.ready, o.Node)
	}
}

// Run adds a SymbolicGradient for each node, in the order from the results to the arguments. It
// adds none for arguments and for nodes whose gradient is always zero.
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
