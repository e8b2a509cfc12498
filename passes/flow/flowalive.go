package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// flowLoop is a frame of TensorFlow, or an independent part of such a frame.
type flowLoop struct {
	frame  *frame
	parent *flowLoop
	inner  []*flowLoop
	nodes  []*flowNode // nodes that run in the loop, in order
	enters []*flowNode // the loop's inputs from outside
	nexts  []*flowNode
	exits  []*flowNode

	State   int8 // 0: not visited, 1: in progress, 2: done
	idle    bool // the loop runs even if only constant Enters are alive; see idle
	entry   truth
	flagged map[*flowNode]bool // Merges that may be dead in an iteration
	runs    truth              // another iteration runs

	effects bool // a node in the loop has effects
	region  *ir.Region
}

func (l *flowLoop) enter(n *flowNode) {
	for _, e := range l.enters {
		if e == n {
			return
		}
	}
	l.enters = append(l.enters, n)
}

// condKind is the kind of a condition.
type condKind uint8

const (
	tensorCond condKind = iota // a bool tensor
	indexCond                  // an index equals k
	firstCond                  // the loop is in its first iteration
	enterCond                  // the value that an Enter passes in is alive
	mergeCond                  // the NextIterations of a Merge were alive in the last iteration
	nextCond                   // a NextIteration was alive in the last iteration
	exitCond                   // an Exit was alive in some iteration
	bothCond                   // the functions p and q are both true
	eitherCond                 // at least one of the functions p and q is true
)

// condition is a boolean variable. The functions of type truth, which say when nodes are alive, are
// functions of such variables.
type condition struct {
	kind condKind
	loop *flowLoop // the condition is known in each iteration of this loop
	out  ir.Out    // tensorCond, indexCond: the tensor; other kinds: output 0 of the node
	k    int       // of an index
	p, q truth     // operands of bothCond and eitherCond; for other kinds, p is set by the method within
}

// aliveness computes the conditions under which nodes are alive.
type aliveness struct {
	list   []*flowNode
	of     map[*ir.Node]*flowNode
	loops  []*flowLoop
	Levels *edit.Levels
	d      *diagram
	conds  []condition
	index  map[condition]int32
	err    error
}

func (a *aliveness) fail(n *flowNode, format string, args ...any) {
	if a.err == nil {
		a.err = tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, format, args...), n.Name, n.op)
	}
}

// cond returns the function that equals condition c or, if neg is set, its negation.
func (a *aliveness) cond(c condition, neg bool) truth {
	i, ok := a.index[c]
	if !ok {
		i = int32(len(a.conds))
		a.conds = append(a.conds, c)
		a.index[c] = i
	}
	return a.d.literal(i, neg)
}

func (a *aliveness) and(l *flowLoop, p, q truth) truth {
	t := a.d.and(p, q)
	if a.d.large(t) {
		return a.cond(condition{kind: bothCond, loop: l, p: p, q: q}, false)
	}
	return t
}

func (a *aliveness) or(l *flowLoop, p, q truth) truth {
	t := a.d.or(p, q)
	if a.d.large(t) {
		return a.cond(condition{kind: eitherCond, loop: l, p: p, q: q}, false)
	}
	return t
}

// run visits all nodes and loops.
func (a *aliveness) run() error {
	for _, n := range a.list {
		if n.loop == nil || n.constant && n.loop == nil {
			a.node(n)
		}
	}
	for _, l := range a.loops {
		a.loop(l)
	}
	return a.err
}

// node returns the condition under which a node is alive, in an iteration of its loop. For an
// Enter, this is an iteration of the enclosing loop.
func (a *aliveness) node(n *flowNode) truth {
	if !n.seen {
		return never
	}
	if n.known {
		return n.alive
	}
	if n.busy {
		a.fail(n, "a value that leaves a loop leads back into it")
		return never
	}
	n.busy = true
	defer func() { n.busy = false }()
	l := n.inputs()
	t := always
	if l != nil && l.entry == never {
		n.known, n.alive = true, never
		return never
	}
	switch n.Kind {
	case triggerNode:
	case mergeNode:
		t = never
		init := a.init(n)
		for _, o := range n.ins {
			if f := a.of[o.Node]; f != init && f.Kind != nextNode {
				t = a.or(l, t, a.out(o, l))
			}
		}
		if n.carries {
			if n.loop.flagged[n] {
				t = a.or(l, t, a.cond(condition{kind: mergeCond, loop: l, out: ir.Out{Node: n.Node}}, false))
			} else {
				t = always
			}
		}
	default:
		for _, o := range n.ins {
			t = a.and(l, t, a.out(o, l))
		}
		for _, c := range n.controls {
			t = a.and(l, t, a.outOf(a.of[c], l))
		}
	}
	n.known, n.alive = true, t
	return t
}

