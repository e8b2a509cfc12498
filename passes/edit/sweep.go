package edit

import (
	"slices"

	"github.com/graphc/graphc/ir"
)

// Sweep drops the nodes that have become unused. Otherwise the next pass would count them as
// readers of their inputs.
func (s *State) Sweep() {
	s.G.Keep(Needed(s.G))
	Symbols(s.G)
}

// Symbols drops the symbolic sizes that a dropped node defined.
func Symbols(g *ir.Graph) {
	for name, sy := range g.Symbols {
		if g.Node(sy.Out.Node.Name) != sy.Out.Node {
			delete(g.Symbols, name)
		}
	}
}

// Needed returns the nodes that fetches, targets and feeds need.
func Needed(g *ir.Graph) map[*ir.Node]bool {
	roots := slices.Clone(g.Targets)
	for _, f := range g.Feeds {
		roots = append(roots, f.Out.Node)
	}
	for _, f := range g.Fetches {
		roots = append(roots, f.Out.Node)
	}
	return Upstream(roots...)
}

// Upstream returns the given nodes and all nodes they depend on: by inputs, by control edges and by
// the conditions of their regions.
func Upstream(nodes ...*ir.Node) map[*ir.Node]bool {
	keep := map[*ir.Node]bool{}
	var work []*ir.Node
	add := func(n *ir.Node) {
		if !keep[n] {
			keep[n] = true
			work = append(work, n)
		}
	}
	for _, n := range nodes {
		add(n)
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
