package lower

import (
	"errors"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// maxLoopRounds limits how often Infer repeats the inference for loops until the shapes of loop
// variables no longer change. Each dimension of a variable changes at most once: from the dimension
// of its first value to a size of the loop. After that, its rank may become unknown once. Changes
// in a loop can cause changes in the loops around it and inside it.
const maxLoopRounds = 64

// Infer computes the facts of all nodes, beginning with the feeds. It returns all errors, joined,
// and skips nodes with a failed input.
//
// A loop variable begins with the facts of its first value. If the next value has another shape,
// Infer repeats the loop with fewer assumptions about the variable, until nothing changes.
func (t *Table) Infer(g *ir.Graph) error {
	order, err := g.Order()
	if err != nil {
		return err
	}
	in := &inferrer{t: t, g: g, fed: map[ir.Out]*ir.Feed{}, bad: map[*ir.Node]error{}, vars: map[*ir.Node]ir.Shape{}}
	for i := range g.Feeds {
		in.fed[g.Feeds[i].Out] = &g.Feeds[i]
	}
	in.settle(order)
	from := len(order)
	for i, n := range order {
		if n.Op == ir.LoopVarOp {
			from = i
			break
		}
	}
	for round := 0; in.late == nil && from < len(order) && in.widen(order[from:], round >= maxLoopRounds); round++ {
		in.settle(order[from:])
	}
	if in.late != nil {
		return in.late
	}
	var errs []error
	for _, n := range order {
		if err := in.bad[n]; err != nil && err != errPassedOver {
			errs = append(errs, tensor.AtNode(err, n.Name, n.OpName()))
		}
	}
	for _, r := range g.Regions() {
		if c := r.Cond; c.Node != nil && in.bad[c.Node] == nil && c.Fact().Shape.Rank() > 0 {
			errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "the predicate of a conditional or a loop must be a scalar, not of the shape %v", c.Fact().Shape), c.Node.Name, c.Node.OpName()))
		}
	}
	return tensor.Join(errs...)
}

// errPassedOver marks a node that has an input without facts.
var errPassedOver = errors.New("an input has an error")

type inferrer struct {
	t   *Table
	g   *ir.Graph
	fed map[ir.Out]*ir.Feed
	bad map[*ir.Node]error
	// vars holds the shapes of those loop variables whose shape is not the shape of their first
	// value.
	vars map[*ir.Node]ir.Shape
	late error // the error if the deadline has passed, otherwise nil
}

// settle computes the facts of nodes in topological order. A node that reads a container depends on
// the facts of the container's writers. Since no edge orders the writers before the reader, the
// reader's facts may be based on outdated facts. In this case, settle repeats the computation.
func (in *inferrer) settle(order []*ir.Node) {
	in.pass(order)
	for range maxSettleRounds {
		if in.late != nil {
			return
		}
		again := false
		for _, n := range order {
			if in.bad[n] != nil || !in.t.holding(n.Op).LooksInside {
				continue
			}
			was := slices.Clone(n.Outs)
			if err := in.t.InferNode(in.g, n); err != nil {
				in.bad[n] = err
			}
			for i := range was {
				a, b := was[i].Shape, n.Outs[i].Shape
				again = again || a.Known != b.Known || a.Known && !a.Equal(b)
				x, y := was[i].Ints, n.Outs[i].Ints
				again = again || y != nil && !slices.EqualFunc(x, y, (*sym.Expr).Equal)
			}
			n.Outs = was // Restore the facts, including the symbols for elements that IntsOf has added.
		}
		if !again {
			return
		}
		in.pass(order)
	}
}

// maxSettleRounds limits the number of repetitions in settle. If the tensors in a container depend
// on the tensors in another container, one more repetition is needed for each container in such a
// chain.
const maxSettleRounds = 16

// pass computes the facts of nodes in topological order.
func (in *inferrer) pass(order []*ir.Node) {
	for i, n := range order {
		if i%1024 == 0 {
			if in.late = in.g.Deadline.Err(); in.late != nil {
				return
			}
		}
		delete(in.bad, n)
		ins := n.Ins
		if n.Op == ir.LoopVarOp {
			ins = ins[:1]
		}
		for _, o := range ins {
			if in.bad[o.Node] != nil {
				in.bad[n] = errPassedOver
			}
		}
		if in.bad[n] != nil {
			unknown(n)
			continue
		}
		if err := in.t.InferNode(in.g, n); err != nil {
			in.bad[n] = err
			unknown(n) // the facts of a rejected node must not be used
		}
		if s, ok := in.vars[n]; ok {
			n.Outs[0] = ir.Fact{DType: n.Outs[0].DType, Shape: s}
		}
		for i := range n.Outs {
			if f := in.fed[ir.Out{Node: n, Index: i}]; f != nil && f.Shape.Known {
				d := n.Outs[i].DType
				n.Outs[i] = ir.Fact{DType: d, Shape: f.Shape}
			}
		}
	}
}

// unknown clears the facts of a node's outputs except the element types.
func unknown(n *ir.Node) {
	for i := range n.Outs {
		n.Outs[i] = ir.Fact{DType: n.Outs[i].DType}
	}
}

// widen finds the dimensions of loop variables that an iteration changes, and replaces each of them
// by a symbol. With all == true, it makes the complete shapes of these variables unknown instead. It
// reports whether anything changed.
func (in *inferrer) widen(order []*ir.Node, all bool) bool {
	changed := false
	for _, n := range order {
		if n.Op != ir.LoopVarOp || in.bad[n] != nil || len(n.Ins) != 2 || in.bad[n.Ins[1].Node] != nil {
			continue
		}
		was, next := n.Outs[0].Shape, n.Ins[1].Fact().Shape
		s := JoinShapes(&Shaper{in.g, n, in.t}, was, []ir.Shape{was, next}, n.Region)
		if all && !s.Equal(was) {
			s = ir.Shape{}
		}
		if s.Known != was.Known || s.Known && !s.Equal(was) {
			in.vars[n] = s
			changed = true
		}
	}
	return changed
}

// JoinShapes returns a shape that fits all of the given shapes. A dimension that differs between
// them becomes a new symbol, whose value the step of c.Node determines at run time. A dimension
// also becomes a new symbol if it contains a size that is bound in a region that does not enclose
// the given region. If first.Dims already has a symbol of c.Node for the dimension, that symbol
// stays.
func JoinShapes(c *Shaper, first ir.Shape, shapes []ir.Shape, at *ir.Region) ir.Shape {
	for _, s := range shapes {
		if !s.Known || len(s.Dims) != len(first.Dims) {
			return ir.Shape{}
		}
	}
	out := ir.ShapeOf(append(first.Dims[:0:0], first.Dims...)...)
	for k, d := range out.Dims {
		if c.owns(k, d) {
			continue
		}
		same := !c.boundWithin(d, at)
		for _, s := range shapes {
			same = same && s.Dims[k].Equal(d)
		}
		if !same {
			out.Dims[k] = c.NewSizeK(0, k)
		}
	}
	return out
}
