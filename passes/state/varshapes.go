package state

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// shaped is an attribute that marks the variables' nodes that this pass has handled. The mark is
// needed because the passes may run again on a part of a graph.
const shaped = "_shaped"

// VarShapes sets attribute shape of each variable's node to a shape that covers all values the
// variable may have. Readers rely on this shape and assignments must match it. Some assignments do
// not check their value against the declared shape. If the value of such an assignment has another
// shape, and this shape is known or the value is a feed of any shape, VarShapes widens the
// variable's shape to cover it. If a variable has no declared rank and all assigned values have the
// same rank, the variable gets that rank. The pass inspects the whole graph, because any signature
// may assign a variable.
func VarShapes(s *edit.State) (bool, error) {
	assigned := map[string][]*ir.Node{}
	for _, n := range s.G.Nodes {
		if n.Op != "Assign" && n.Op != "AssignVariableOp" || len(n.Ins) != 2 {
			continue
		}
		if vars, ok := lower.Variables(n.Ins[0]); ok && len(vars) == 1 {
			key := lower.VariableKey(vars[0])
			assigned[key] = append(assigned[key], n)
		}
	}
	if len(assigned) == 0 {
		return false, nil
	}
	e := s.Edit()
	v := &valueShapes{s: s}
	for _, n := range s.G.Nodes {
		o := ir.Out{Node: n}
		if !isKept(n) || n.Attrs[shaped] != nil || len(assigned[lower.VariableKey(o)]) == 0 {
			continue
		}
		n.Attrs[shaped] = true
		declared := lower.VariableShape(o)
		shape := declared
		if shape.UnknownRank {
			shape = v.join(assigned[lower.VariableKey(o)])
		} else {
			for _, a := range assigned[lower.VariableKey(o)] {
				if !lower.Validates(a) && !(besides(a, n) && v.contradicts(declared, a.Ins[1])) {
					shape = v.widen(shape, a.Ins[1])
				}
			}
		}
		if shape.UnknownRank == declared.UnknownRank && slices.Equal(shape.Dims, declared.Dims) {
			continue
		}
		n.Attrs["shape"] = shape
		e.Changed(n, "assignments may give its value another shape")
	}
	v = &valueShapes{s: s, feeds: true}
	for _, n := range s.G.Nodes {
		if !isKept(n) {
			continue
		}
		if nodes := assigned[lower.VariableKey(ir.Out{Node: n})]; len(nodes) > 0 && v.assume(n, nodes) {
			e.Changed(n, "the assignments define the rank of its value")
		}
	}
	return e.Apply(), nil
}

// besides reports whether n is an AssignVariableOp of the given variable in the variable's own
// region and function. Only there does TensorFlow's shape inference know the declared shape of the
// variable, so that it rejects a value of another shape.
func besides(n, variable *ir.Node) bool {
	return n.Op == "AssignVariableOp" && n.Ins[0].Node == variable && lower.Beside(n, variable)
}

// contradicts reports whether a value cannot have the shape s.
func (v *valueShapes) contradicts(s ir.PartialShape, value ir.Out) bool {
	x := v.of(value)
	if !x.Known || s.UnknownRank {
		return false
	}
	bad := len(x.Dims) != len(s.Dims)
	for k := 0; !bad && k < len(x.Dims); k++ {
		n, static := x.Dims[k].IsInt()
		bad = static && s.Dims[k] >= 0 && int64(n) != s.Dims[k]
	}
	return bad
}

// valueShapes finds the shapes of assigned values. It runs shape inference only if a value is not a
// constant.
type valueShapes struct {
	s *edit.State
	// feeds says whether inference uses the shapes of this signature's feeds, although other
	// signatures may have feeds of other shapes.
	feeds    bool
	inferred bool
}

// assume sets the rank of a variable of undeclared rank if all values that this signature assigns
// have the same rank: see lower.AssumedRank. It reports whether it set the rank.
func (v *valueShapes) assume(n *ir.Node, nodes []*ir.Node) bool {
	if !lower.VariableShape(ir.Out{Node: n}).UnknownRank || n.Attrs[lower.AssumedRank] != nil {
		return false
	}
	shape := v.join(nodes)
	if shape.UnknownRank {
		return false
	}
	n.Attrs[lower.AssumedRank] = int64(len(shape.Dims))
	return true
}

