package passes

import (
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/passes/flow"
	"github.com/graphc/graphc/passes/state"
	"github.com/graphc/graphc/rt/tensor"
)

// Prepare runs the passes that come before the pass named state. Writers can then find the
// variables to which the graph writes, which the pass named state must know. BindIO must have bound
// the graph. Prepare does not place nodes, because the device of a node has no effect on the
// variables to which it writes.
func Prepare(g *ir.Graph, o edit.Options) error {
	s := edit.NewState(g, o)
	for _, p := range order(s) {
		if p.Name == "state" {
			break
		}
		if p.Phase == Placement {
			continue
		}
		if _, err := one(s, p, 1); err != nil {
			return err
		}
	}
	return nil
}

// MayWrite reports whether the graph or its library contains a node that may write to a variable.
// It also considers nodes that no signature needs.
func MayWrite(ops *lower.Table, g *ir.Graph) bool {
	if writes(ops, g) {
		return true
	}
	if g.Library == nil {
		return false
	}
	for _, f := range g.Library.Functions {
		if f.Body != nil && writes(ops, f.Body) {
			return true
		}
	}
	return false
}

func writes(ops *lower.Table, g *ir.Graph) bool {
	for _, n := range g.Nodes {
		d := opdef.Lookup(n.Op)
		if d == nil || state.ReadsVar(ops, n) || edit.IsFlow(ops, n) || ops.Level(n.Op) == lower.Called || ops.Is(n.Op, lower.Forward) {
			continue
		}
		for _, a := range d.Ins {
			if a.Ref || a.DType == tensor.Resource {
				return true
			}
		}
	}
	return false
}

// Writers returns the variables that a graph may write, by the names of their nodes and by their
// lower.VariableKey.
func Writers(ops *lower.Table, g *ir.Graph) map[string]bool { return state.Writers(ops, g) }

// InFrames returns the nodes in loops of TensorFlow 1.
func InFrames(g *ir.Graph) map[*ir.Node]bool { return flow.InFrames(g) }

// ExpandCalls replaces those calls on which at least one of the given nodes depends by the bodies
// of the called functions. BindIO must not have bound the graph yet. See flow.Expand.
func ExpandCalls(g *ir.Graph, o edit.Options, nodes ...*ir.Node) error {
	needed := edit.Upstream(nodes...)
	return flow.Expand(edit.NewState(g, o), func(n *ir.Node) bool { return needed[n] })
}
