package state

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// Forward replaces a read of a variable by the value that was just assigned to the variable. Only
// one node of the graph may write the variable: an assignment that the read waits for. Readers of
// the value then wait for the assignment. Models exported by TensorFlow 2 assign the file name of a
// vocabulary to a variable and then read this variable. The pass makes the file name known at
// compile time, where graphc needs it.
func Forward(s *edit.State) (bool, error) {
	type store struct {
		n    *ir.Node
		many bool
	}
	writers := map[string]*store{}
	for _, n := range s.G.Nodes {
		for i, o := range n.Ins {
			if !touches(s.O.Ops, n, i) {
				continue
			}
			vars, whole := lower.Variables(o)
			for _, v := range vars {
				key := lower.VariableKey(v)
				w := writers[key]
				if w == nil {
					w = &store{n: n}
					writers[key] = w
				}
				if w.n != n || i != 0 || n.Op != "AssignVariableOp" || len(vars) != 1 || !whole {
					w.many = true
				}
			}
		}
	}
	e := s.Edit()
	after := map[*ir.Node]*ir.Node{} // key: a read that has been replaced; value: the assignment it waited for
	for _, n := range s.G.Nodes {
		if n.Op != "ReadVariableOp" {
			continue
		}
		vars, whole := lower.Variables(n.Ins[0])
		if len(vars) != 1 || !whole {
			continue
		}
		w := writers[lower.VariableKey(vars[0])]
		if w == nil || w.many || w.n.Region != n.Region || !waitsFor(n, w.n, 0) || w.n.Ins[1].Fact().DType != n.Outs[0].DType {
			continue
		}
		if !e.Replace(ir.Out{Node: n}, w.n.Ins[1], "reads what "+w.n.Name+" has assigned") {
			break
		}
		after[n] = w.n
	}
	// The assignment still runs, because its effect outlives the run.
	for _, m := range s.G.Nodes {
		for _, o := range m.Ins {
			if w := after[o.Node]; w != nil && w != m && !slices.Contains(m.Controls, w) {
				m.Controls = append(m.Controls, w)
			}
		}
	}
	for _, f := range s.G.Fetches {
		if w := after[f.Out.Node]; w != nil && !slices.Contains(s.G.Targets, w) {
			s.G.Targets = append(s.G.Targets, w)
		}
	}
	return e.Apply(), nil
}

// waitsFor reports whether n waits for w by control edges, directly or through NoOps.
func waitsFor(n, w *ir.Node, depth int) bool {
	for _, c := range n.Controls {
		if c == w || c.Op == "NoOp" && depth < 8 && waitsFor(c, w, depth+1) {
			return true
		}
	}
	return false
}
