package algebra

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// Dce removes control edges that have no effect on the order of execution. It then removes the
// nodes that no fetch and no target needs.
//
// A node is pure if it has no effects. A control edge from a pure node does not matter by itself,
// so Dce replaces the edge by edges from the nodes for which the pure node waits. An edge is kept
// in these cases:
//
//   - Its source has effects, or reads state that the effect of another node may change.
//   - Its source is part of a conditional or loop of TensorFlow 1, and decides whether the target
//     of the edge runs.
//
// If the source is in a branch, the target also waits for the condition of the branch. If the
// source is in a loop and the target is outside, the target waits for the end of the loop.
func Dce(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	d := &cleaner{s: s, cond: edit.Conditional(s.O.Ops, s.G), lv: map[*ir.Node]lower.Level{}, before: map[*ir.Node][]*ir.Node{},
		loops: map[*ir.Region]*loopOf{}}
	// in a partial run, a node can run only when the feeds it needs have been fed, so a control
	// edge also waits for these
	if s.O.Apart {
		var fed []*ir.Node
		for _, f := range s.G.Feeds {
			fed = append(fed, f.Out.Node)
		}
		for n := range edit.Downstream(s.G, fed...) {
			d.cond[n] = true
		}
	}
	for _, n := range order {
		v := s.Levels.Of(n)
		d.lv[n] = v
		d.effects = d.effects || v == lower.Effects
	}
	for _, n := range order {
		for r := n.Region.InnerLoop(); r != nil; r = r.Parent.InnerLoop() {
			l := d.loops[r]
			if l == nil {
				l = &loopOf{}
				d.loops[r] = l
			}
			l.nodes = append(l.nodes, n)
			l.active = l.active || d.matters(n)
		}
	}
	changed := false
	for _, n := range order {
		d.sources(n)
	}
	for _, n := range order {
		if len(n.Controls) > 0 && d.controls(n) {
			changed = true
		}
	}
	if d.targets() {
		changed = true
	}
	before := len(s.G.Nodes)
	s.G.Keep(edit.Needed(s.G))
	edit.Symbols(s.G)
	return changed || len(s.G.Nodes) != before, nil
}

type cleaner struct {
	s       *edit.State
	cond    map[*ir.Node]bool // nodes that may decide whether the target of their control edge runs
	lv      map[*ir.Node]lower.Level
	effects bool // whether the graph contains a node with effects
	before  map[*ir.Node][]*ir.Node
	loops   map[*ir.Region]*loopOf
}

// loopOf describes a loop.
type loopOf struct {
	nodes  []*ir.Node // nodes in the loop and in its inner regions
	active bool       // whether a control edge from some node of the loop must be kept; see the method matters
	done   bool
	before []*ir.Node // nodes outside of the loop that must run before the loop begins
	reads  int        // before[:reads] are sources of data edges; before[reads:] are only sources of control edges
}

// most is the largest number of control edges that may replace one edge from a pure node.
const most = 8

// matters reports whether a control edge from n must be kept and cannot be replaced by edges from
// other nodes. This is so if n has effects, if it reads state that may change, or if it decides
// whether the target of the edge runs.
func (d *cleaner) matters(n *ir.Node) bool {
	switch d.lv[n] {
	case lower.Effects:
		return true
	case lower.Reads:
		return d.effects || d.cond[n]
	}
	return d.cond[n]
}

// sources returns the nodes from which control edges can replace a control edge from n. It returns
// n itself if the edge must be kept, or if there would be too many nodes. Dce first calls sources
// for all nodes in the order of the graph, so that the recursion has a depth of one.
func (d *cleaner) sources(n *ir.Node) []*ir.Node {
	if d.matters(n) || n.Op == ir.LoopVarOp && d.loops[n.Region].active {
		return []*ir.Node{n}
	}
	if ns, ok := d.before[n]; ok {
		return ns
	}
	var ns []*ir.Node
	seen := map[*ir.Node]bool{}
	add := func(m *ir.Node) {
		for _, p := range d.sources(m) {
			if !seen[p] {
				seen[p] = true
				ns = append(ns, p)
			}
		}
	}
	for _, c := range n.Controls {
		add(c)
	}
	ins := n.Ins
	if n.Op == ir.LoopVarOp {
		ins = ins[:1]
	}
	for _, o := range ins {
		add(o.Node)
	}
	for _, p := range d.entry(n) {
		if !seen[p] {
			seen[p] = true
			ns = append(ns, p)
		}
	}
	if len(ns) > most {
		ns = []*ir.Node{n}
	}
	d.before[n] = ns
	return ns
}

