package flow

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// inFirst reports whether n runs in the first iteration of its loop if size is positive. It returns
// false unless n is in the body of the loop and not in a branch, and the condition of the loop only
// checks that counters are less than size. The counters must begin at 0.
func (d *denseArray) inFirst(n *ir.Node, size ir.Out) bool {
	l := n.Region.InnerLoop()
	if l == nil || l == d.made.Region.InnerLoop() || n.Region == l || n.Region.Parent != l || n.Region.Cond != l.Cond || n.Region.Neg {
		return false
	}
	return l.Parent == d.made.Region && startsBelow(l.Cond, l, size)
}

// startsBelow reports whether the condition cond of loop l is true in the first iteration if size
// is positive.
func startsBelow(cond ir.Out, l *ir.Region, size ir.Out) bool {
	n := cond.Node
	switch n.Op {
	case "LogicalAnd":
		return startsBelow(n.Ins[0], l, size) && startsBelow(n.Ins[1], l, size)
	case "Identity":
		return startsBelow(n.Ins[0], l, size)
	case "Less":
		i, limit := n.Ins[0].Node, n.Ins[1]
		if i.Op != ir.LoopVarOp || i.Region != l || !isConstInt(i.Ins[0], 0) {
			return false
		}
		a, b := limit.Fact().Ints, size.Fact().Ints
		return limit == size || len(a) == 1 && len(b) == 1 && a[0].Equal(b[0])
	}
	return false
}

// hasShape reports whether each dimension of the element shape is either known at compile time or a
// dimension of a feed.
func (d *denseArray) hasShape() bool {
	for _, e := range d.elem {
		if _, k := d.feedDim(e); e == nil || k < 0 && !isStatic(e) {
			return false
		}
	}
	return true
}

func isStatic(e *sym.Expr) bool { _, ok := e.IsInt(); return ok }

// feedDim returns a feed that has a dimension equal to e, and the axis of this dimension. The axis
// is -1 if there is no such feed.
func (d *denseArray) feedDim(e *sym.Expr) (*ir.Node, int) {
	for _, n := range d.g.Nodes {
		if n.Op != "Placeholder" || n.Region != nil {
			continue
		}
		for k, dim := range n.Outs[0].Shape.Dims {
			if e != nil && dim.Equal(e) {
				return n, k
			}
		}
	}
	return nil, -1
}

// shape adds nodes that compute the element shape as a vector of int32, and returns that vector.
func (d *denseArray) shape() ir.Out {
	m := d.made
	parts := make([]ir.Out, 0, len(d.elem)+1)
	var static []int32
	flush := func() {
		if len(static) > 0 {
			parts = append(parts, d.ints(m, "element", static, len(static)))
		}
		static = nil
	}
	for _, e := range d.elem {
		if v, ok := e.IsInt(); ok {
			static = append(static, int32(v))
			continue
		}
		flush()
		feed, k := d.feedDim(e)
		s := d.node(m, "feed", "Shape", tensor.Int32, map[string]ir.Attr{"T": feed.Outs[0].DType, "out_type": tensor.Int32}, ir.Out{Node: feed})
		parts = append(parts, d.node(m, "dim", "GatherV2", tensor.Int32,
			map[string]ir.Attr{"Tparams": tensor.Int32, "Tindices": tensor.Int32, "Taxis": tensor.Int32, "batch_dims": int64(0)},
			s, d.ints(m, "at", []int32{int32(k)}, 1), d.ints(m, "axis", []int32{0})))
	}
	flush()
	if len(parts) == 0 { // a scalar
		return d.ints(m, "element", []int32{}, 0)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return d.node(m, "element", "ConcatV2", tensor.Int32, map[string]ir.Attr{"T": tensor.Int32, "N": int64(len(parts)), "Tidx": tensor.Int32},
		append(parts, d.ints(m, "axis", []int32{0}))...)
}
