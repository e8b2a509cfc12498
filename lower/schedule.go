package lower

import (
	"container/heap"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// unit is what a scope's schedule orders: either a node, or a loop within the scope together with
// all nodes in the loop.
type unit struct {
	node  *ir.Node
	loop  *ir.Region
	nodes []*ir.Node // nodes of the loop, in order
	// at is the branch that contains the unit, or the scope's region.
	at    *ir.Region
	wait  int
	after []int // indices of the units that wait for this unit
}

// scope is the body of a loop, or the whole graph, during scheduling. Its units are put into an
// order in which branches are entered as rarely as possible.
type scope struct {
	loop  *ir.Region // nil for the whole graph
	units []unit
	ready map[*ir.Region]*indices // by branch
	open  []*ir.Region            // the regions that are keys of ready, in the order in which they were added
	left  int                     // number of units not yet taken
	body  int                     // number of units not yet taken that are in the loop's body; see inBody
}

type indices []int

func (h indices) Len() int { return len(h) }

func (h indices) Less(i, j int) bool { return h[i] < h[j] }

func (h indices) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *indices) Push(x any) { *h = append(*h, x.(int)) }

func (h *indices) Pop() any {
	o := *h
	x := o[len(o)-1]
	*h = o[:len(o)-1]
	return x
}

// within finds the unit to which a node in region r belongs. The first argument is the region of the
// units' scope: a loop, or nil for the whole graph. If no loop inside the scope contains r, the unit
// is the node itself, and within returns nil. Otherwise, the unit is the outermost loop inside the
// scope that contains r, and within returns that loop. The second result is false if r is outside of
// the scope.
func within(loop, r *ir.Region) (*ir.Region, bool) {
	l := r.InnerLoop()
	if l == loop {
		return nil, true
	}
	for l != nil {
		up := l.Parent.InnerLoop()
		if up == loop {
			return l, true
		}
		l = up
	}
	return nil, false
}

// newScope collects the units of a loop's body, or of the graph. nodes are the nodes of the loop or
// graph, in topological order.
func newScope(loop *ir.Region, nodes []*ir.Node) *scope {
	s := &scope{loop: loop, ready: map[*ir.Region]*indices{}}
	of := make(map[*ir.Node]int, len(nodes))
	const own = -1
	// places maps a region to the index of the unit to which its nodes belong, or to own if each of
	// its nodes is a separate unit.
	places := map[*ir.Region]int{}
	for _, n := range nodes {
		i, ok := places[n.Region]
		if !ok {
			i = own
			if l, _ := within(loop, n.Region); l != nil {
				if i, ok = places[l]; !ok {
					i = len(s.units)
					places[l] = i
					s.units = append(s.units, unit{loop: l, at: l.Parent})
				}
			}
			places[n.Region] = i
		}
		if i == own {
			i = len(s.units)
			s.units = append(s.units, unit{node: n, at: s.place(n)})
		} else {
			s.units[i].nodes = append(s.units[i].nodes, n)
		}
		of[n] = i
	}
	edges := map[[2]int]bool{}
	link := func(i, to int) {
		if i == to || edges[[2]int{i, to}] {
			return
		}
		edges[[2]int{i, to}] = true
		s.units[i].after = append(s.units[i].after, to)
		s.units[to].wait++
	}
	edge := func(from *ir.Node, to int) {
		if i, ok := of[from]; ok && from.Op != ir.NextOp {
			link(i, to)
		}
	}
	// linked is used only for nodes of inner loops. It contains the pairs of such a loop and a region
	// around its nodes for which the edge from the region's condition has been added.
	type pair struct {
		r    *ir.Region
		unit int
	}
	linked := map[pair]bool{}
	for _, n := range nodes {
		to := of[n]
		for _, o := range n.Ins {
			edge(o.Node, to)
		}
		for _, c := range n.Controls {
			edge(c, to)
		}
		inLoop := s.units[to].loop != nil
		for r := n.Region; r != nil && r != loop; r = r.Parent {
			if inLoop {
				if linked[pair{r, to}] {
					break
				}
				linked[pair{r, to}] = true
			}
			edge(r.Cond.Node, to) // Do this also for a loop, because its condition may be computed outside of it.
		}
	}
	s.keepOrder(of, link)
	s.left = len(s.units)
	for i := range s.units {
		if s.inBody(s.units[i].at) {
			s.body++
		}
		if s.units[i].wait == 0 {
			s.push(i)
		}
	}
	return s
}

