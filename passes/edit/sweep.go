package edit

import "github.com/graphc/graphc/ir"

// Sweep drops what a pass left without readers, so that the next does not count it
// among them.
func (s *State) Sweep() {
	s.G.Keep(Needed(s.G))
	Symbols(s.G)
}

// Symbols drops the sizes whose producer is gone.
func Symbols(g *ir.Graph) {
	for name, sy := range g.Symbols {
		if g.Node(sy.Out.Node.Name) != sy.Out.Node {
			delete(g.Symbols, name)
		}
	}
}

// Needed returns the nodes that fetches, targets and feeds reach backwards. What
// is needed needs the conditions under which it runs.
func Needed(g *ir.Graph) map[*ir.Node]bool {
	keep := make(map[*ir.Node]bool, len(g.Nodes))
	var work []*ir.Node
	add := func(n *ir.Node) {
		if !keep[n] {
			keep[n] = true
			work = append(work, n)
		}
	}
	for _, f := range g.Feeds {
		add(f.Out.Node)
	}
	for _, f := range g.Fetches {
		add(f.Out.Node)
	}
	for _, t := range g.Targets {
		add(t)
	}
	within := map[*ir.Region]bool{nil: true}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for r := n.Region; !within[r]; r = r.Parent {
			within[r] = true
			add(r.Cond.Node)
		}
		for _, o := range n.Ins {
			add(o.Node)
		}
		for _, c := range n.Controls {
			add(c)
		}
	}
	return keep
}