// init returns the Enter that provides the first value of a loop's Merge, or nil.
func (a *aliveness) init(n *flowNode) *flowNode {
	if !n.carries {
		return nil
	}
	for _, o := range n.ins {
		if f := a.of[o.Node]; f.Kind == enterNode && !f.constant {
			return f
		}
	}
	return nil
}

// plain reports whether the inputs of a loop's Merge are exactly one Enter, which is not constant,
// and NextIterations.
func (a *aliveness) plain(n *flowNode) bool {
	enters := 0
	for _, o := range n.ins {
		switch f := a.of[o.Node]; {
		case f.Kind == nextNode:
		case f.Kind == enterNode && !f.constant:
			enters++
		default:
			return false
		}
	}
	return enters == 1
}

// out returns the condition under which a tensor is alive for a reader in loop l.
func (a *aliveness) out(o ir.Out, l *flowLoop) truth {
	n := a.of[o.Node]
	switch n.Kind {
	case switchNode:
		t := a.node(n)
		if len(n.ins) < 2 {
			return never
		}
		root, neg := a.root(n.ins[1])
		return a.and(l, t, a.within(t, condition{kind: tensorCond, loop: l, out: root}, neg == (o.Index == 1)))
	case switchNNode:
		t := a.node(n)
		if len(n.ins) < 2 {
			return never
		}
		root := a.identity(n.ins[1])
		for k := 0; k <= o.Index && k+1 < len(n.types); k++ {
			t = a.and(l, t, a.within(t, condition{kind: indexCond, loop: l, out: root, k: k}, k < o.Index))
		}
		return t
	}
	return a.outOf(n, l)
}

// within returns the function of condition c, as cond does, for use where function t is true. The
// condition reads a tensor, which is alive wherever t is true. Functions test conditions in the
// order of their numbers, and must test whether a tensor is alive before they test the tensor
// itself. If the test is not visible in t's diagram, because it is part of a combined condition
// with a larger number, c gets a separate number, which is larger still.
func (a *aliveness) within(t truth, c condition, neg bool) truth {
	if !a.d.implies(t, a.out(c.out, c.loop)) {
		c.p = t
	}
	return a.cond(c, neg)
}

// outOf returns the condition under which the results of node n are alive for a reader in loop l.
// It differs from node for an Enter, a NextIteration and an Exit, whose readers are in another loop
// or iteration than the node itself.
func (a *aliveness) outOf(n *flowNode, l *flowLoop) truth {
	if !n.seen {
		return never
	}
	switch n.Kind {
	case enterNode:
		t := a.entered(n, l)
		if !n.constant {
			t = a.and(l, t, a.cond(condition{kind: firstCond, loop: l}, false))
		}
		return t
	case nextNode:
		return a.cond(condition{kind: nextCond, loop: l, out: ir.Out{Node: n.Node}}, false)
	case ExitNode:
		return a.left(n)
	}
	return a.node(n)
}

// entered returns the condition under which the value that Enter n passes into loop l is alive. The
// condition is tested in an iteration of the loop.
func (a *aliveness) entered(n *flowNode, l *flowLoop) truth {
	switch a.d.and(l.entry, a.node(n)) {
	case l.entry:
		return always
	case never:
		return never
	}
	return a.cond(condition{kind: enterCond, loop: l, out: ir.Out{Node: n.Node}}, false)
}

// left returns the condition under which an Exit is alive outside of its loop.
func (a *aliveness) left(n *flowNode) truth {
	l := n.loop
	a.loop(l)
	if l.State != 2 {
		a.fail(n, "a value that leaves the loop %q leads back into it", l.frame.Name)
		return never
	}
	if a.node(n) == never {
		return never
	}
	if a.lasts(n) {
		return l.entry
	}
	return a.and(l.parent, l.entry, a.cond(condition{kind: exitCond, loop: l.parent, out: ir.Out{Node: n.Node}}, false))
}

