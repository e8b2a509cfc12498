package flow

import (
	"fmt"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// base returns the region of loop l, which contains all nodes of the loop. If l is nil, it returns
// nil.
func (r *regions) base(l *flowLoop) *ir.Region {
	if l == nil {
		return nil
	}
	if l.region == nil {
		parent := r.region(l.parent, l.entry)
		l.region = &ir.Region{Name: r.name(l.frame.Name), Parent: parent, Loop: true}
		r.later = append(r.later, func() { l.region.Cond = r.flag(l.runs, l.region, l.frame.enter) })
	}
	return l.region
}

// name returns an unused name for a region.
func (r *regions) name(base string) string {
	name := base
	for r.names[name] > 0 {
		name = fmt.Sprintf("%s_%d", base, r.names[base])
		r.names[base]++
	}
	r.names[name]++
	return name
}

// region returns the region in loop l in which nodes run if the function t is true. t must not be
// the constant never.
func (r *regions) region(l *flowLoop, t truth) *ir.Region { return r.branch(t, r.base(l)) }

// branch returns a region in which nodes run if the function t is true. The region is inside
// another region, the parameter at. If t is a conjunction of conditions, there is a nested region
// for each condition. For any other function, a tensor with its value is computed at run time,
// which is the condition of a single region.
func (r *regions) branch(t truth, at *ir.Region) *ir.Region {
	for t != always && t != never {
		d := r.d.nodes[t]
		switch {
		case d.lo == never:
			at, t = r.literal(d.on, false, at), d.hi
		case d.hi == never:
			at, t = r.literal(d.on, true, at), d.lo
		default:
			k := branchKey{at, -int32(t), false}
			b := r.branches[k]
			if b == nil {
				c := r.flag(t, at, nil)
				b = &ir.Region{Name: r.name(c.Node.Name), Parent: at, Cond: c}
				r.branches[k] = b
			}
			return b
		}
	}
	return at
}

// literal returns a region in which nodes run if a condition is true or, if the parameter neg is
// true, if the condition is false. The parameter on is the number of the condition. The region is
// inside another region, the parameter at.
func (r *regions) literal(on int32, neg bool, at *ir.Region) *ir.Region {
	k := branchKey{at, on, neg}
	if b := r.branches[k]; b != nil {
		return b
	}
	c := r.reach(r.condition(on), at)
	name := c.Node.Name + "/true"
	if neg {
		name = c.Node.Name + "/false"
	}
	b := &ir.Region{Name: r.name(name), Parent: at, Cond: c, Neg: neg}
	r.branches[k] = b
	return b
}

// flag returns a bool tensor with the value of the function t. The parameter at is the region of
// the tensor.
func (r *regions) flag(t truth, at *ir.Region, from *flowNode) ir.Out {
	if t == always || t == never {
		return r.boolean(t == always)
	}
	k := flagKey{at, t}
	if o, ok := r.flags[k]; ok {
		return o
	}
	var o ir.Out
	switch d := r.d.nodes[t]; {
	case d.lo == never && d.hi == always:
		o = r.reach(r.condition(d.on), at)
	case d.lo == always && d.hi == never:
		c := r.reach(r.condition(d.on), at)
		o = r.add(r.of[c.Node], "not", "LogicalNot", at, tensor.Bool, c)
	default:
		o = r.collect(from, at, func(yes func(*ir.Region)) { r.paths(t, at, yes) })
	}
	r.flags[k] = o
	return o
}

// paths calls f with a region for each combination of conditions for which the function t is true.
// Nodes in this region run if the conditions have this combination of values. All these regions are
// inside another region, the parameter at.
func (r *regions) paths(t truth, at *ir.Region, f func(*ir.Region)) {
	if t == always {
		f(at)
		return
	}
	d := r.d.nodes[t]
	if d.hi != never {
		r.paths(d.hi, r.literal(d.on, false, at), f)
	}
	if d.lo != never {
		r.paths(d.lo, r.literal(d.on, true, at), f)
	}
}

// collect returns a bool tensor that is true if one of several inner regions runs. The parameter at
// is the region of the tensor. The last parameter is a function that lists the inner regions: it
// takes a function as its argument, and calls this argument with each of the inner regions.
func (r *regions) collect(from *flowNode, at *ir.Region, of func(yes func(*ir.Region))) ir.Out {
	no := r.yield(from, at, r.boolean(false))
	ins := []ir.Out{no}
	of(func(b *ir.Region) {
		y := r.yield(from, b, r.boolean(true))
		y.Node.Controls = []*ir.Node{no.Node}
		ins = append(ins, y)
	})
	return r.add(from, "alive", ir.MergeOp, at, tensor.Bool, ins...)
}

// condition returns the bool tensor of the condition with the given number.
func (r *regions) condition(on int32) ir.Out {
	if o, ok := r.conditions[on]; ok {
		return o
	}
	c := r.conds[on]
	n := r.of[c.out.Node]
	base := r.base(c.loop)
	var o ir.Out
	switch c.kind {
	case tensorCond:
		o = r.value(c.out)
		r.placed(o)
	case indexCond:
		v := r.value(c.out)
		r.placed(v)
		o = r.add(n, "is", "Equal", v.Node.Region, tensor.Bool, v, r.number(int32(c.k)))
		o.Node.Attrs = map[string]ir.Attr{"T": tensor.Int32}
	case firstCond:
		o = r.loopBool(c.loop, nil, "first", r.boolean(true), func() ir.Out { return r.boolean(false) })
	case enterCond:
		o = r.flag(r.aliveness.node(n), base.Parent, n)
	case mergeCond:
		init := r.boolean(false)
		if e := r.init(n); e != nil {
			init = r.entering(e, c.loop)
		}
		o = r.loopBool(c.loop, n, "alive", init, func() ir.Out { return r.flag(r.again(n), base, n) })
	case nextCond:
		o = r.loopBool(c.loop, n, "alive", r.boolean(false), func() ir.Out { return r.flag(r.aliveness.node(n), base, n) })
	case exitCond:
		at := r.region(n.loop.parent, n.loop.entry)
		o = r.collect(n, at, func(yes func(*ir.Region)) { yes(r.region(n.loop, r.aliveness.node(n))) })
	case bothCond:
		o = r.collect(nil, base, func(yes func(*ir.Region)) {
			b := r.branch(c.p, base)
			yes(r.branch(c.q, b))
		})
	case eitherCond:
		o = r.collect(nil, base, func(yes func(*ir.Region)) {
			yes(r.branch(c.p, base))
			yes(r.branch(c.q, base))
		})
	}
	r.conditions[on] = o
	return o
}

// entering returns a bool tensor that reports whether the value of e, an Enter of loop l, is alive.
// The tensor is outside of the loop.
func (r *regions) entering(e *flowNode, l *flowLoop) ir.Out {
	t := r.aliveness.node(e)
	if r.d.implies(l.entry, t) {
		return r.boolean(true)
	}
	return r.flag(t, r.base(l).Parent, e)
}

// loopBool adds a bool variable to loop l and returns its value. The variable has the value init in
// the first iteration. The function next returns the value for the next iteration.
func (r *regions) loopBool(l *flowLoop, from *flowNode, name string, init ir.Out, next func() ir.Out) ir.Out {
	at := r.base(l)
	if from == nil {
		from = l.frame.enter
	}
	v := r.add(from, name, ir.LoopVarOp, at, tensor.Bool, r.reach(init, at.Parent))
	r.later = append(r.later, func() {
		n := r.add(from, name+"_next", ir.NextOp, at, tensor.Bool, r.reach(next(), at))
		v.Node.Ins = append(v.Node.Ins, n)
	})
	return v
}

// merge returns the tensor that replaces output number index of n, a Merge that is not that of a
// loop variable.
func (r *regions) merge(n *flowNode, index int) ir.Out {
	t := r.aliveness.node(n)
	if t == never {
		return ir.Out{Node: n.Node, Index: index}
	}
	l := n.loop
	at := r.region(l, t)
	var ins []ir.Out
	var which []int32
	for i, o := range n.ins {
		p := r.out(o, l)
		if p == t {
			ins, which = []ir.Out{o}, []int32{int32(i)}
			break
		}
		if p != never {
			ins, which = append(ins, o), append(which, int32(i))
		}
	}
	cs := r.controls(n.orders, n.Node)
	value, idx := ir.Out{Node: n.Node}, ir.Out{Node: n.Node, Index: 1}
	if len(ins) == 1 {
		v := r.at(ins[0], l, at)
		if r.read[idx] {
			r.values[idx] = r.number(which[0])
		}
		if len(cs) > 0 {
			r.values[value] = r.become(n, "Identity", at, cs, v)
		} else {
			r.values[value] = v
			r.journal(n, v, "it is alive where the Merge is")
		}
		return r.values[ir.Out{Node: n.Node, Index: index}]
	}
	var ys []ir.Out
	for _, o := range ins {
		b := r.region(l, r.out(o, l))
		ys = append(ys, r.yield(n, b, r.at(o, l, b)))
	}
	r.values[value] = r.become(n, ir.MergeOp, at, cs, ys...)
	if r.read[idx] {
		if len(which) == len(n.ins) {
			n.Outs = append(n.Outs, ir.Fact{DType: tensor.Int32})
			r.values[idx] = idx
		} else {
			var ks []ir.Out
			for i, y := range ys {
				ks = append(ks, r.yield(n, y.Node.Region, r.number(which[i])))
			}
			r.values[idx] = r.add(n, "index", ir.MergeOp, at, tensor.Int32, ks...)
		}
	}
	return r.values[ir.Out{Node: n.Node, Index: index}]
}

// variable returns the tensor that replaces output number index of n, the Merge of a loop variable.
func (r *regions) variable(n *flowNode, index int) ir.Out {
	value, idx := ir.Out{Node: n.Node}, ir.Out{Node: n.Node, Index: 1}
	l := n.loop
	t := r.aliveness.node(n)
	if t == never {
		return ir.Out{Node: n.Node, Index: index}
	}
	init := r.init(n)
	var nexts []*flowNode
	var others []ir.Out
	for _, o := range n.ins {
		switch f := r.of[o.Node]; {
		case f == init:
		case f.Kind == nextNode:
			nexts = append(nexts, f)
		default:
			others = append(others, o)
		}
	}
	flagged := l.flagged[n]
	if !flagged && !r.read[idx] && len(n.orders) == 0 && r.same(n, nexts) {
		e := r.value(ir.Out{Node: init.Node})
		r.values[value] = e
		r.journal(n, e, "no iteration changes it")
		return e
	}
	lv := r.carried(n, nexts, init)
	if len(others) == 0 {
		r.values[value] = lv
	} else {
		on := r.cond(condition{kind: mergeCond, loop: l, out: value}, false)
		at := r.region(l, t)
		b := r.region(l, on)
		ys := []ir.Out{r.yield(n, b, r.reach(lv, b))}
		for _, o := range others {
			if p := r.out(o, l); p != never {
				b := r.region(l, p)
				ys = append(ys, r.yield(n, b, r.at(o, l, b)))
			}
		}
		r.values[value] = r.add(n, "merged", ir.MergeOp, at, lv.Fact().DType, ys...)
	}
	if r.read[idx] {
		r.values[idx] = r.which(n, init, nexts, others, t)
	}
	return r.values[ir.Out{Node: n.Node, Index: index}]
}
