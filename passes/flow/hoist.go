package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
)

// Hoist moves out of a loop what every iteration computes from the same: pure nodes
// whose inputs all stand outside of it. What runs in every iteration runs once at
// least. What hangs on the loop's condition does not, where the condition is false
// at once, so that of it only what cannot fail moves. What runs in a branch of the
// body stays there, and so do lists, which iterations could not change in place any
// more.
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
