package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// mostWaits is the largest number of nodes that the pass Waits visits for each control edge.
const mostWaits = 256

// Waits removes a control edge if there is a longer path from its source to its target. All inner
// nodes of the path must be in the same region and must read state or have effects, because other
// nodes may be rewritten or removed by a pass. The control inputs of a Yield are kept, because they
// record which input of a Merge comes last.
func Waits(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	pos := make(map[*ir.Node]int, len(order))
	for i, n := range order {
		pos[n] = i
	}
	e := s.Edit()
	cond := edit.Conditional(s.O.Ops, s.G)
	fixed := func(n, at *ir.Node) bool {
		return n.Region == at.Region && s.Levels.Of(n) >= lower.Reads && !ir.Joins(n.Op) && !cond[n]
	}
	for _, n := range order {
		if len(n.Controls) == 0 || ir.Joins(n.Op) || !fixed(n, n) {
			continue
		}
		var keep []*ir.Node
		for _, c := range n.Controls {
			if !fixed(c, n) || !implied(n, c, pos, fixed) {
				keep = append(keep, c)
			}
		}
		if len(keep) < len(n.Controls) {
			if !e.Changed(n, "a longer path implies the control edge") {
				break
			}
			n.Controls = keep
		}
	}
	return e.Apply(), nil
}

// implied reports whether n waits for c by another path.
func implied(n, c *ir.Node, pos map[*ir.Node]int, fixed func(n, at *ir.Node) bool) bool {
	seen := map[*ir.Node]bool{}
	var todo []*ir.Node
	before := func(m *ir.Node) []*ir.Node {
		ps := slices.Clone(m.Controls)
		for _, o := range m.Ins {
			ps = append(ps, o.Node)
		}
		return ps
	}
	for _, p := range before(n) {
		if p != c && !seen[p] && fixed(p, n) && pos[p] > pos[c] {
			seen[p] = true
			todo = append(todo, p)
		}
	}
	for len(todo) > 0 && len(seen) < mostWaits {
		m := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, p := range before(m) {
			if p == c {
				return true
			}
			if !seen[p] && fixed(p, n) && pos[p] > pos[c] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	return false
}
