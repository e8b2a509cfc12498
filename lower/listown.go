package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
)

// ListOwners finds the nodes of a graph that may change a list in place.
type ListOwners struct {
	t       *Table
	readers map[ir.Out][]*ir.Node
	// known caches results of ListOwners.owned, for lists with a single reader.
	known map[ir.Out]bool
	seen  map[ir.Out]bool // lists on which the result of the current call of Owns depends
}

// NewListOwners returns the ListOwners of g. The graph must not change afterwards.
func NewListOwners(g *ir.Graph, t *Table) *ListOwners {
	w := &ListOwners{t: t, readers: map[ir.Out][]*ir.Node{}, known: map[ir.Out]bool{}}
	for _, n := range g.Nodes {
		for _, o := range n.Ins {
			w.readers[o] = append(w.readers[o], n)
		}
	}
	return w
}

// Owns reports whether the node may change the list that is its input 0 in place. It may do so if
// no other node reads this list or any list from which it was made, and if the node itself does not
// read such a list twice.
func (w *ListOwners) Owns(n *ir.Node) bool {
	w.seen = map[ir.Out]bool{}
	ok := w.owned(n.Ins[0], n)
	for o := range w.seen { // lists of a loop depend on each other: they are owned only together
		if ok && len(w.readers[o]) == 1 {
			w.known[o] = true
		}
	}
	return ok
}

// OwnsList reports whether the node may change the list of its input 0 in place; see
// ListOwners.Owns.
func (b *Builder) OwnsList() bool {
	if b.l.owners == nil {
		b.l.owners = NewListOwners(b.l.g, b.l.t)
	}
	return b.l.owners.Owns(b.Node)
}

// owned reports whether the given node is the only node that reads the list o, and reads it only
// once each time that o is computed. The same must hold for the lists from which o was made.
func (w *ListOwners) owned(o ir.Out, reader *ir.Node) bool {
	if w.seen[o] {
		return true
	}
	alone := len(w.readers[o]) == 1 // w.known holds only lists with one reader
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

// find computes the result of owned without using the results of earlier calls.
func (w *ListOwners) find(o ir.Out, reader *ir.Node) bool {
	at := reader.Region
	if reader.Op == ir.LoopVarOp && o == reader.Ins[0] { // the first value of a loop variable, which is read before the loop's first iteration
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
	// If a _Next does not run, its loop's variable must stay unchanged. Therefore a node that
	// changes the variable in place may run only if the _Next runs.
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

// sole reports whether only one node reads o. A second reader is allowed if o is a loop variable,
// one reader passes it out of the loop, and the other reader runs only if another iteration
// follows. Then the value that is passed out after the last iteration has no other reader.
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

// inNext reports whether r runs only if the loop has another iteration.
func inNext(r, loop *ir.Region) bool {
	for ; r != nil && r != loop; r = r.Parent {
		if bodyOf(loop, r) {
			return true
		}
	}
	return false
}
