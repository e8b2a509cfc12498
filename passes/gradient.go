package passes

import (
	"fmt"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// gradient puts the backward pass of f in the place of a SymbolicGradient, whose
// inputs are those of f and the gradients of its outputs, and whose outputs are
// the gradients of f's inputs. It is a call
//
//   - of the function that the library names as the gradient of f,
//   - else, where f is a function, of a copy of its body with a SymbolicGradient of
//     each node after it, in reverse,
//   - else, where f is an op, of the nodes that its row in gradients makes.
//
// NotFound where f is an op without a gradient.
func (x *inliner) gradient(n *ir.Node, stack []string) error {
	f, ok := n.Attrs["f"].(ir.Func)
	if !ok {
		return tensor.Errorf(tensor.InvalidArgument, "attribute f names no function")
	}
	if lib := x.g.Library; lib != nil {
		if own := lib.Gradients[f.Name]; own != "" {
			fn, attrs, err := x.named(ir.Func{Name: own, Attrs: f.Attrs})
			if err != nil {
				return err
			}
			return x.expand(n, fn, attrs, stack)
		}
		if fn := lib.Functions[f.Name]; fn != nil {
			back, err := x.functionGradient(fn, f.Attrs)
			if err != nil {
				return err
			}
			return x.expand(n, back, nil, stack)
		}
	}
	back, err := opGradient(x.s.o.Ops, n, f, x.g.Library)
	if err != nil {
		return err
	}
	return x.expand(n, back, nil, stack)
}

// gradientLevel is the level of a SymbolicGradient: that of the function it calls.
func (l *levels) gradientLevel(n *ir.Node) lower.Level {
	f, _ := n.Attrs["f"].(ir.Func)
	if l.lib == nil {
		return lower.Pure
	}
	if own := l.lib.Gradients[f.Name]; own != "" {
		return l.function(own)
	}
	if l.lib.Functions[f.Name] == nil {
		return lower.Pure // what the gradients of ops are made of
	}
	return l.function(f.Name)
}

// gradientBody is a function being made: its arguments and results are one tensor each.
type gradientBody struct {
	g  *ir.Graph
	fn *ir.Function
}

func newGradientBody(of string, lib *ir.Library) *gradientBody {
	g := ir.NewGraph("the gradient of " + of)
	g.Library = lib
	return &gradientBody{g, &ir.Function{Name: g.Name, Body: g}}
}

// arg appends an argument.
func (b *gradientBody) arg(d tensor.DType) ir.Out {
	i := int64(len(b.fn.Args))
	n := b.g.NewNode(fmt.Sprintf("arg_%d", i), "_Arg", map[string]ir.Attr{"T": d, "index": i}, 1)
	n.Outs[0].DType = d
	b.fn.Args = append(b.fn.Args, ir.Param{Name: n.Name, DType: d})
	return ir.Out{Node: n}
}

// ret appends a result.
func (b *gradientBody) ret(o ir.Out) {
	i, d := int64(len(b.fn.Rets)), o.Fact().DType
	n := b.g.NewNode(fmt.Sprintf("ret_%d", i), "_Retval", map[string]ir.Attr{"T": d, "index": i}, 0, o)
	b.fn.Rets = append(b.fn.Rets, ir.Param{Name: n.Name, DType: d})
}

// node appends a node with outputs of the types given.
func (b *gradientBody) node(name, op string, attrs map[string]ir.Attr, types []tensor.DType, ins ...ir.Out) *ir.Node {
	n := b.g.NewNode(name, op, attrs, len(types), ins...)
	for i, d := range types {
		n.Outs[i].DType = d
	}
	return n
}

// functionGradient makes the gradient of a function called with attrs.
func (x *inliner) functionGradient(f *ir.Function, attrs map[string]ir.Attr) (*ir.Function, error) {
	if f.Body == nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "function %q has no body", f.Name)
	}
	b := newGradientBody(f.Name, x.g.Library)
	call := &ir.Node{Attrs: attrs}
	flat := func(ps []ir.Param) ([]ir.Out, error) {
		var os []ir.Out
		for _, p := range ps {
			ts, ok := types(call, nil, p)
			if !ok {
				return nil, tensor.Errorf(tensor.InvalidArgument, "the attributes do not tell the type of %q of function %q", p.Name, f.Name)
			}
			for _, d := range ts {
				os = append(os, b.arg(d))
			}
		}
		return os, nil
	}
	xs, err := flat(f.Args)
	if err != nil {
		return nil, err
	}
	dys, err := flat(f.Rets)
	if err != nil {
		return nil, err
	}
	ys, err := x.copied(b.g, f, attrs, xs, len(dys))
	if err != nil {
		return nil, err
	}
	p := &backprop{b: b, grads: map[ir.Out][]ir.Out{}, pending: map[*ir.Node]int{}}
	p.count(ys)
	for i, y := range ys {
		p.along(dys[i], y)
	}
	p.run(x.s.o.Ops)
	dxs := make([]ir.Out, len(xs))
	for i, o := range xs {
		dxs[i] = p.sum(o)
	}
	for _, o := range dxs {
		b.ret(o)
	}
	b.prune(x.s.levels)
	return b.fn, nil
}

