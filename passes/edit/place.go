package edit

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// Settled records that all existing nodes have their final devices and regions. After that, Place
// sets the devices and regions only of nodes that are created later.
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

// Place sets the region of each new node, unless the pass that created the node has set it:
//
//   - A node that replaces another gets the region of the replaced tensor.
//   - A constant without control inputs, or a node that only returns a handle, is outside of all
//     regions.
//   - Any other node gets the innermost region that encloses all of its readers.
//
// If a pure node has new inputs that are in an inner region, the node moves to this region. A pass
// that creates the first regions of a graph sets the regions of its nodes itself.
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
	use := map[*ir.Node]*ir.Region{} // for a node, the innermost region that encloses all its readers
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

// stand sets the devices of new nodes, if all nodes have had devices before. A node that replaces
// another gets the device of the replaced node. Any other node gets the device of the first node
// that reads it or waits for it or, if that fails, the device of a node that it reads or waits for
// itself.
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
	by := map[*ir.Node]*ir.Node{} // for a node, the first node that reads it or waits for it
	for _, n := range s.G.Nodes {
		for _, m := range before(n) {
			if by[m] == nil {
				by[m] = n
			}
		}
	}
	for _, n := range s.G.Nodes {
		// avoids an endless loop: a LoopVar and its Next may be each other's only readers
		seen := map[*ir.Node]bool{}
		for m := by[n]; m != nil && n.Device == "" && !seen[m]; m = by[m] {
			n.Device, seen[m] = m.Device, true
		}
	}
	for again := true; again; { // each round goes one node further in a chain of new nodes
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

// before returns the nodes that n reads, and the nodes for which n waits.
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
