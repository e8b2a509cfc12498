package passes

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// functionOps are the ops in whose place inline puts the functions that their attributes name.
var functionOps = set("PartitionedCall", "StatefulPartitionedCall", "If", "StatelessIf", "_If", "Case", "StatelessCase",
	"While", "StatelessWhile", "_While", "For")

// counter counts the nodes that there will be when functions stand in the place of their
// calls, without making them: forty functions that each call the one before twice are a
// short file and 2^40 nodes.
type counter struct {
	lib   *ir.Library
	depth int                  // how deep calls may yet nest: deeper ones are refused elsewhere
	sizes map[*ir.Function]int // 0 for one that is being counted: a function that calls itself is refused elsewhere
}

// nodes returns at least how many nodes a list of nodes becomes, math.MaxInt for more than can be counted.
func (c *counter) nodes(list []*ir.Node) int {
	total := 0
	for _, n := range list {
		total = addSizes(total, 1)
		for _, f := range c.called(n) {
			total = addSizes(total, c.size(f))
		}
	}
	return total
}

// size is nodes of a function's body.
func (c *counter) size(f *ir.Function) int {
	n, ok := c.sizes[f]
	if ok || f.Body == nil || c.depth == 0 {
		return n
	}
	c.sizes[f] = 0
	c.depth--
	c.sizes[f] = c.nodes(f.Body.Nodes)
	c.depth++
	return c.sizes[f]
}

// called returns the functions whose bodies stand in the place of n. One that an attribute
// of the function around n names is not known here and left out.
func (c *counter) called(n *ir.Node) []*ir.Function {
	if c.lib == nil {
		return nil
	}
	var fs []*ir.Function
	add := func(name string) {
		if f := c.lib.Functions[name]; f != nil {
			fs = append(fs, f)
		}
	}
	if !functionOps[n.Op] {
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
	c := &counter{x.g.Library, x.s.o.Limits.Calls, map[*ir.Function]int{}}
	total := 0
	for _, n := range nodes {
		if total = addSizes(total, c.nodes([]*ir.Node{n})); total > x.s.o.Limits.Inlined {
			err := ir.Exceeded(ir.FlagInlined, "with the bodies of functions in the place of their calls there are more than %d nodes", x.s.o.Limits.Inlined)
			return tensor.AtNode(err, n.Name, n.OpName())
		}
	}
	return nil
}
