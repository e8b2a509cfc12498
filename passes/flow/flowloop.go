package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// carried adds a loop variable that replaces the Merge n, and returns its value. The initial value
// is that of init, an Enter; the later values are those of the NextIterations nexts.
func (r *regions) carried(n *flowNode, nexts []*flowNode, init *flowNode) ir.Out {
	l := n.loop
	at := r.base(l)
	again := never
	for _, x := range nexts {
		again = r.or(l, again, r.aliveness.node(x))
	}
	first, ok := r.first(n, init, l)
	if !ok || again == never {
		return first
	}
	var v ir.Out
	if n.Kind == mergeNode {
		v = r.become(n, ir.LoopVarOp, at, r.controls(n.orders, n.Node), first)
	} else {
		v = r.add(n, "carried", ir.LoopVarOp, at, first.Fact().DType, first)
	}
	r.later = append(r.later, func() {
		b := r.region(l, again)
		var o ir.Out
		var controls []*ir.Node
		if len(nexts) == 1 {
			o = r.at(nexts[0].ins[0], l, b)
			controls = r.controls(nexts[0].orders, nil)
		} else {
			var ys []ir.Out
			for _, x := range nexts {
				if t := r.aliveness.node(x); t != never {
					c := r.region(l, t)
					y := r.yield(x, c, r.at(x.ins[0], l, c))
					y.Node.Controls = r.controls(x.orders, nil)
					ys = append(ys, y)
				}
			}
			o = r.add(n, "next", ir.MergeOp, b, v.Fact().DType, ys...)
		}
		var next ir.Out
		if x := nexts[0]; len(nexts) == 1 && !r.keep[x.Node] {
			next = r.become(x, ir.NextOp, b, controls, o)
		} else {
			next = r.add(n, "next", ir.NextOp, b, v.Fact().DType, o)
			next.Node.Controls = controls
		}
		v.Node.Ins = append(v.Node.Ins, next)
	})
	return v
}

// first returns the initial value of a loop variable, a tensor from outside the loop.
func (r *regions) first(n, init *flowNode, l *flowLoop) (ir.Out, bool) {
	if init == nil {
		return r.zero(n, n.types[0])
	}
	at := r.base(l).Parent
	t := r.aliveness.node(init)
	if t == never {
		return r.zero(n, n.types[0])
	}
	v := r.value(ir.Out{Node: init.Node})
	if r.d.implies(l.entry, t) {
		return r.reach(v, at), true
	}
	z, ok := r.zero(n, v.Fact().DType)
	if !ok {
		return z, false
	}
	none := r.yield(init, at, z)
	b := r.branch(t, at)
	y := r.yield(init, b, r.reach(v, b))
	y.Node.Controls = []*ir.Node{none.Node}
	return r.add(init, "first", ir.MergeOp, at, v.Fact().DType, none, y), true
}

// same reports whether no iteration changes a loop variable: the NextIterations nexts pass the
// value of the Merge n on without changing it. In this case, same records in r.holds for which
// nodes the NextIterations, and the nodes between n and them, wait.
func (r *regions) same(n *flowNode, nexts []*flowNode) bool {
	var waits []*ir.Node
	for _, x := range nexts {
		waits = append(waits, x.orders...)
		o := x.ins[0]
		for {
			f := r.of[o.Node]
			if f == n && o.Index == 0 {
				break
			}
			if len(f.ins) == 0 || f.Kind != switchNode && f.op != "Identity" || f.loop != n.loop {
				return false
			}
			waits = append(waits, f.orders...)
			o = f.ins[0]
		}
	}
	r.holds[n] = waits
	return true
}

// changes reports whether an iteration changes a variable of loop l. If not, the loop either does
// not run or never ends, so the nodes after it must not run.
func (r *regions) changes(l *flowLoop) bool {
	for _, n := range l.nodes {
		if n.carries && r.value(ir.Out{Node: n.Node}).Node.Region.InnerLoop() == l.region {
			return true
		}
	}
	return false
}

// exit returns the tensor that replaces the output of n, an Exit. If the loop does not change its
// value, this is the value before the loop, provided that the graph does not depend on whether the
// loop has run.
func (r *regions) exit(n *flowNode) ir.Out {
	l := n.loop
	x := r.aliveness.node(n)
	t := r.left(n)
	if t == never {
		return ir.Out{Node: n.Node}
	}
	base := r.base(l)
	v := r.value(n.ins[0])
	r.placed(v)
	outer := v.Node.Region.Encloses(base.Parent)
	if outer && r.lasts(n) && !l.effects && !r.waited[n.Node] && len(n.orders) == 0 && r.changes(l) {
		r.journal(n, v, "the loop passes it through")
		return v
	}
	b := r.region(l, x)
	if r.lasts(n) && v.Node.Region.Encloses(base) {
		b = base
	}
	y := r.yield(n, b, r.reach(v, b))
	waits := n.orders
	if m := r.of[r.identity(n.ins[0]).Node]; m.carries {
		waits = append(waits[:len(waits):len(waits)], r.holds[m]...)
	}
	y.Node.Controls = r.controls(waits, y.Node)
	return r.become(n, ir.MergeOp, r.region(l.parent, t), nil, y)
}

// which returns the tensor that replaces output value_index of n, the Merge of a loop variable.
func (r *regions) which(n, init *flowNode, nexts []*flowNode, others []ir.Out, t truth) ir.Out {
	l := n.loop
	base := r.base(l)
	place := func(o ir.Out) ir.Out {
		for i, in := range n.ins {
			if in == o {
				return r.number(int32(i))
			}
		}
		return r.number(0)
	}
	first := r.number(0)
	if init != nil {
		first = place(ir.Out{Node: init.Node})
	}
	v := r.add(n, "index", ir.LoopVarOp, base, tensor.Int32, first)
	r.later = append(r.later, func() {
		var ys []ir.Out
		for _, x := range nexts {
			if p := r.aliveness.node(x); p != never {
				ys = append(ys, r.yield(n, r.region(l, p), place(ir.Out{Node: x.Node})))
			}
		}
		next, at := first, base
		if len(ys) > 0 {
			at = r.region(l, r.again(n))
			next = r.add(n, "index_next", ir.MergeOp, at, tensor.Int32, ys...)
		}
		v.Node.Ins = append(v.Node.Ins, r.add(n, "index_next", ir.NextOp, at, tensor.Int32, next))
	})
	if len(others) == 0 {
		return v
	}
	b := r.region(l, r.cond(condition{kind: mergeCond, loop: l, out: ir.Out{Node: n.Node}}, false))
	ys := []ir.Out{r.yield(n, b, v)}
	for _, o := range others {
		if p := r.out(o, l); p != never {
			ys = append(ys, r.yield(n, r.region(l, p), place(o)))
		}
	}
	return r.add(n, "index", ir.MergeOp, r.region(l, t), tensor.Int32, ys...)
}
