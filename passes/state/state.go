package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// ReadsVar reports whether n, a node that takes the handle of a variable, leaves the variable's
// value unchanged.
func ReadsVar(ops *lower.Table, n *ir.Node) bool { return ops.Level(n.Op) == lower.Reads }

// touches reports whether a node may change a variable through its input i, which is the variable's
// handle or a reference to the variable.
func touches(ops *lower.Table, n *ir.Node, i int) bool {
	if lo, hi := lower.HandsOn(n); ReadsVar(ops, n) || i >= lo && i < hi && !lower.HandsOutRef(n.Op) || n.Op == "DestroyTemporaryVariable" {
		return false
	}
	return n.Ins[i].Fact().DType == tensor.Resource || edit.RefArg(n, i)
}

// isOpaque reports whether a node calls functions but cannot be compiled. The effect of these
// functions on variables is unknown; the compiler reports the node elsewhere.
func isOpaque(ops *lower.Table, n *ir.Node) bool {
	if d := ops.Lookup(n.Op); d != nil && d.Lower != nil {
		return false
	}
	for _, a := range n.Attrs {
		if _, ok := a.(ir.Func); ok {
			return true
		}
	}
	return false
}

// Writers returns the variables that nodes of g may write. The map contains two keys for each
// variable: the name of its node and its lower.VariableKey. The second key is needed because nodes
// of different names may share a variable. A variable whose handle goes to an op with unknown
// behavior counts as written.
func Writers(ops *lower.Table, g *ir.Graph) map[string]bool {
	w := map[string]bool{}
	for _, n := range g.Nodes {
		if isOpaque(ops, n) {
			continue
		}
		for i, o := range n.Ins {
			if !touches(ops, n, i) {
				continue
			}
			vars, _ := lower.Variables(o)
			for _, v := range vars {
				w[v.Node.Name], w[lower.VariableKey(v)] = true, true
			}
		}
	}
	return w
}

// written returns a function that reports whether any node writes a given variable, either in this
// graph or in another signature of the program.
func written(s *edit.State) func(v ir.Out) bool {
	own := Writers(s.O.Ops, s.G)
	return func(v ir.Out) bool {
		name, key := v.Node.Name, lower.VariableKey(v)
		return own[name] || own[key] || s.O.Written != nil && (s.O.Written(name) || s.O.Written(key))
	}
}

// HoldsState gives initial values from the checkpoint to tables, and to those variables that the
// program writes.
func HoldsState(s *edit.State) (bool, error) {
	written := written(s)
	var errs []error
	changed := false
	for _, n := range s.G.Nodes {
		if s.O.Needed != nil {
			if err := s.O.Needed(n.Name); err != nil {
				errs = append(errs, tensor.AtNode(err, n.Name, n.OpName()))
				continue
			}
		}
		if s.O.Ops.Is(n.Op, lower.SavedTable) {
			did, err := beginTable(s, n)
			changed = changed || did
			if err != nil {
				errs = append(errs, tensor.AtNode(err, n.Name, n.OpName()))
			}
			continue
		}
		if !isKept(n) || !written(ir.Out{Node: n}) {
			continue
		}
		did, err := begin(s, n)
		changed = changed || did
		if err != nil {
			errs = append(errs, err)
		}
	}
	return changed, edit.SortedJoin(errs)
}

// isKept reports whether n is a variable that outlives runs and may have a value in a checkpoint.
func isKept(n *ir.Node) bool {
	return n.Op == "VarHandleOp" || n.Op == "Variable" || n.Op == "VariableV2"
}

// begin looks for a variable's value in the checkpoint. If the checkpoint has a value, begin stores
// it in an attribute of the variable's node as the initial value.
func begin(s *edit.State, n *ir.Node) (bool, error) {
	name(s, n)
	if n.Attrs[lower.VariableValue] != nil {
		return false, nil
	}
	t, err := load(s, n)
	if tensor.CodeOf(err) == tensor.FailedPrecondition {
		return false, nil
	}
	if err != nil {
		return false, tensor.AtNode(err, n.Name, n.OpName())
	}
	e := s.Edit()
	n.Attrs[lower.VariableValue] = t
	e.Changed(n, "begins with its value in the checkpoint")
	return e.Apply(), nil
}

// beginTable sets attributes of a table's node: its initial contents, if the checkpoint has them,
// and the names under which the checkpoint holds them.
func beginTable(s *edit.State, n *ir.Node) (bool, error) {
	if s.O.Table == nil || n.Attrs[lower.TableCheckpoint] != nil {
		return false, nil
	}
	keys, values, names, err := s.O.Table(n.Name)
	if err != nil || names == nil {
		return false, err
	}
	n.Attrs[lower.TableCheckpoint] = names
	if keys == nil {
		return false, nil
	}
	e := s.Edit()
	n.Attrs[lower.TableKeys], n.Attrs[lower.TableValues] = keys, values
	e.Changed(n, "begins with its contents in the checkpoint")
	return e.Apply(), nil
}

// The function name stores the key under which the checkpoint holds a variable in an attribute of
// the variable's node. If the variable is only a slice of a larger saved variable, a second
// attribute describes the slice.
func name(s *edit.State, n *ir.Node) {
	if s.O.Keys == nil || n.Attrs[lower.VariableCheckpoint] != nil {
		return
	}
	if key, slice, told := s.O.Keys(n.Name); told {
		n.Attrs[lower.VariableCheckpoint] = key
		if slice != "" {
			n.Attrs[lower.VariableSlice] = slice
		}
	}
}

// load returns a variable's value in the checkpoint. The error is FailedPrecondition if the
// checkpoint has no value for the variable.
func load(s *edit.State, v *ir.Node) (*tensor.Tensor, error) {
	if s.O.Values == nil {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the variable has no value: the model comes without a checkpoint")
	}
	t, err := s.O.Values(v.Name)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the variable has no value")
	}
	if d := v.DType("dtype"); d != tensor.Invalid && d != t.DType {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the checkpoint holds %v and the variable is declared %v", t.DType, d)
	}
	p := lower.VariableShape(ir.Out{Node: v})
	bad := !p.UnknownRank && len(p.Dims) != len(t.Shape)
	for i := 0; !bad && i < len(p.Dims); i++ {
		bad = p.Dims[i] >= 0 && p.Dims[i] != int64(t.Shape[i])
	}
	if bad {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the checkpoint holds the shape %v and the variable is declared %v", t.Shape, p.Dims)
	}
	return t, nil
}
