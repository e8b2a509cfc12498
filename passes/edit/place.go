package edit

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// Settled records that all present nodes have their final devices and regions. Afterwards, Place
// assigns devices and regions only to nodes that are made later.
func (s *State) Settled() {
	s.Editors = s.Editors[:0]
	s.old = nil
	s.Placed = s.Placed || !slices.ContainsFunc(s.G.Nodes, func(n *ir.Node) bool { return n.Device == "" })
	if !s.G.Branches() {
		return
	}
	s.old = make(map[*ir.Node]bool, len(s.G.Nodes))
	for _, n := range s.G.Nodes {
		s.old[n] = true
	}
}

// Place assigns a region to each new node that its pass gave none:
//
//   - a replacement gets the region of the tensor it replaces;
//   - a constant without control inputs, or a node that only returns a handle, gets no region;
//   - any other node gets the innermost region around its readers.
//
// A pure node whose new inputs are in a deeper region than itself moves to that region. A pass that
// makes the first regions of a graph places its nodes itself.
func (s *State) Place() error {
	s.stand()
	if s.old == nil {
		return nil
	}
	order, err := s.G.Order()
	if err != nil {
		return err
	}
	stead := map[*ir.Node]*ir.Region{}
	for _, e := range s.Editors {
		for n, r := range e.Stead() {
			if t, ok := stead[n]; ok {
				r = r.Common(t)
			}
			stead[n] = r
		}
	}
	used := map[*ir.Node]bool{}
	use := map[*ir.Node]*ir.Region{} // node → the innermost region around all its readers
	reads := func(n *ir.Node, at *ir.Region) {
		if used[n] {
			at = at.Common(use[n])
		}
		used[n], use[n] = true, at
	}
	for _, f := range s.G.Fetches {
		reads(f.Out.Node, nil)
	}
	for _, r := range s.G.Regions() {
		if at := r.Parent; r.Loop {
			reads(r.Cond.Node, r)
		} else {
			reads(r.Cond.Node, at)
		}
	}
	for _, n := range slices.Backward(order) {
		at := n.Region
		switch {
		case ir.Joins(n.Op):
		case n.Op == "Const" && len(n.Controls) == 0 || !s.old[n] && len(n.Ins) == 0 && s.Levels.Of(n) == lower.Source:
			at = nil
		case at == nil && !s.old[n]:
			r, ok := stead[n]
			switch {
			case ok:
				at = r
			case used[n]:
				at = use[n]
			default:
				at = Deepest(n)
			}
		}
		if deep := Deepest(n); !ir.Joins(n.Op) && !deep.Encloses(at) && used[n] && deep.Encloses(use[n]) && s.Levels.Of(n) == lower.Pure {
			at = deep
		}
		n.Region = at
		for i, o := range n.Ins {
			switch {
			case n.Op == ir.LoopVarOp && i == 0:
				reads(o.Node, at.Parent)
			case n.Op != ir.LoopVarOp && n.Op != ir.MergeOp:
				reads(o.Node, at)
			}
		}
	}
	s.Settled()
	return nil
}

// stand sets the devices of new nodes, provided that all nodes had devices before. A replacement
// gets the device of the node it replaces. Any other node gets the device of its first reader, or,
// without such a reader, of a node that it reads or waits for.
func (s *State) stand() {
	if !s.Placed || !slices.ContainsFunc(s.G.Nodes, func(n *ir.Node) bool { return n.Device == "" }) {
		return
	}
	for _, n := range s.G.Nodes {
		for _, e := range s.Editors {
			for old := e.Stood(n); old != nil && n.Device == ""; old = e.Stood(old) {
				n.Device = old.Device
			}
		}
	}
	by := map[*ir.Node]*ir.Node{} // node → the first node that reads it or waits for it
	for _, n := range s.G.Nodes {
		for _, m := range before(n) {
			if by[m] == nil {
				by[m] = n
			}
		}
	}
	for _, n := range s.G.Nodes {
		seen := map[*ir.Node]bool{} // a LoopVar and its Next may read nothing but each other
		for m := by[n]; m != nil && n.Device == "" && !seen[m]; m = by[m] {
			n.Device, seen[m] = m.Device, true
		}
	}
	for again := true; again; { // a chain of new nodes may need one round for each of its nodes
		again = false
		for _, n := range s.G.Nodes {
			if n.Device != "" {
				continue
			}
			for _, m := range before(n) {
				if n.Device == "" {
					n.Device = m.Device
				}
			}
			again = again || n.Device != ""
		}
	}
}

// before returns the nodes that n reads or waits for.
func before(n *ir.Node) []*ir.Node {
	ns := make([]*ir.Node, 0, len(n.Ins)+len(n.Controls))
	for _, o := range n.Ins {
		ns = append(ns, o.Node)
	}
	return append(ns, n.Controls...)
}

// Deepest returns the innermost region that holds an input of n.
func Deepest(n *ir.Node) *ir.Region {
	var r *ir.Region
	for _, o := range n.Ins {
		if r.Encloses(o.Node.Region) {
			r = o.Node.Region
		}
	}
	return r
}
