package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
)

// OwnsList reports whether the list that a node changes, its input 0, is nobody
// else's: neither it nor any list it was made of is read by another node, or by the
// same one twice. The node may then change it in place.
func (c *Shaper) OwnsList() bool {
	w := &ownership{t: c.Table, readers: map[ir.Out][]*ir.Node{}, seen: map[ir.Out]bool{}}
	for _, n := range c.Graph.Nodes {
		for _, o := range n.Ins {
			w.readers[o] = append(w.readers[o], n)
		}
	}
	return w.owned(c.Node.Ins[0], c.Node)
}

type ownership struct {
	t       *Table
	readers map[ir.Out][]*ir.Node
	seen    map[ir.Out]bool
}

// owned reports whether reader alone reads the list o, once for each time that it is
// made, and so for the lists that o was made of.
func (w *ownership) owned(o ir.Out, reader *ir.Node) bool {
	if w.seen[o] {
		return true
	}
	w.seen[o] = true
	at := reader.Region
	if reader.Op == ir.LoopVarOp && o == reader.Ins[0] { // read before the loop
		at = at.Parent
	}
	n, what := o.Node, w.t.holding(o.Node.Op)
	switch {
	case !w.sole(o):
		return false
	case reader.Op == ir.MergeOp:
		if !at.InnerLoop().Encloses(n.Region) {
			return false
		}
	case n.Region.InnerLoop() != at.InnerLoop():
		return false
	}
	// A _Next that does not run leaves its loop's variable as it was: what changes
	// that may only run where the _Next does.
	if n.Op != ir.LoopVarOp && !what.Makes && !at.Encloses(n.Region) {
		return false
	}
	from := n.Ins
	switch {
	case ir.Joins(n.Op):
	case what.InPlace, w.t.Is(n.Op, Forward):
		from = n.Ins[:1]
	default:
		return what.Makes
	}
	return o.Index == 0 && !slices.ContainsFunc(from, func(i ir.Out) bool { return !w.owned(i, n) })
}

// sole reports whether one node reads o. A loop's variable may also be handed out
// of the loop, where the other reader is in what runs only if there is another
// iteration: what the last iteration hands out is then read by nobody else.
func (w *ownership) sole(o ir.Out) bool {
	rs := w.readers[o]
	if len(rs) == 1 {
		return true
	}
	loop := o.Node.Region
	if o.Node.Op != ir.LoopVarOp || len(rs) != 2 {
		return false
	}
	for i, y := range rs {
		if other := rs[1-i]; y.Op == ir.YieldOp && y.Region == loop && inNext(other.Region, loop) {
			ms := w.readers[ir.Out{Node: y}]
			return len(ms) == 1 && !loop.Encloses(ms[0].Region)
		}
	}
	return false
}

// inNext reports whether r runs only where loop has another iteration.
func inNext(r, loop *ir.Region) bool {
	for ; r != nil && r != loop; r = r.Parent {
		if !r.Loop && r.Parent == loop && r.Cond == loop.Cond && !r.Neg {
			return true
		}
	}
	return false
}
