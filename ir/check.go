package ir

import (
	"errors"
	"fmt"

	"github.com/graphc/graphc/rt/tensor"
)

// maxFaults bounds how many faults Check returns.
const maxFaults = 20

// Check returns the faults in the structure of a graph: bad names, dangling edges, cycles,
// contradictory facts. A graph from a frontend or a pass must not have such faults. A fault is a bug
// in the frontend or the pass, so its error code is Internal. Only the code for a cycle is
// InvalidArgument, because this error comes from Order.
func Check(g *Graph) error {
	c := &checker{g: g, in: make(map[*Node]bool, len(g.Nodes))}
	c.names()
	c.edges()
	c.regions()
	c.io()
	if len(c.errs) == 0 { // Order needs valid edges
		if _, err := g.Order(); err != nil {
			c.errs = append(c.errs, err)
		}
	}
	c.facts()
	return errors.Join(c.errs...)
}

type checker struct {
	g    *Graph
	in   map[*Node]bool
	errs []error
}

func (c *checker) fault(n *Node, format string, args ...any) {
	if len(c.errs) >= maxFaults {
		return
	}
	err := tensor.Errorf(tensor.Internal, format, args...)
	if n != nil {
		err = tensor.AtNode(err, n.Name, n.Op)
	}
	c.errs = append(c.errs, err)
}

func (c *checker) names() {
	seen := make(map[string]bool, len(c.g.Nodes))
	for i, n := range c.g.Nodes {
		switch {
		case n == nil:
			c.fault(nil, "node %d is nil", i)
			continue
		case c.in[n]:
			c.fault(n, "the node is listed twice")
		case seen[n.Name]:
			c.fault(n, "two nodes have this name")
		case c.g.byName[n.Name] != n:
			c.fault(n, "the graph's index maps the name to another node")
		case n.Op == "":
			c.fault(n, "the node has no op")
		}
		c.in[n], seen[n.Name] = true, true
		for k, v := range n.Attrs {
			if v == nil {
				c.fault(n, "attribute %q is nil", k)
			}
		}
	}
	if len(c.g.byName) > len(c.g.Nodes) {
		c.fault(nil, "the index has %d names for %d nodes", len(c.g.byName), len(c.g.Nodes))
	}
}

// out reports whether the tensor o is an output of a node in the graph. If it is not, out records a
// fault of node n. The fault's message begins with the last argument, a name for o such as "input 1".
func (c *checker) out(n *Node, o Out, what string) bool {
	switch {
	case o.Node == nil:
		c.fault(n, "%s is not a tensor", what)
	case !c.in[o.Node]:
		c.fault(n, "%s is %s, whose node is not in the graph", what, o)
	case o.Index < 0 || o.Index >= len(o.Node.Outs):
		c.fault(n, "%s is %s, but %s has %d outputs", what, o, o.Node.Op, len(o.Node.Outs))
	default:
		return true
	}
	return false
}

func (c *checker) edges() {
	for _, n := range c.g.Nodes {
		if n == nil {
			continue
		}
		for i, o := range n.Ins {
			if c.out(n, o, fmt.Sprintf("input %d", i)) {
				c.reaches(n, i, o)
			}
		}
		seen := make(map[*Node]bool, len(n.Controls))
		for _, d := range n.Controls {
			switch {
			case d == nil:
				c.fault(n, "a control input is nil")
			case d == n:
				c.fault(n, "the node waits for itself")
			case !c.in[d]:
				c.fault(n, "the node waits for %q, which is not in the graph", d.Name)
			case seen[d]:
				c.fault(n, "the node waits twice for %q", d.Name)
			}
			seen[d] = true
		}
	}
}

// reaches checks that n may read o as its input i: o's region must be n's region or enclose it.
// Other rules apply to nodes that join regions.
func (c *checker) reaches(n *Node, i int, o Out) {
	at, from := n.Region, o.Node.Region
	switch n.Op {
	case MergeOp:
		if o.Node.Op != YieldOp {
			c.fault(n, "input %d is %s: a %s needs a %s", i, o, MergeOp, YieldOp)
		}
		return
	case LoopVarOp:
		if at == nil || !at.Loop || len(n.Ins) != 2 {
			c.fault(n, "a %s must be in a loop and have two inputs", LoopVarOp)
			return
		}
		if i == 1 {
			if o.Node.Op != NextOp || !at.Encloses(from) {
				c.fault(n, "input 1 is %s: it must be a %s of the loop", o, NextOp)
			}
			return
		}
		at = at.Parent
	}
	if !from.Encloses(at) {
		c.fault(n, "input %d is %s, which is in the region %s, which does not enclose %s", i, o, from.text(), at.text())
	}
}

