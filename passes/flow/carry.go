package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// Carry removes the nodes by which a value only enters or leaves a region. A loop variable that no
// iteration changes is replaced by its initial value. A Merge is replaced by a tensor if all its
// inputs are this tensor, and if the tensor is from an enclosing region. This is important for
// loops: the body of a TensorFlow function gets all values as arguments, so shapes and axes that it
// uses would otherwise be unknown.
func Carry(s *edit.State) (bool, error) {
	if !slices.ContainsFunc(s.G.Nodes, func(n *ir.Node) bool { return ir.Joins(n.Op) }) {
		return false, nil
	}
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	e := s.Edit()
	readers := s.G.Readers()
	fetched := map[ir.Out]bool{}
	for _, f := range s.G.Fetches {
		fetched[f.Out] = true
	}
	// Each replacement may enable another one, inside or around its region.
	for more := true; more; {
		more = false
		for _, n := range order {
			o := ir.Out{Node: n}
			if e.Resolve(o) != o || len(n.Controls) > 0 {
				continue
			}
			var to ir.Out
			why := ""
			switch n.Op {
			case ir.LoopVarOp:
				if next := n.Ins[1].Node; len(next.Controls) == 0 && handed(s.O.Ops, e, next.Ins[0]) == o {
					to, why = e.Resolve(n.Ins[0]), "no iteration changes it"
				}
			case ir.MergeOp:
				index := ir.Out{Node: n, Index: 1}
				if len(n.Outs) > 1 && (len(readers[index]) > 0 || fetched[index]) {
					continue
				}
				if from, ok := oneValue(s.O.Ops, e, n); ok && ends(s, e, n) {
					to, why = from, "all branches give this value"
				}
			}
			if why == "" {
				continue
			}
			if !e.Replace(o, to, why) {
				return e.Apply(), nil
			}
			more = true
		}
	}
	return e.Apply(), nil
}

// ends reports whether the loops from which m, a Merge, gets its inputs can end. A loop whose
// condition is the same in each iteration may run forever. The nodes after such a loop must then
// not run, so m must not be replaced.
func ends(s *edit.State, e *ir.Editor, m *ir.Node) bool {
	for _, y := range m.Ins {
		for r := y.Node.Region; r != nil && !r.Encloses(m.Region); r = r.Parent {
			if r.Loop && !varies(s, e, r) {
				return false
			}
		}
	}
	return true
}

// varies reports whether a loop's condition depends on a variable of the loop or on state.
func varies(s *edit.State, e *ir.Editor, loop *ir.Region) bool {
	seen := map[*ir.Node]bool{}
	var visit func(o ir.Out) bool
	visit = func(o ir.Out) bool {
		n := e.Resolve(o).Node
		if seen[n] {
			return false
		}
		seen[n] = true
		if n.Op == ir.LoopVarOp && n.Region == loop || s.Levels.Of(n) == lower.Reads || s.Levels.Of(n) == lower.Effects {
			return true
		}
		return loop.Encloses(n.Region) && slices.ContainsFunc(n.Ins, visit)
	}
	return visit(loop.Cond)
}

// handed returns o or, if o is the output of a node that only returns its input and has no control
// inputs, the tensor that is the input of this node or of a chain of such nodes.
func handed(ops *lower.Table, e *ir.Editor, o ir.Out) ir.Out {
	for {
		o = e.Resolve(o)
		n := o.Node
		if !ops.Is(n.Op, lower.Forward) || o.Index != 0 || len(n.Ins) != 1 || len(n.Outs) != 1 || len(n.Controls) > 0 {
			return o
		}
		o = n.Ins[0]
	}
}

// oneValue returns the tensor that all inputs of m, a Merge, are equal to. It returns false if they
// may differ, or if the tensor is not from an enclosing region.
func oneValue(ops *lower.Table, e *ir.Editor, m *ir.Node) (ir.Out, bool) {
	var one ir.Out
	for i, y := range m.Ins {
		o := handed(ops, e, y.Node.Ins[0])
		if i > 0 && o != one || len(y.Node.Controls) > 0 || !o.Node.Region.Encloses(m.Region) {
			return ir.Out{}, false
		}
		one = o
	}
	return one, len(m.Ins) > 0
}
