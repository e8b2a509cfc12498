package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// list is a list to which steps are appended: the list of the plan, of a branch or of a loop.
type list struct {
	steps *[]plan.Step
	loop  *ir.Region // the loop whose body this list is, nil for other lists
	begun int        // index of the first step of the current node
	// made contains the tensors that are first stored by steps of this list. Their buffers are not
	// valid after the end of the list.
	made []ir.Out
	// madeDev is like made, for tensors stored in the memory of the partition's device.
	madeDev []ir.Out
}

// push opens a list of steps; pop closes it.
func (l *lowerer) push(steps *[]plan.Step) {
	l.lists = append(l.lists, &list{steps: steps, begun: len(*steps)})
}

func (l *lowerer) pop() {
	top := l.lists[len(l.lists)-1]
	for _, o := range top.made {
		delete(l.bufs, o)
	}
	for _, o := range top.madeDev {
		delete(l.dev, o)
	}
	l.lists = l.lists[:len(l.lists)-1]
}

// run lowers nodes, which are in topological order, as the steps of a scope. It appends errors to
// l.errs.
func (l *lowerer) run(loop *ir.Region, nodes []*ir.Node) {
	s := newScope(loop, nodes)
	w := &writer{l: l, s: s, at: loop, kept: map[ir.Out]bool{}}
	around := l.w
	l.w = w
	defer func() { l.w = around }()
	for s.left > 0 {
		r, ok := s.pick(w.at)
		if !ok {
			l.errs = append(l.errs, s.stuck())
			break
		}
		if !w.broke && loop != nil && s.inBody(r) && s.body == s.left {
			w.leave()
			w.end()
		}
		w.enter(r)
		u := s.take(r)
		if u.loop != nil {
			l.loop(u.loop, u.nodes)
		} else {
			l.lowerOne(u.node)
		}
		s.done(u)
	}
	w.leave()
	if loop != nil {
		w.next(nodes)
	}
}

func (l *lowerer) lowerOne(n *ir.Node) {
	if l.nodes++; l.nodes%256 == 0 && !l.late {
		if err := l.g.Deadline.Err(); err != nil {
			l.late, l.errs = true, append(l.errs, err)
		}
	}
	if l.late {
		return
	}
	l.begin(n)
	for _, o := range n.Ins {
		if f := o.Fact(); l.failed[o.Node] && !f.Shape.Known && f.DType.GoType() != nil {
			l.failed[n] = true
			return // skip this node: o's node reported an error, and lowerings need known ranks
		}
	}
	if err := l.lowerNode(n); err != nil {
		l.failed[n] = true
		l.errs = append(l.errs, tensor.AtNode(err, n.Name, n.OpName()))
	}
}

// writer appends the nodes and loops of a scope to lists of steps, in the scheduled order. It opens
// and closes the conditionals around them.
type writer struct {
	l     *lowerer
	s     *scope
	at    *ir.Region   // the current branch, or the scope's loop if no branch is open
	stack []*ir.Region // the open branches, outermost first
	ifs   []*plan.If
	// last is the conditional that was closed last.
	last *plan.If
	was  *ir.Region // the branch of that conditional that was open last
	// broke is set when the Break of the loop has been appended. The steps after the Break run only
	// if there is a next iteration.
	broke bool
	kept  map[ir.Out]bool
}

// enter makes r the current branch.
func (w *writer) enter(r *ir.Region) {
	w.at = r
	var path []*ir.Region
	for b := r; b != nil && b != w.s.loop; b = b.Parent {
		if !(w.broke && bodyOf(w.s.loop, b)) {
			path = append([]*ir.Region{b}, path...)
		}
	}
	same := 0
	for same < len(path) && same < len(w.stack) && path[same] == w.stack[same] {
		same++
	}
	for len(w.stack) > same {
		w.up()
	}
	for _, b := range path[same:] {
		w.down(b)
	}
}

// leave closes all open conditionals.
func (w *writer) leave() { w.enter(w.s.loop) }

func (w *writer) up() {
	k := len(w.stack) - 1
	w.l.pop()
	w.last, w.was = w.ifs[k], w.stack[k]
	w.stack, w.ifs = w.stack[:k], w.ifs[:k]
	if steps := w.l.lists[len(w.l.lists)-1].steps; len(w.last.Then) == 0 && len(w.last.Else) == 0 && len(*steps) > 0 && (*steps)[len(*steps)-1] == plan.Step(w.last) {
		*steps = (*steps)[:len(*steps)-1]
	}
}

// down opens the conditional of branch b. If the conditional that was just closed has the same
// condition and the opposite branch, it opens the Else list of that conditional.
func (w *writer) down(b *ir.Region) {
	l := w.l
	cond := l.condition(b.Cond)
	steps := l.lists[len(l.lists)-1].steps
	n := len(*steps)
	if w.last != nil && w.was.Parent == b.Parent && w.was.Cond == b.Cond && w.last.Neg != b.Neg && len(w.last.Else) == 0 &&
		n > 0 && (*steps)[n-1] == plan.Step(w.last) {
		l.push(&w.last.Else)
		w.stack, w.ifs = append(w.stack, b), append(w.ifs, w.last)
		return
	}
	s := &plan.If{Node: b.Name, Op: "If", Cond: cond, Neg: b.Neg}
	*steps = append(*steps, s)
	l.push(&s.Then)
	w.stack, w.ifs = append(w.stack, b), append(w.ifs, s)
}