// lasts reports whether an Exit is alive in the loop's last iteration in every run.
func (a *aliveness) lasts(n *flowNode) bool {
	return a.d.or(a.node(n), n.loop.runs) == always
}

// identity follows a tensor back through nodes that pass it through.
func (a *aliveness) identity(o ir.Out) ir.Out {
	for range len(a.list) {
		n := a.of[o.Node]
		if len(n.ins) == 0 || n.Kind != condNode && n.Kind != switchNode && n.op != "Identity" {
			break
		}
		o = n.ins[0]
	}
	return o
}

// root follows a condition back through nodes that pass it through or negate it.
func (a *aliveness) root(o ir.Out) (ir.Out, bool) {
	neg := false
	for range len(a.list) {
		o = a.identity(o)
		n := a.of[o.Node]
		if n.op != "LogicalNot" || len(n.ins) != 1 {
			break
		}
		o, neg = n.ins[0], !neg
	}
	return o, neg
}

// loop computes the conditions under which nodes are alive in a loop's iterations. At first it
// assumes that every loop variable is alive in every iteration, which is true if all NextIterations
// are alive under the same condition. If the assumption is wrong for some variables, loop flags
// them and computes the conditions again.
func (a *aliveness) loop(l *flowLoop) {
	if l.State != 0 || a.err != nil {
		return
	}
	l.State = 1
	l.idle = a.idle(l)
	for _, n := range l.nodes {
		if n.carries && !a.plain(n) {
			l.flagged[n] = true
		}
	}
	for round := 0; ; round++ {
		l.entry = never
		for _, e := range l.enters {
			if t := a.node(e); !e.constant || l.idle {
				l.entry = a.or(l.parent, l.entry, t)
			}
		}
		for _, n := range l.nodes {
			if init := a.init(n); init != nil && !l.flagged[n] && !a.d.implies(l.entry, a.node(init)) {
				l.flagged[n] = true
			}
		}
		for _, n := range l.nodes {
			if n.Kind != enterNode {
				a.node(n)
			}
		}
		for _, i := range l.inner {
			a.loop(i)
		}
		l.runs = never
		for _, n := range l.nexts {
			l.runs = a.or(l, l.runs, a.node(n))
		}
		var differ []*flowNode
		for _, n := range l.nodes {
			if n.carries && !l.flagged[n] && a.again(n) != l.runs {
				differ = append(differ, n)
			}
		}
		if len(differ) == 0 || a.err != nil {
			break
		}
		for _, n := range differ {
			l.flagged[n] = true
		}
		for _, n := range l.nodes {
			if round > 0 && n.carries {
				l.flagged[n] = true
			}
		}
		a.forget(l)
	}
	l.State = 2
}

// idle reports whether a loop has no variables, or has a node with visible effects that depends
// only on constant Enters. TensorFlow runs such a node once even if all variables are dead.
func (a *aliveness) idle(l *flowLoop) bool {
	idle := true
	for _, e := range l.enters {
		idle = idle && e.constant
	}
	known := map[*flowNode]bool{}
	var look func(in *flowLoop)
	look = func(in *flowLoop) {
		for _, n := range in.nodes {
			if !idle && (in == l && (n.Kind == ExitNode || n.Kind == nextNode) || a.Levels.Of(n.Node) == lower.Effects) {
				idle = unvaried(n, l.frame, a.of, known)
			}
		}
		for _, i := range in.inner {
			look(i)
		}
	}
	if !idle {
		look(l)
	}
	return idle
}

// again returns the condition under which a loop's Merge gets a value for the next iteration.
func (a *aliveness) again(n *flowNode) truth {
	t := never
	for _, o := range n.ins {
		if f := a.of[o.Node]; f.Kind == nextNode {
			t = a.or(n.loop, t, a.node(f))
		}
	}
	return t
}

// forget drops the results for the nodes in a loop.
func (a *aliveness) forget(l *flowLoop) {
	for _, n := range l.nodes {
		if n.Kind != enterNode {
			n.known = false
		}
	}
	for c := range a.index {
		if c.loop == l {
			delete(a.index, c)
		}
	}
	for _, i := range l.inner {
		i.State = 0
		for _, e := range i.enters {
			e.known = false
		}
		a.forget(i)
	}
}