func (v *valueShapes) of(o ir.Out) ir.Shape {
	if t := o.Node.Value(); t != nil {
		return ir.StaticShape(t.Shape...)
	}
	if !v.inferred {
		v.inferred = true
		feeds := v.s.G.Feeds
		if !v.feeds {
			v.s.G.Feeds = nil
		}
		// A node that inference rejects has an unknown shape. If the node is needed, a later pass
		// reports its error.
		_ = edit.Infer(v.s.O.Ops, v.s.G)
		v.s.G.Feeds, v.s.Stale = feeds, true
	}
	for range edit.MaxDepth {
		if t := o.Fact().Shape; t.Known {
			return t
		}
		// These nodes pass their input through. Most of them are removed later, by pass flow.
		switch o.Node.Op {
		case "Switch", "Enter", "Exit", "NextIteration", "Identity":
			o = o.Node.Ins[0]
			continue
		}
		break
	}
	return ir.Shape{}
}

// join returns one shape that covers all assigned values. A value whose shape is unknown is assumed
// to have the rank of the other values; a read rejects any other rank. If there is a value of
// unknown shape, or if a function assigns a variable, all sizes of the result are unknown. If a
// value is a feed of unknown rank, the rank of the result is unknown, too.
func (v *valueShapes) join(nodes []*ir.Node) ir.PartialShape {
	out := ir.PartialShape{UnknownRank: true}
	open, known := v.assigns(), false
	for _, n := range nodes {
		switch t := v.of(n.Ins[1]); {
		case t.Known && !known:
			out, known = edit.Partial(t), true
		case t.Known:
			out = widened(out, edit.Partial(t))
		case anyFed(n.Ins[1]):
			return ir.PartialShape{UnknownRank: true}
		default:
			open = true
		}
	}
	if open {
		for k := range out.Dims {
			out.Dims[k] = -1
		}
	}
	return out
}

// assigns reports whether a function may assign a variable of its caller.
func (v *valueShapes) assigns() bool {
	if v.s.G.Library == nil {
		return false
	}
	for _, f := range v.s.G.Library.Functions {
		if f.Body != nil && slices.ContainsFunc(f.Body.Nodes, func(n *ir.Node) bool { return n.Op == "AssignVariableOp" || n.Op == "Assign" }) {
			return true
		}
	}
	return false
}

// widen returns a shape that covers s and the shape of the value o.
func (v *valueShapes) widen(s ir.PartialShape, o ir.Out) ir.PartialShape {
	if t := v.of(o); t.Known {
		p := edit.Partial(t)
		if len(p.Dims) == len(s.Dims) {
			for i, d := range p.Dims {
				if d < 0 && !fed(o) {
					p.Dims[i] = s.Dims[i] // a size that is known only at run time is assumed to be the declared one
				}
			}
		}
		return widened(s, p)
	}
	if fed(o) {
		return ir.PartialShape{UnknownRank: true}
	}
	return s
}

// anyFed reports whether o is the value of a feed of unknown rank, possibly after it has passed
// through Identity and control-flow nodes.
func anyFed(o ir.Out) bool {
	n := o.Node
	for range edit.MaxDepth {
		switch n.Op {
		case "Placeholder", "PlaceholderV2":
			return !n.Outs[0].Shape.Known
		case "Switch", "Enter", "Exit", "NextIteration", "Identity":
			n = n.Ins[0].Node
		default:
			return false
		}
	}
	return false
}

// fed reports whether o is computed from a single feed, by a chain of nodes with one input each,
// and the shape of that feed is not fully known.
func fed(o ir.Out) bool {
	n := o.Node
	for range edit.MaxDepth {
		if n.Op == "Placeholder" || n.Op == "PlaceholderV2" {
			_, static := n.Outs[0].Shape.Static()
			return !static
		}
		if len(n.Ins) != 1 {
			return false
		}
		n = n.Ins[0].Node
	}
	return false
}

// widened returns the shape that covers s and t.
func widened(s, t ir.PartialShape) ir.PartialShape {
	if s.UnknownRank || t.UnknownRank || len(s.Dims) != len(t.Dims) {
		return ir.PartialShape{UnknownRank: true}
	}
	dims := slices.Clone(s.Dims)
	for k, d := range t.Dims {
		if dims[k] != d {
			dims[k] = -1
		}
	}
	return ir.PartialShape{Dims: dims}
}
