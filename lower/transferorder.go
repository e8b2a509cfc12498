package lower

import (
	"sort"

	"github.com/graphc/graphc/ir"
)

// transfersOf reports whether an op sends to, and whether it receives from, another partition.
func transfersOf(op string) (sends, receives bool) {
	switch op {
	case "_Send", "_SendControl":
		return true, false
	case "_Recv", "_RecvControl":
		return false, true
	}
	return false, false
}

// parted reports whether a graph is one partition of a graph that was divided.
func parted(g *ir.Graph) bool {
	for _, n := range g.Nodes {
		if sends, receives := transfersOf(n.Op); sends || receives {
			return true
		}
	}
	return false
}

// transferring is a unit of a scope that contains sends or receives. All partitions run such units
// in the same relative order.
type transferring struct {
	unit            int
	first           int // the smallest slot number of the unit's sends and receives
	sends, receives bool
}

// keepOrder adds edges to a scope that prevent partitions from waiting for each other forever. A
// send and its receive have the same slot number. In each partition, sends run in the order of
// their slots, and a receive runs after all sends with smaller slots. Therefore the partitions
// cannot all wait: of all receives that wait, consider the one with the smallest slot. If the
// partition with the matching send waits, too, it waits in a receive with a larger slot. Before that
// receive, it has run all sends with smaller slots, including the matching send. So the receive with
// the smallest slot does not wait any longer.
func (s *scope) keepOrder(of map[*ir.Node]int, edge func(from, to int)) {
	by := map[int]*transferring{}
	var all []*transferring
	for n, u := range of {
		sends, receives := transfersOf(n.Op)
		if !sends && !receives {
			continue
		}
		t := by[u]
		if t == nil {
			t = &transferring{unit: u, first: n.Int("slot")}
			by[u] = t
			all = append(all, t)
		}
		t.first = min(t.first, n.Int("slot"))
		t.sends, t.receives = t.sends || sends, t.receives || receives
	}
	sort.Slice(all, func(i, j int) bool { return all[i].first < all[j].first })
	last := -1
	for _, t := range all {
		if last >= 0 {
			edge(last, t.unit)
		}
		if t.sends {
			last = t.unit
		}
	}
}

// Schedule returns the nodes of a graph in the order that Lower uses. The nodes can run one after
// the other in this order, and the nodes of each loop are adjacent.
func Schedule(g *ir.Graph) ([]*ir.Node, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	out := make([]*ir.Node, 0, len(order))
	var run func(loop *ir.Region, nodes []*ir.Node) error
	run = func(loop *ir.Region, nodes []*ir.Node) error {
		s := newScope(loop, nodes)
		at := loop
		for s.left > 0 {
			r, ok := s.pick(at)
			if !ok {
				return s.stuck()
			}
			at = r
			u := s.take(r)
			if u.loop != nil {
				if err := run(u.loop, u.nodes); err != nil {
					return err
				}
			} else {
				out = append(out, u.node)
			}
			s.done(u)
		}
		return nil
	}
	return out, run(nil, order)
}
