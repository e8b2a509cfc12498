package lower

import (
	"fmt"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// totalConst is the largest number of elements of a constant input whose value Total passes to the
// lowering.
const totalConst = 4096

// Total reports whether node n cannot fail at run time, whatever its inputs are, and determines no
// size at run time. Passes may move such a node to a place where it is computed even if TensorFlow
// would not run it. Total derives the answer from the node's lowering: no call may return anything,
// and no size may be checked. The graph's facts must be up to date.
func (t *Table) Total(n *ir.Node) (ok bool) {
	d := t.Lookup(n.Op)
	if d == nil || d.Lower == nil || d.Has(Effect) || d.Has(Stateful) || ir.Joins(n.Op) {
		return false
	}
	g := ir.NewGraph(n.Name)
	known := map[string]bool{}
	for _, o := range n.Ins {
		if !vars(o.Fact(), known) {
			return false
		}
	}
	feed := func(f ir.Fact) ir.Out {
		p := g.NewNode("in", "Placeholder", map[string]ir.Attr{"dtype": f.DType}, 1)
		f.Const = nil
		p.Outs[0] = f
		o := ir.Out{Node: p}
		g.Feeds = append(g.Feeds, ir.Feed{Name: o.String(), Key: o.String(), Out: o, Shape: f.Shape})
		return o
	}
	for v := range known { // make each known size a dimension of a feed
		feed(ir.Fact{DType: tensor.Bool, Shape: ir.ShapeOf(sym.Var(v))})
	}
	made := map[string]bool{}
	for i := range n.Outs {
		if !vars(&n.Outs[i], made) {
			return false
		}
	}
	for v := range made {
		if !known[v] {
			return false
		}
	}
	ins := make([]ir.Out, len(n.Ins))
	for i, o := range n.Ins {
		if t := o.Fact().Const; t != nil && t.Len() <= totalConst {
			ins[i] = g.NewConst("const", t)
		} else {
			ins[i] = feed(*o.Fact())
		}
	}
	m := g.NewNode(n.Name, n.Op, n.Attrs, len(n.Outs), ins...)
	for i := range n.Outs {
		m.Outs[i] = n.Outs[i]
		o := ir.Out{Node: m, Index: i}
		g.Fetches = append(g.Fetches, ir.Fetch{Name: fmt.Sprint(i), Key: fmt.Sprint(i), Out: o})
	}
	defer func() {
		if recover() != nil { // The lowering panicked, because it does not support the sizes.
			ok = false
		}
	}()
	p, err := t.Lower(g, "total")
	return err == nil && len(p.Prologue) == 0 && totalSteps(p.Steps)
}

// vars adds all sizes that occur in a fact to a set. It returns false if the rank is unknown.
func vars(f *ir.Fact, to map[string]bool) bool {
	for _, d := range f.Shape.Dims {
		d.Vars(to)
	}
	for _, x := range f.Ints {
		x.Vars(to)
	}
	return f.Shape.Known
}

// totalSteps reports whether steps compute and have no other effect.
func totalSteps(steps []plan.Step) bool {
	for _, s := range steps {
		switch s := s.(type) {
		case *plan.Call:
			if s.Type().NumOut() > 0 {
				return false
			}
		case *plan.Par:
			if !totalSteps(s.Body) {
				return false
			}
		case *plan.Copy, *plan.Scalar, *plan.Let, *plan.Room:
		default:
			return false
		}
	}
	return true
}
