package flow

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// counter computes how many nodes there would be after inlining, without creating these nodes.
// Their number can be huge: a short file with forty functions, each of which calls the previous one
// twice, becomes 2^40 nodes.
type counter struct {
	lib   *ir.Library
	depth int                  // how many more levels of calls are counted; instance.put rejects deeper calls
	sizes map[*ir.Function]int // 0 while the function is being counted; instance.put rejects recursive functions
}

// nodes returns a lower bound of the number of nodes that a list of nodes becomes. It returns
// math.MaxInt if the number overflows.
func (c *counter) nodes(ops *lower.Table, list []*ir.Node) int {
	total := 0
	for _, n := range list {
		total = addSizes(total, 1)
		for _, f := range c.called(ops, n) {
			total = addSizes(total, c.size(ops, f))
		}
	}
	return total
}

// size returns the number of nodes, as the method nodes counts them, that the body of function f
// becomes.
func (c *counter) size(ops *lower.Table, f *ir.Function) int {
	n, ok := c.sizes[f]
	if ok || f.Body == nil || c.depth == 0 {
		return n
	}
	c.sizes[f] = 0
	c.depth--
	c.sizes[f] = c.nodes(ops, f.Body.Nodes)
	c.depth++
	return c.sizes[f]
}

// called returns the functions whose bodies replace the node n. If n is itself in the body of a
// function, the called function may be a placeholder for an attribute of the enclosing call. Such a
// function is not known here, and is not returned.
func (c *counter) called(ops *lower.Table, n *ir.Node) []*ir.Function {
	if c.lib == nil {
		return nil
	}
	var fs []*ir.Function
	add := func(name string) {
		if f := c.lib.Functions[name]; f != nil {
			fs = append(fs, f)
		}
	}
	if ops.Level(n.Op) != lower.Called || n.Op == "SymbolicGradient" {
		add(n.Op)
		return fs
	}
	for _, a := range n.Attrs {
		switch a := a.(type) {
		case ir.Func:
			add(a.Name)
		case []ir.Func:
			for _, f := range a {
				add(f.Name)
			}
		}
	}
	return fs
}

func addSizes(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

// tooMany returns ResourceExhausted if inlining would exceed the limit of nodes. The error names
// the first of the given nodes with which the total is too large.
func (x *inliner) tooMany(nodes []*ir.Node) error {
	c := &counter{x.g.Library, x.s.O.Limits.Calls, map[*ir.Function]int{}}
	total := 0
	for _, n := range nodes {
		if total = addSizes(total, c.nodes(x.s.O.Ops, []*ir.Node{n})); total > x.s.O.Limits.Inlined {
			err := ir.Exceeded(ir.FlagInlined, "inlining functions makes the graph larger than %d nodes", x.s.O.Limits.Inlined)
			return tensor.AtNode(err, n.Name, n.OpName())
		}
	}
	return nil
}
