package algebra

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// Dce drops control edges that order nothing. It then drops the nodes that no fetch and no target
// needs.
//
// A pure node has no effects, so a control edge from it orders nothing itself. Such an edge is
// replaced by edges from the nodes that the pure node waits for. An edge is kept if its source has
// effects, or reads state that some effect may change, or if the source is part of a conditional or
// loop of TensorFlow 1 and decides whether the edge's target runs. A node that waits for a node in
// a branch also waits for the branch's condition. If a node outside a loop waits for a node in the
// loop, it waits for the end of the loop.
func Dce(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	d := &cleaner{s: s, cond: edit.Conditional(s.O.Ops, s.G), lv: map[*ir.Node]lower.Level{}, before: map[*ir.Node][]*ir.Node{},
		loops: map[*ir.Region]*loopOf{}}
	if s.O.Apart { // in a partial run, waiting for a node means waiting for the feeds it needs
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
	effects bool // some node has effects
	before  map[*ir.Node][]*ir.Node
	loops   map[*ir.Region]*loopOf
}

// loopOf describes a loop.
type loopOf struct {
	nodes  []*ir.Node // nodes in the loop and in its inner regions
	active bool       // some node of the loop matters; see matters
	done   bool
	before []*ir.Node // nodes outside the loop that must run before the loop begins
	reads  int        // before[:reads] are needed by data edges, the others only by control edges
}

// most is the largest number of control edges that may replace one edge from a pure node.
const most = 8

// matters reports whether a control edge from n must stay an edge from n: n has effects, reads
// state that may change, or decides whether the edge's target runs.
func (d *cleaner) matters(n *ir.Node) bool {
	switch d.lv[n] {
	case lower.Effects:
		return true
	case lower.Reads:
		return d.effects || d.cond[n]
	}
	return d.cond[n]
}

// sources returns the nodes whose control edges can replace one from n. It returns only n if n
// matters, or if there would be too many nodes. Dce first calls sources for all nodes in graph
// order, so each call recurses only one level.
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

// entry returns the nodes that n waits for because of its regions: the sources of its branches'
// conditions, and the nodes that its loops wait for.
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

// outside returns the nodes outside a loop that must run before the loop begins.
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

// controls simplifies the control edges into n.
func (d *cleaner) controls(n *ir.Node) bool {
	seen := map[*ir.Node]bool{n: true}
	for _, o := range n.Ins {
		if !edit.IsFlow(d.s.O.Ops, n) && !edit.IsFlow(d.s.O.Ops, o.Node) && !ir.Joins(n.Op) {
			seen[o.Node] = true // reading a node implies waiting for it
		}
	}
	for _, p := range d.entry(n) {
		seen[p] = true
	}
	// If a loop waits for a node only because of control edges into the loop, those edges must
	// stay.
	for r := n.Region.InnerLoop(); r != nil; r = r.Parent.InnerLoop() {
		for _, p := range d.outside(r)[d.loops[r].reads:] {
			delete(seen, p)
		}
	}
	ended := map[*ir.Region]bool{} // loops whose end is awaited by a node in keep
	var keep []*ir.Node
	for _, c := range n.Controls {
		from := d.sources(c)
		if n.Op == ir.YieldOp && c.Op == ir.YieldOp {
			from = []*ir.Node{c} // the edge records which of a Merge's inputs comes last
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

// targets replaces each target that only returns the handle of a variable by the nodes that the
// target waits for. It reports whether it replaced any. Targets that return handles of queues and
// tables stay, so that invalid handles are still rejected.
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
