package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// Carry removes values that regions only pass through. A loop's variable that no iteration changes
// becomes its first value. A Merge whose inputs are all the same tensor from an enclosing region
// becomes that tensor. The bodies of TensorFlow's functions get everything they read as arguments,
// so this is how shapes and axes in loops become known.
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

// ends reports whether all loops whose values a Merge reads have a condition that changes from
// iteration to iteration. A loop with an unchanging condition may run forever. Nodes after such a
// loop must never run, so they must go on reading from it.
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

// handed follows a tensor back through nodes that pass it through and have no control inputs.
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

// oneValue returns the tensor that is the value of all inputs of a Merge. The result is false if
// the values differ or if the tensor is not from an enclosing region.
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