// place returns the region in which a node is scheduled. It is the node's own region, with one
// exception: a NoOp that waits for a node in the loop's body is scheduled in the body. Otherwise
// the NoOp would prevent the loop from ending before the body.
func (s *scope) place(n *ir.Node) *ir.Region {
	if n.Op == "NoOp" {
		for _, c := range n.Controls {
			if l, ok := within(s.loop, c.Region); ok && l == nil && s.inBody(c.Region) {
				return c.Region
			}
		}
	}
	return n.Region
}

// bodyOf reports whether branch r runs in an iteration if and only if a next iteration follows.
func bodyOf(loop, r *ir.Region) bool { return onCond(loop, r) && r.Neg == loop.Neg }

// endOf reports whether branch r runs only in the last iteration.
func endOf(loop, r *ir.Region) bool { return onCond(loop, r) && r.Neg != loop.Neg }

// onCond reports whether r is a branch of the loop on the loop's condition.
func onCond(loop, r *ir.Region) bool {
	return loop != nil && r != nil && !r.Loop && r.Parent == loop && r.Cond == loop.Cond
}

// inBody reports whether r is the loop's body or is nested in it.
func (s *scope) inBody(r *ir.Region) bool {
	for ; r != nil && r != s.loop; r = r.Parent {
		if bodyOf(s.loop, r) {
			return true
		}
	}
	return false
}

func (s *scope) push(i int) {
	at := s.units[i].at
	h := s.ready[at]
	if h == nil {
		h = &indices{}
		s.ready[at] = h
		s.open = append(s.open, at)
	}
	heap.Push(h, i)
}

func (s *scope) has(r *ir.Region) bool { h := s.ready[r]; return h != nil && h.Len() > 0 }

// pick returns the branch whose units come next after those of branch cur. This is cur itself while
// cur has ready units; then a branch nested in cur, then the opposite of cur, then the region
// around cur, and so on outward. Among several possible branches, it picks the branch that has the
// first unit. It enters a loop's body only if no other unit is ready.
func (s *scope) pick(cur *ir.Region) (*ir.Region, bool) {
	for r := cur; ; r = r.Parent {
		if s.has(r) {
			return r, true
		}
		best, found := (*ir.Region)(nil), false
		for _, b := range s.open {
			if !s.has(b) || !r.Encloses(b) {
				continue
			}
			if !found || s.before(cur, b, best) {
				best, found = b, true
			}
		}
		if found {
			return best, true
		}
		if r == s.loop || r == nil {
			return nil, false
		}
		if o := opposite(s.open, r); o != nil && s.has(o) && (!s.inBody(o) || s.inBody(cur) || s.body == s.left) {
			return o, true
		}
	}
}

// before reports whether, after branch cur, branch a should be entered rather than branch b.
func (s *scope) before(cur, a, b *ir.Region) bool {
	if x, y := s.inBody(a), s.inBody(b); x != y && !s.inBody(cur) {
		return y
	}
	if x, y := a.Depth(), b.Depth(); x != y {
		return x < y
	}
	return (*s.ready[a])[0] < (*s.ready[b])[0]
}

// opposite returns the other branch of r's condition.
func opposite(all []*ir.Region, r *ir.Region) *ir.Region {
	for _, o := range all {
		if o != nil && o != r && !o.Loop && !r.Loop && o.Parent == r.Parent && o.Cond == r.Cond && o.Neg != r.Neg {
			return o
		}
	}
	return nil
}

// take removes the first ready unit of a branch and returns it.
func (s *scope) take(r *ir.Region) *unit {
	i := heap.Pop(s.ready[r]).(int)
	u := &s.units[i]
	s.left--
	if s.inBody(u.at) {
		s.body--
	}
	return u
}

// done is called when unit u is scheduled. It makes those units ready that waited only for u.
func (s *scope) done(u *unit) {
	for _, i := range u.after {
		if s.units[i].wait--; s.units[i].wait == 0 {
			s.push(i)
		}
	}
}

// stuck returns the error for units that wait for each other. If a loop is among them, the loop
// needs a value from a node outside of it, and that node needs a result of the loop.
func (s *scope) stuck() error {
	for i := range s.units {
		if u := &s.units[i]; u.wait > 0 && u.loop != nil {
			return tensor.Errorf(tensor.InvalidArgument, "the loop %q depends on its own results", u.loop.Name)
		}
	}
	return tensor.Errorf(tensor.InvalidArgument, "nodes wait for each other")
}