// regions checks the names and the conditions of the regions.
func (c *checker) regions() {
	seen := map[string]bool{}
	for _, r := range c.g.Regions() {
		if seen[r.Name] || r.Name == "" {
			c.fault(nil, "two regions are named %q", r.Name)
		}
		seen[r.Name] = true
		if !c.out(nil, r.Cond, "the condition of region "+r.Name) {
			continue
		}
		if at := r.Cond.Node.Region; !r.Loop && !at.Encloses(r.Parent) {
			c.fault(r.Cond.Node, "the condition of region %s is not outside the region", r.Name)
		} else if r.Loop && !at.Encloses(r) {
			c.fault(r.Cond.Node, "the condition of loop %s is not in the loop", r.Name)
		}
	}
}

func (c *checker) io() {
	seen := map[Out]bool{}
	for _, f := range c.g.Feeds {
		if c.out(nil, f.Out, fmt.Sprintf("feed %q", f.Name)) && seen[f.Out] {
			c.fault(f.Out.Node, "output %d is fed twice", f.Out.Index)
		}
		seen[f.Out] = true
		c.shape(f.Out.Node, f.Shape, fmt.Sprintf("feed %q", f.Name))
	}
	for _, f := range c.g.Fetches {
		c.out(nil, f.Out, fmt.Sprintf("fetch %q", f.Name))
	}
	for _, t := range c.g.Targets {
		if t == nil || !c.in[t] {
			c.fault(t, "a target is not in the graph")
		}
	}
	for name, s := range c.g.Symbols {
		c.out(nil, s.Out, "the source of size "+name)
	}
}

func (c *checker) shape(n *Node, s Shape, what string) bool {
	if !s.Known && len(s.Dims) > 0 {
		c.fault(n, "%s has dimensions although its rank is unknown", what)
		return false
	}
	for i, d := range s.Dims {
		if d == nil {
			c.fault(n, "%s: dimension %d is nil", what, i)
			return false
		}
		if v, ok := d.IsInt(); ok && v < 0 {
			c.fault(n, "%s: dimension %d is %d", what, i, v)
		}
	}
	return true
}

func (c *checker) facts() {
	known := map[string]bool{}
	for name := range c.g.Symbols {
		known[name] = true
	}
	for _, f := range c.g.Feeds {
		for _, d := range f.Shape.Dims {
			if d != nil {
				d.Vars(known)
			}
		}
	}
	for _, n := range c.g.Nodes {
		if n == nil || n.Op != "Placeholder" && n.Op != "PlaceholderV2" && n.Op != "_Arg" {
			continue
		}
		for i := range n.Outs { // a placeholder that is not fed never runs, so its symbolic sizes are allowed
			for _, d := range n.Outs[i].Shape.Dims {
				if d != nil {
					d.Vars(known)
				}
			}
		}
	}
	for _, n := range c.g.Nodes {
		if n == nil {
			continue
		}
		for i := range n.Outs {
			c.fact(n, i, known)
		}
	}
}

func (c *checker) fact(n *Node, i int, known map[string]bool) {
	f := &n.Outs[i]
	what := fmt.Sprintf("output %d", i)
	if !c.shape(n, f.Shape, what) {
		return
	}
	used := map[string]bool{}
	for _, d := range f.Shape.Dims {
		d.Vars(used)
	}
	for k, e := range f.Ints {
		if e == nil {
			c.fault(n, "%s: element %d is nil", what, k)
			return
		}
		e.Vars(used)
	}
	for v := range used {
		if !known[v] {
			c.fault(n, "%s is %s: nothing defines the size %s", what, f, v)
		}
	}
	if f.Ints != nil {
		switch l := f.Shape.Len(); {
		case f.DType != tensor.Int32 && f.DType != tensor.Int64:
			c.fault(n, "%s is %s and has known integer elements", what, f.DType)
		case f.Shape.Rank() > 2:
			c.fault(n, "%s has rank %d and known elements", what, f.Shape.Rank())
		case l != nil:
			// If the length is a symbol, the number of elements may still be known from Ints.
			if k, ok := l.IsInt(); ok && k != len(f.Ints) {
				c.fault(n, "%s has %d elements, %d are known", what, k, len(f.Ints))
			}
		}
	}
	if t := f.Const; t != nil {
		s, ok := f.Shape.Static()
		size, err := t.Shape.Len()
		switch {
		case t.DType != f.DType || !ok || !s.Equal(t.Shape):
			c.fault(n, "%s is %s and its value %s", what, f, t)
		case err != nil || size != t.Len() && !t.DType.Opaque(): // a handle or variant read from a file has no elements
			c.fault(n, "%s: the value has %d elements for the shape %v", what, t.Len(), t.Shape)
		}
	}
}
