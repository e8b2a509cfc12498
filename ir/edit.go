package ir

import "slices"

// Edit is one entry of the journal.
type Edit struct {
	Pass string
	Node string // the removed or changed node
	New  string // its replacement; "" if it has none
	Why  string
	// N numbers, from 1, the edits that use up fuel (see Editor). It is 0 for other edits: those of
	// required passes, and those that only follow from another edit.
	N int
	// Refused marks an edit that the pass did not make, for the reason Why.
	Refused bool
}

// String formats as "fold: a:0 -> a/const:0: its value is known".
func (e Edit) String() string {
	switch {
	case e.Refused:
		return e.Pass + ": " + e.Node + " left: " + e.Why
	case e.New == "":
		return e.Pass + ": " + e.Node + " removed: " + e.Why
	case e.New == e.Node:
		return e.Pass + ": " + e.Node + " changed: " + e.Why
	}
	return e.Pass + ": " + e.Node + " -> " + e.New + ": " + e.Why
}

// Editor collects the edits of one pass and applies them together, so a pass takes time linear in
// the size of the graph. Each edit uses up one unit of fuel, and edits are rejected when none is
// left. Bisection over the amount of fuel finds a wrong rewrite.
type Editor struct {
	g       *Graph
	pass    string
	fuel    *int // nil: unlimited
	replace map[Out]Out
	control map[*Node]*Node // removed node → the node that replaces it as a control input, if there is one
	removed map[*Node]bool
	stead   map[*Node]*Region
	stood   map[*Node]*Node // a new node → the first node that it replaces
	n       int
	counted int // the number N of the last edit that used up fuel
	refused map[Edit]bool
}

// Edit begins a pass's edits. fuel is the number of edits still allowed; nil means unlimited.
func (g *Graph) Edit(pass string, fuel *int) *Editor {
	counted := 0
	for i := len(g.Journal) - 1; i >= 0 && fuel != nil && counted == 0; i-- {
		counted = g.Journal[i].N
	}
	return &Editor{counted: counted, g: g, pass: pass, fuel: fuel, replace: map[Out]Out{}, control: map[*Node]*Node{}, removed: map[*Node]bool{}, stead: map[*Node]*Region{}, stood: map[*Node]*Node{}}
}

// Stead returns, for each node that replaces others, the innermost region that encloses all the
// replaced nodes. If the new node is placed in that region, all readers of the replaced nodes can
// read it.
func (e *Editor) Stead() map[*Node]*Region { return e.stead }

// Stood returns the first node that n replaces, or nil.
func (e *Editor) Stood(n *Node) *Node { return e.stood[n] }

// stands records that new replaces old.
func (e *Editor) stands(new, old *Node) {
	if e.stood[new] == nil {
		e.stood[new] = old
	}
	r, ok := e.stead[old]
	if !ok {
		r = old.Region
	}
	if s, ok := e.stead[new]; ok {
		r = r.Common(s)
	}
	e.stead[new] = r
}

func (e *Editor) take() bool {
	if e.fuel != nil {
		if *e.fuel <= 0 {
			return false
		}
		*e.fuel--
	}
	e.n++
	return true
}

// note adds an edit to the journal.
func (e *Editor) note(node, new, why string) {
	n := 0
	if e.fuel != nil {
		e.counted++
		n = e.counted
	}
	e.g.Journal = append(e.g.Journal, Edit{Pass: e.pass, Node: node, New: new, Why: why, N: n})
}

// Refuse records why a pass leaves n unchanged although it looked like a candidate. A record costs
// no fuel and is not an edit. Of equal records, only one is kept.
func (e *Editor) Refuse(n *Node, why string) {
	note := Edit{Pass: e.pass, Node: n.Name, New: n.Name, Why: why, Refused: true}
	if e.refused == nil {
		e.refused = map[Edit]bool{}
	}
	if !e.refused[note] {
		e.refused[note] = true
		e.g.Refusals = append(e.g.Refusals, note)
	}
}

// Forget drops the refusals that a pass has recorded. It is called before the pass inspects the
// graph again.
func (g *Graph) Forget(pass string) {
	g.Refusals = slices.DeleteFunc(g.Refusals, func(e Edit) bool { return e.Pass == pass })
}

// Replace records that all readers and fetches of old must use new instead. Apply then changes the
// graph. Replace returns false if old equals new, or if no fuel is left.
func (e *Editor) Replace(old, new Out, why string) bool {
	if old == new || !e.take() {
		return false
	}
	e.replace[old] = new
	e.stands(new.Node, old.Node)
	e.note(old.String(), new.String(), why)
	return true
}

