package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// flowLoop is a frame of TensorFlow's loops or, if the nodes of a frame form several independent
// loops, one of these.
type flowLoop struct {
	frame  *frame
	parent *flowLoop
	inner  []*flowLoop
	nodes  []*flowNode // nodes in the loop, in topological order
	enters []*flowNode // Enter nodes by which values enter the loop
	nexts  []*flowNode
	exits  []*flowNode

	State   int8 // of the method loop: 0 if not visited, 1 if in progress, 2 if done
	idle    bool // whether the loop runs even if only constant Enters are alive; see the method idle
	entry   truth
	flagged map[*flowNode]bool // Merges of loop variables that may be dead in some iterations
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

// condKind is the kind of a condition. It says which fact the condition is about.
type condKind uint8

const (
	tensorCond condKind = iota // a bool tensor
	indexCond                  // an index, such as that of a Merge, is equal to k
	firstCond                  // the loop is in its first iteration
	enterCond                  // the tensor that an Enter passes into the loop is alive
	mergeCond                  // a NextIteration that is an input of a Merge was alive in the previous iteration
	nextCond                   // a NextIteration was alive in the last iteration
	exitCond                   // an Exit was alive in some iteration
	bothCond                   // the functions p and q are both true
	eitherCond                 // at least one of the functions p and q is true
)

// condition is a boolean variable. A function of the type truth depends on such variables, and says
// when a node is alive.
type condition struct {
	kind condKind
	loop *flowLoop // the condition is known in each iteration of this loop
	out  ir.Out    // for tensorCond and indexCond, the tensor; for other kinds, output 0 of the node
	k    int       // of an index
	p, q truth     // the operands of bothCond and eitherCond; for tensorCond and indexCond, see aliveness.within
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

// cond returns the function that is true if condition c is true or, if the parameter neg is true,
// the function that is true if c is false.
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

// node returns the condition under which the node n is alive in an iteration of its loop. For an
// Enter, this is an iteration of the loop around its own loop.
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

// init returns the Enter that provides the initial value of the loop variable n, a Merge. It
// returns nil if n is not a loop variable or has no such input.
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

// plain reports whether the inputs of n, the Merge of a loop variable, consist of one Enter that is
// not constant, and of NextIterations.
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

// out returns the condition under which the tensor o is alive for nodes in loop l that read it.
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

// within returns the function for condition c, as the method cond does. The function is used only
// in places where the function t is true. The condition c reads a tensor, which is alive if t is
// true.
//
// A function tests its conditions in the order of their numbers. It must test whether the tensor is
// alive before it tests c. If t contains the test for the tensor only as a part of a combined
// condition, the combined condition may have a larger number than c. In this case, within sets c.p
// to t, which makes c a separate condition with a still larger number.
func (a *aliveness) within(t truth, c condition, neg bool) truth {
	if !a.d.implies(t, a.out(c.out, c.loop)) {
		c.p = t
	}
	return a.cond(c, neg)
}

// outOf returns the condition under which the outputs of n are alive for nodes in loop l that read
// them. For an Enter, a NextIteration and an Exit, the result differs from that of the method node,
// because their readers are in another loop or iteration.
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

// entered returns the condition under which the value of n, an Enter, is alive in loop l. This
// condition is known in each iteration of l. In contrast, the method node returns a condition that
// is known outside of l.
func (a *aliveness) entered(n *flowNode, l *flowLoop) truth {
	switch a.d.and(l.entry, a.node(n)) {
	case l.entry:
		return always
	case never:
		return never
	}
	return a.cond(condition{kind: enterCond, loop: l, out: ir.Out{Node: n.Node}}, false)
}

// left returns the condition under which n, an Exit, is alive outside of its loop.
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

// lasts reports whether n, an Exit, is alive in the final iteration of its loop, whatever the
// values of the conditions are.
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

// root returns the tensor from which the condition o is computed by nodes that return or negate
// their input. The second result reports whether o is the negation of this tensor.
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

// loop computes the conditions under which nodes are alive in the iterations of loop l. At first,
// it assumes that all loop variables are alive in each iteration. This is true if all
// NextIterations are alive under the same condition. If it is not true, loop marks the affected
// variables and computes the conditions again.
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

// idle reports whether TensorFlow runs loop l once even if all its variables are dead. This is so
// if the loop has no variables, or if it has a node with effects that depends only on constant
// Enters.
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

// again returns the condition under which n, the Merge of a loop variable, gets a value for the
// next iteration.
func (a *aliveness) again(n *flowNode) truth {
	t := never
	for _, o := range n.ins {
		if f := a.of[o.Node]; f.Kind == nextNode {
			t = a.or(n.loop, t, a.node(f))
		}
	}
	return t
}

// forget removes the results that have been computed for the nodes in loop l.
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