// condition returns the view of a condition, which is a bool.
func (l *lowerer) condition(o ir.Out) plan.View {
	b := l.conds[o]
	if b == nil {
		top := l.lists[len(l.lists)-1]
		top.begun = len(*top.steps)
		b = l.bufOf(o)
	}
	return plan.View{Buf: b, Len: sym.One, Mode: plan.Read}
}

// end appends the Break that ends the loop if there is no next iteration.
func (w *writer) end() {
	r := w.s.loop
	w.broke = true
	w.l.step(&plan.Break{Node: r.Name, Op: "While", Cond: w.l.condition(r.Cond), Neg: !r.Neg})
}

// next appends the steps at the end of an iteration, which give the loop's variables their next
// values. If a variable's next value is computed only under a condition, its step is under the same
// condition.
func (w *writer) next(nodes []*ir.Node) {
	l, loop := w.l, w.s.loop
	by := map[*ir.Region][]carried{}
	var at []*ir.Region
	vars := loopVars(loop, nodes)
	for _, v := range vars {
		r := v.Ins[1].Node.Region
		if by[r] == nil {
			at = append(at, r)
		}
		by[r] = append(by[r], carried{to: l.slots[v]})
		if s := l.counters[v]; s != nil {
			by[r] = append(by[r], carried{to: s})
		}
	}
	own := map[*plan.Buf]bool{}
	for _, v := range vars {
		own[l.slots[v].buf] = true
		if s := l.counters[v]; s != nil {
			own[s.buf] = true
		}
	}
	w.keepConditions(at, own)
	for _, r := range at {
		w.enter(r)
		cs := by[r]
		for i := range cs {
			c := &cs[i]
			next := c.to.node.Ins[1].Node.Ins[0]
			l.begin(c.to.node)
			if k := l.slots[c.to.node.Ins[1].Node]; k != nil {
				c.src, c.dims = plan.View{Buf: k.buf, Len: sym.Product(k.dims), Mode: plan.Read}, k.dims
			} else {
				c.src, c.dims = l.source(next, c.to), next.Fact().Shape.Dims
			}
			// If the source is another variable, it may change before this variable is set, because the
			// two may change under different conditions. Therefore copy it first.
			if len(at) > 1 && own[c.src.Buf.Root()] && !c.stays() {
				l.set(c)
			}
		}
		if len(at) == 1 {
			l.carry(cs)
		}
	}
	for _, r := range at {
		if len(at) > 1 {
			w.enter(r)
			l.begin(by[r][0].to.node)
			l.carry(by[r])
		}
	}
	w.leave()
	if !w.broke {
		w.end()
	}
	for o := range w.kept {
		delete(l.conds, o)
	}
}

// keepConditions copies each condition that is itself a variable of the loop, before the variable
// changes.
func (w *writer) keepConditions(at []*ir.Region, own map[*plan.Buf]bool) {
	l := w.l
	keep := func(o ir.Out) {
		if own[l.rootOf(o)] && l.conds[o] == nil {
			tmp := l.newBuf(o.String()+"/kept", tensor.Bool, sym.One)
			l.step(&plan.Copy{Node: o.Node.Name, Op: o.Node.Op, Dst: plan.View{Buf: tmp, Len: sym.One, Mode: plan.Write}, Src: l.condition(o)})
			l.conds[o], w.kept[o] = tmp, true
		}
	}
	for _, r := range at {
		for ; r != nil && r != w.s.loop; r = r.Parent {
			if !(w.broke && bodyOf(w.s.loop, r)) {
				keep(r.Cond)
			}
		}
	}
	if !w.broke {
		keep(w.s.loop.Cond)
	}
}

// rootOf returns the storage of a tensor, or nil if the tensor has none yet.
func (l *lowerer) rootOf(o ir.Out) *plan.Buf {
	if b := l.bufs[o]; b != nil {
		return b.Root()
	}
	return nil
}

// loopVars returns those of the nodes that are variables of the loop.
func loopVars(loop *ir.Region, nodes []*ir.Node) []*ir.Node {
	var vars []*ir.Node
	for _, n := range nodes {
		if n.Op == ir.LoopVarOp && n.Region == loop {
			vars = append(vars, n)
		}
	}
	return vars
}

// loop appends the loop r. The second argument holds the nodes in this loop.
func (l *lowerer) loop(r *ir.Region, nodes []*ir.Node) {
	vars := loopVars(r, nodes)
	var first []carried
	for _, v := range vars {
		l.begin(v)
		if !v.Outs[0].Shape.Known {
			l.errs = append(l.errs, tensor.AtNode(UnknownRank(v, 0), v.Name, v.Op))
			return
		}
		init := v.Ins[0]
		s := l.newSlot(v)
		l.slots[v] = s
		first = append(first, carried{s, l.source(init, s), init.Fact().Shape.Dims})
	}
	l.carry(first)
	step := &plan.Loop{Node: r.Name, Op: "While"}
	*l.lists[len(l.lists)-1].steps = append(*l.lists[len(l.lists)-1].steps, step)
	l.push(&step.Body)
	l.lists[len(l.lists)-1].loop = r
	for _, v := range vars {
		l.place(ir.Out{Node: v}, l.slots[v])
		l.vars[l.slots[v].buf] = r
	}
	l.run(r, nodes)
	l.pop()
}