// ReplaceNode replaces all outputs of old by the same outputs of new. Nodes that waited for old
// wait for new. old is removed.
func (e *Editor) ReplaceNode(old, new *Node, why string) bool {
	if old == new || !e.take() {
		return false
	}
	for i := range old.Outs {
		e.replace[Out{old, i}] = Out{new, i}
	}
	e.control[old] = new
	e.stands(new, old)
	e.removed[old] = true
	e.note(old.Name, new.Name, why)
	return true
}

// Remove records that Apply must remove node n. After all edits, no node may read an output of n.
// Nodes that waited for n then wait for its control inputs and for the producers of its inputs.
func (e *Editor) Remove(n *Node, why string) bool {
	if e.removed[n] || !e.take() {
		return false
	}
	e.removed[n] = true
	e.note(n.Name, "", why)
	return true
}

// Changed records that a pass changes node n itself and does not replace it. It returns false if no fuel
// is left; the pass must then leave n unchanged.
func (e *Editor) Changed(n *Node, why string) bool {
	if !e.take() {
		return false
	}
	e.note(n.Name, n.Name, why)
	return true
}

// Resolve returns the tensor that replaces o according to the edits collected so far. If no edit
// replaces o, Resolve returns o.
func (e *Editor) Resolve(o Out) Out {
	for i := 0; ; i++ {
		n, ok := e.replace[o]
		if !ok || i > len(e.replace) {
			return o
		}
		o = n
	}
}

// Apply makes the collected edits in the graph. It reports whether there were any.
func (e *Editor) Apply() bool {
	if e.n == 0 {
		return false
	}
	g := e.g
	waits := map[*Node][]*Node{}
	var waitFor func(n *Node, depth int) []*Node
	waitFor = func(n *Node, depth int) []*Node {
		if !e.removed[n] {
			return []*Node{n}
		}
		if w, ok := waits[n]; ok {
			return w
		}
		waits[n] = nil // ends the recursion in a cycle
		var w []*Node
		if to := e.control[n]; to != nil {
			w = waitFor(to, depth+1)
		} else {
			for _, c := range n.Controls {
				w = append(w, waitFor(c, depth+1)...)
			}
			for _, o := range n.Ins {
				w = append(w, waitFor(e.Resolve(o).Node, depth+1)...)
			}
		}
		waits[n] = dedup(w)
		return waits[n]
	}
	kept := g.Nodes[:0:0]
	for _, n := range g.Nodes {
		if e.removed[n] {
			delete(g.byName, n.Name)
			continue
		}
		kept = append(kept, n)
		for i := range n.Ins {
			n.Ins[i] = e.Resolve(n.Ins[i])
		}
		if len(n.Controls) > 0 {
			var cs []*Node
			for _, c := range n.Controls {
				cs = append(cs, waitFor(c, 0)...)
			}
			n.Controls = without(dedup(cs), n)
		}
	}
	g.Nodes = kept
	for _, r := range g.Regions() {
		if r.Cond.Node != nil {
			r.Cond = e.Resolve(r.Cond)
		}
	}
	for i := range g.Fetches {
		g.Fetches[i].Out = e.Resolve(g.Fetches[i].Out)
	}
	var ts []*Node
	for _, t := range g.Targets {
		ts = append(ts, waitFor(t, 0)...)
	}
	g.Targets = dedup(ts)
	for name, s := range g.Symbols {
		s.Out = e.Resolve(s.Out)
		g.Symbols[name] = s
	}
	return true
}

func dedup(ns []*Node) []*Node {
	seen := make(map[*Node]bool, len(ns))
	out := ns[:0:0]
	for _, n := range ns {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

func without(ns []*Node, n *Node) []*Node {
	out := ns[:0:0]
	for _, m := range ns {
		if m != n {
			out = append(out, m)
		}
	}
	return out
}

// Keep removes every node for which keep is false, without journal entries.
// Control edges from removed nodes are dropped.
func (g *Graph) Keep(keep map[*Node]bool) {
	kept := g.Nodes[:0:0]
	for _, n := range g.Nodes {
		if !keep[n] {
			delete(g.byName, n.Name)
			continue
		}
		kept = append(kept, n)
		cs := n.Controls[:0:0]
		for _, c := range n.Controls {
			if keep[c] {
				cs = append(cs, c)
			}
		}
		n.Controls = cs
	}
	g.Nodes = kept
}

// Rename gives a node a new name, which no other node may have.
func (g *Graph) Rename(n *Node, name string) {
	delete(g.byName, n.Name)
	if g.Renamed == nil {
		g.Renamed = map[string]string{}
	}
	g.Renamed[n.Name] = name
	n.Name = name
	g.byName[name] = n
}