// copied appends the body of f to a graph and returns its results.
func (x *inliner) copied(g *ir.Graph, f *ir.Function, attrs map[string]ir.Attr, args []ir.Out, nrets int) ([]ir.Out, error) {
	in := &instance{inliner: &inliner{s: x.s, g: g}, call: &ir.Node{Name: "forward"}, name: "forward", f: f, attrs: attrs,
		args: args, nrets: nrets, node: make(map[*ir.Node]*ir.Node, len(f.Body.Nodes))}
	at, nargs, err := offsets(f.Args, attrs)
	if err != nil {
		return nil, err
	}
	if nargs != len(args) {
		return nil, tensor.Errorf(tensor.Internal, "function %q has %d arguments, its types tell %d", f.Name, nargs, len(args))
	}
	clones, err := in.clone()
	if err != nil {
		return nil, err
	}
	if err := in.wire(at); err != nil {
		return nil, err
	}
	in.controls()
	if err := in.results(at); err != nil {
		return nil, err
	}
	g.Nodes = append(g.Nodes, clones...)
	return in.rets, nil
}

// prune drops what no result and no effect needs: an op without a gradient may
// stand where nothing asks for it.
func (b *gradientBody) prune(l *levels) {
	keep := map[*ir.Node]bool{}
	var work []*ir.Node
	visit := func(n *ir.Node) {
		if !keep[n] {
			keep[n] = true
			work = append(work, n)
		}
	}
	for _, n := range b.g.Nodes {
		if n.Op == "_Arg" || n.Op == "_Retval" || n.Op != "SymbolicGradient" && l.of(n) == lower.Effects {
			visit(n)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, o := range n.Ins {
			visit(o.Node)
		}
		for _, c := range n.Controls {
			visit(c)
		}
	}
	b.g.Keep(keep)
}

// backprop walks a copied body from its results to its arguments. A node's turn
// comes when all who read it have had theirs.
type backprop struct {
	b       *gradientBody
	grads   map[ir.Out][]ir.Out // what the readers of a tensor contribute to its gradient
	pending map[*ir.Node]int    // how many readers' turns are still to come
	ready   []*ir.Node
}

// count finds the nodes that results come from, and how many of these read each.
func (p *backprop) count(results []ir.Out) {
	seen := map[*ir.Node]bool{}
	var queue []*ir.Node
	read := func(o ir.Out) {
		p.pending[o.Node]++
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

// along adds a part of a tensor's gradient; the zero Out is a part that is zero.
func (p *backprop) along(part, o ir.Out) {
	if part.Node != nil {
		p.grads[o] = append(p.grads[o], part)
	}
	if p.pending[o.Node]--; p.pending[o.Node] == 0 {
		p.ready = append(p.ready, o.Node)
	}
}

// run has the turns of all nodes but arguments.
func (p *backprop) run(ops *lower.Table) {
	for ; len(p.ready) > 0; p.ready = p.ready[1:] {
		n := p.ready[0]
		if n.Op == "_Arg" {
			continue
		}
		if ops.Trait(n.Op, lower.NoGradient) {
			for _, o := range n.Ins {
				p.along(ir.Out{}, o)
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
			dy := p.sum(ir.Out{Node: n, Index: i})
			ins = append(ins, dy)
			in = append(in, dy.Fact().DType)
		}
		g := p.b.node("backward/"+n.Name[len("forward/"):], "SymbolicGradient", map[string]ir.Attr{"Tin": in, "Tout": out,
			"f": ir.Func{Name: n.Op, Attrs: n.Attrs}}, out, ins...)
		g.Device, g.Origin = n.Device, n.Origin
		for i, o := range n.Ins {
			p.along(ir.Out{Node: g, Index: i}, o)
		}
	}
}

// sum returns a tensor's gradient: of a bool, and of what no reader contributes to, zeros.
func (p *backprop) sum(o ir.Out) ir.Out {
	parts, d := p.grads[o], o.Fact().DType
	switch {
	case len(parts) == 0 || d == tensor.Bool:
		if d == tensor.Resource {
			d = tensor.Float32
			o = ir.Out{Node: p.b.node("read", "ReadVariableOp", map[string]ir.Attr{"dtype": d}, []tensor.DType{d}, o)}
		}
		return ir.Out{Node: p.b.node("zeros", "ZerosLike", map[string]ir.Attr{"T": d}, []tensor.DType{d}, o)}
	case len(parts) == 1:
		return parts[0]
	}
	d = parts[0].Fact().DType
	return ir.Out{Node: p.b.node("sum", "AddN", map[string]ir.Attr{"T": d, "N": int64(len(parts))}, []tensor.DType{d}, parts...)}
}
