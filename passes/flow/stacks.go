package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
)

// Stacks replaces a StackPush by an Identity of the pushed element if no node pops from the stack.
// Such pushes occur in the loops of a forward pass whose gradient is not requested. The stack must
// have no size limit, and its handle may only be used to push elements and to close the stack.
func Stacks(s *edit.State) (bool, error) {
	readers := s.G.Readers()
	var pushes []*ir.Node
	for _, n := range s.G.Nodes {
		if n.Op != "Stack" && n.Op != "StackV2" {
			continue
		}
		if n.Op == "StackV2" {
			most, ok := algebra.Ints(n.Ins[0])
			if !ok || len(most) != 1 || most[0] >= 0 {
				continue
			}
		}
		ps, ok := pushedOnly(s.G, ir.Out{Node: n}, readers)
		if ok {
			pushes = append(pushes, ps...)
		}
	}
	e := s.Edit()
	for _, p := range pushes {
		if !e.Changed(p, "the stack is never popped") {
			break
		}
		p.Op, p.Attrs, p.Ins = "Identity", edit.OfType(p.Outs[0].DType), p.Ins[1:2]
	}
	return e.Apply(), nil
}

// pushedOnly returns the nodes that push to the stack with the given handle. It returns false if
// the handle is used for another purpose than pushing and closing.
func pushedOnly(g *ir.Graph, handle ir.Out, readers map[ir.Out][]*ir.Node) ([]*ir.Node, bool) {
	var pushes []*ir.Node
	seen := map[ir.Out]bool{handle: true}
	for todo := []ir.Out{handle}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if slices.ContainsFunc(g.Fetches, func(f ir.Fetch) bool { return f.Out == o }) {
			return nil, false
		}
		for _, r := range readers[o] {
			switch r.Op {
			case "StackPush", "StackPushV2":
				if r.Ins[0] != o || len(r.Ins) != 2 || r.Ins[1] == o {
					return nil, false
				}
				pushes = append(pushes, r)
			case "StackClose", "StackCloseV2":
			case "Identity", ir.LoopVarOp, ir.NextOp, ir.YieldOp, ir.MergeOp:
				if next := (ir.Out{Node: r}); !seen[next] {
					seen[next] = true
					todo = append(todo, next)
				}
			default:
				return nil, false
			}
		}
	}
	return pushes, len(pushes) > 0
}
