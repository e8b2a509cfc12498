package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
)

// Hoist moves nodes out of a loop if they are loop-invariant: pure nodes whose inputs are all
// outside of the loop.
//
// A hoisted node runs once, even if it would not run in the loop, so it must not cause an error
// that the loop would not cause. A node that runs in each iteration can always be hoisted, because
// every loop has at least one iteration. A node that runs only while the loop's condition is true
// may not run at all; it is hoisted only if it cannot fail. Nodes in other branches of the loop's
// body are not hoisted. Lists are not hoisted, either: an iteration can change a list in place if
// it has created the list, but must copy the list if it comes from outside of the loop.
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

// outOfLoops returns the outermost region to which n may be moved. If n cannot be hoisted, this is
// the region of n.
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