// entry returns the nodes for which n waits because it is in a branch or loop: the sources of the
// branch's condition, and the nodes that must run before the loop begins.
func (d *cleaner) entry(n *ir.Node) []*ir.Node {
	var ns []*ir.Node
	for r := n.Region; r != nil; r = r.Parent {
		if r.Loop {
			ns = append(ns, d.outside(r)...)
		} else {
			ns = append(ns, d.sources(r.Cond.Node)...)
		}
	}
	return ns
}

// outside returns the nodes outside of the loop r that must run before the loop begins.
func (d *cleaner) outside(r *ir.Region) []*ir.Node {
	l := d.loops[r]
	if l.done {
		return l.before
	}
	l.done = true
	seen := map[*ir.Node]bool{}
	inside := map[*ir.Region]bool{nil: false}
	add := func(m *ir.Node) {
		in, known := inside[m.Region]
		if !known {
			in = r.Encloses(m.Region)
			inside[m.Region] = in
		}
		if in {
			return
		}
		for _, p := range d.sources(m) {
			if !seen[p] {
				seen[p] = true
				l.before = append(l.before, p)
			}
		}
	}
	for _, n := range l.nodes {
		for _, o := range n.Ins {
			add(o.Node)
		}
	}
	l.reads = len(l.before)
	for _, n := range l.nodes {
		for _, c := range n.Controls {
			add(c)
		}
	}
	return l.before
}

// controls removes or replaces the control edges to n. It reports whether it changed them.
func (d *cleaner) controls(n *ir.Node) bool {
	seen := map[*ir.Node]bool{n: true}
	for _, o := range n.Ins {
		if !edit.IsFlow(d.s.O.Ops, n) && !edit.IsFlow(d.s.O.Ops, o.Node) && !ir.Joins(n.Op) {
			seen[o.Node] = true // n reads an output of this node, and so waits for it without a control edge
		}
	}
	for _, p := range d.entry(n) {
		seen[p] = true
	}
	// If the loop around n waits for a node only because of a control edge to a node in the loop,
	// this control edge must be kept.
	for r := n.Region.InnerLoop(); r != nil; r = r.Parent.InnerLoop() {
		for _, p := range d.outside(r)[d.loops[r].reads:] {
			delete(seen, p)
		}
	}
	ended := map[*ir.Region]bool{} // the loops for whose end n already waits, because of a node in keep
	var keep []*ir.Node
	for _, c := range n.Controls {
		from := d.sources(c)
		if n.Op == ir.YieldOp && c.Op == ir.YieldOp {
			from = []*ir.Node{c} // this edge records which of the inputs of a Merge comes last
		}
		for _, p := range from {
			if seen[p] {
				continue
			}
			seen[p] = true
			if p.Op == ir.LoopVarOp {
				if p.Region.Encloses(n.Region) || ended[p.Region] {
					continue
				}
				ended[p.Region] = true
			}
			keep = append(keep, p)
		}
	}
	changed := len(keep) != len(n.Controls)
	for i := 0; !changed && i < len(keep); i++ {
		changed = keep[i] != n.Controls[i]
	}
	if !changed {
		return false
	}
	n.Controls = keep
	return true
}

// targets replaces each target that only returns the handle of a variable by the nodes for which
// the target waits. It reports whether it replaced any targets. Targets that return the handle of a
// queue or a table are kept, so that the run still rejects invalid handles.
func (d *cleaner) targets() bool {
	var ts []*ir.Node
	seen := map[*ir.Node]bool{}
	changed := false
	for _, t := range d.s.G.Targets {
		stands := []*ir.Node{t}
		if d.lv[t] == lower.Source && !d.cond[t] && lower.IsVariable(t.Op) {
			stands, changed = d.sources(t), true
		}
		for _, n := range stands {
			if !seen[n] {
				seen[n] = true
				ts = append(ts, n)
			}
		}
	}
	if changed {
		d.s.G.Targets = ts
	}
	return changed
}
