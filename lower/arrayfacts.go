package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
)

// Holder identifies a TensorArray or a stack by the node that creates it and, for an array of
// gradients, by its source attribute.
type Holder struct {
	Node   *ir.Node
	source string
}

// HoldersOf returns the containers that the handle o may refer to. It records in c the loops that o
// passes through.
func (c *Contents) HoldersOf(o ir.Out) []Holder {
	var hs []Holder
	seen := map[ir.Out]bool{}
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if seen[o] {
			return
		}
		seen[o] = true
		if from, ok := c.Table.HandedOn(o); ok {
			c.loopOf(o)
			for _, i := range from {
				visit(i)
			}
			return
		}
		n := o.Node
		if !c.Table.holding(n.Op).Gradients {
			hs = append(hs, Holder{Node: n})
			return
		}
		for _, h := range c.HoldersOf(n.Ins[0]) {
			hs = append(hs, Holder{h.Node, h.source + "\x00" + n.Str("source")})
		}
	}
	visit(o)
	return hs
}

// Makes reports whether the node of h creates the container. If it does not, the node got the
// container's handle from elsewhere.
func (c *Contents) Makes(h Holder) bool { return c.Table.holding(h.Node.Op).Makes }

// Held returns the possible contents of the array or stack that is the node's input 0.
func (s *Shaper) Held() *Contents {
	c, g := s.Contents(), s.Graph
	c.Changes = true
	mine := c.HoldersOf(s.Node.Ins[0])
	nodes := map[*ir.Node]bool{}
	grads, longer := false, false
	for i, h := range mine {
		nodes[h.Node] = true
		c.other = c.other || !c.Makes(h)
		grads = grads || h.source != ""
		if i == 0 {
			c.Home = h.Node.Region
		} else {
			c.Home = c.Home.Common(h.Node.Region)
		}
	}
	for _, n := range g.Nodes {
		longer = longer || c.Table.holding(n.Op).Longer
	}
	for _, h := range mine {
		if !(grads && longer) {
			c.made = append(c.made, PartialAttr(h.Node, "element_shape"))
		}
	}
	for _, n := range g.Nodes {
		ws, what := c.Table.puts(n), c.Table.holding(n.Op)
		if len(ws) == 0 || what.Makes || what.From != nil { // the node puts nothing into a container, or puts it into a list
			continue
		}
		for _, h := range c.HoldersOf(n.Ins[0]) {
			// In an array of gradients, elements that are never written have the shapes of the
			// elements of the forward array. Writes to the forward array therefore count as writes
			// to the array of gradients.
			if !slices.Contains(mine, h) && !(grads && !longer && h.source == "" && nodes[h.Node]) {
				continue
			}
			for _, w := range ws {
				c.elements(w)
				c.items = append(c.items, w.element())
			}
			break
		}
	}
	return c
}
