package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
)

// ListOwners finds the nodes of a graph that may change a list in place.
type ListOwners struct {
	t       *Table
	readers map[ir.Out][]*ir.Node
	known   map[ir.Out]bool // answers of earlier calls, for lists with one reader
	seen    map[ir.Out]bool // the lists that the call under way depends on
}

// NewListOwners reads a graph, which must not change from now on.
func NewListOwners(g *ir.Graph, t *Table) *ListOwners {
	w := &ListOwners{t: t, readers: map[ir.Out][]*ir.Node{}, known: map[ir.Out]bool{}}
	for _, n := range g.Nodes {
		for _, o := range n.Ins {
			w.readers[o] = append(w.readers[o], n)
		}
	}
	return w
}

// Owns reports whether the list that a node changes, its input 0, is nobody
// else's: neither it nor any list it was made of is read by another node, or by the
// same one twice. The node may then change it in place.
func (w *ListOwners) Owns(n *ir.Node) bool {
	w.seen = map[ir.Out]bool{}
	ok := w.owned(n.Ins[0], n)
	for o := range w.seen { // lists of a loop depend on each other: only together are they owned
		if ok && len(w.readers[o]) == 1 {
			w.known[o] = true
		}
	}
	return ok
}

// OwnsList reports whether the node may change the list of its input 0 in place; see ListOwners.
func (b *Builder) OwnsList() bool {
	if b.l.owners == nil {
		b.l.owners = NewListOwners(b.l.g, b.l.t)
	}
	return b.l.owners.Owns(b.Node)
}

// owned reports whether reader alone reads the list o, once for each time that it is
// made, and so for the lists that o was made of.
func (w *ListOwners) owned(o ir.Out, reader *ir.Node) bool {
	if w.seen[o] {
		return true
	}
	alone := len(w.readers[o]) == 1 // known has answers for lists with one reader only
	if ok, known := w.known[o]; known && alone {
		return ok
	}
	w.seen[o] = true
	ok := w.find(o, reader)
	if !ok && alone {
		w.known[o] = false
	}
	return ok
}

// find is owned without the answers of earlier calls.
func (w *ListOwners) find(o ir.Out, reader *ir.Node) bool {
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
func (w *ListOwners) sole(o ir.Out) bool {
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
