package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
)

// Hoist moves loop-invariant nodes out of a loop: pure nodes whose inputs are all outside the loop.
// A hoisted node runs exactly once, so it must not cause an error that the loop would not cause. A
// node that runs in every iteration can be hoisted, because every loop has at least one iteration.
// A node that runs only while the loop's condition is true may never run, so it is hoisted only if
// it cannot fail. Nodes in other branches of the body stay. Lists stay too: an iteration can change
// its list in place, but it would have to copy a hoisted list.
func Hoist(s *edit.State) (bool, error) {
	if !s.G.Branches() {
		return false, nil
	}
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	e := s.Edit()
	for _, n := range order {
		if n.Region == nil || ir.Joins(n.Op) || algebra.MakesList(n) || len(n.Controls) > 0 || s.Levels.Of(n) != lower.Pure {
			continue
		}
		to := outOfLoops(s.O.Ops, n)
		if to == n.Region {
			continue
		}
		if !e.Changed(n, "every iteration computes the same") {
			break
		}
		n.Region = to
	}
	return e.Apply(), nil
}

// outOfLoops returns the outermost region to which n may move.
func outOfLoops(ops *lower.Table, n *ir.Node) *ir.Region {
	at := n.Region
	for {
		l := at.InnerLoop()
		if l == nil {
			return at
		}
		body := at.Parent == l && !at.Loop && at.Cond == l.Cond && !at.Neg
		if at != l && !body || !edit.Deepest(n).Encloses(l.Parent) || body && !ops.Total(n) {
			return at
		}
		at = l.Parent
	}
}
