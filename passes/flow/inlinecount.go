package flow

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// counter counts the nodes that there will be when functions stand in the place of their
// calls, without making them: forty functions that each call the one before twice are a
// short file and 2^40 nodes.
type counter struct {
	lib   *ir.Library
	depth int                  // how deep calls may yet nest: deeper ones are refused elsewhere
	sizes map[*ir.Function]int // 0 for one that is being counted: a function that calls itself is refused elsewhere
}

// nodes returns at least how many nodes a list of nodes becomes, math.MaxInt for more than can be counted.
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

// size is nodes of a function's body.
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

// called returns the functions whose bodies stand in the place of n. One that an attribute
// of the function around n names is not known here and left out.
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

// tooMany is the ResourceExhausted of the first node with whose functions there are more
// nodes than the limit.
func (x *inliner) tooMany(nodes []*ir.Node) error {
	c := &counter{x.g.Library, x.s.O.Limits.Calls, map[*ir.Function]int{}}
	total := 0
	for _, n := range nodes {
		if total = addSizes(total, c.nodes(x.s.O.Ops, []*ir.Node{n})); total > x.s.O.Limits.Inlined {
			err := ir.Exceeded(ir.FlagInlined, "with the bodies of functions in the place of their calls there are more than %d nodes", x.s.O.Limits.Inlined)
			return tensor.AtNode(err, n.Name, n.OpName())
		}
	}
	return nil
}
