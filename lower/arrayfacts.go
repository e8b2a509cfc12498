package lower

import (
	"slices"

	"github.com/graphc/graphc/ir"
)

// Holder is a TensorArray or a stack: the node that makes it, and for arrays of
// gradients the sources they are for, with the shapes that are put before those
// of the forward tensors.
type Holder struct {
	Node   *ir.Node
	source string
}

// HoldersOf returns what the handle o may be of, noting the loops it passes.
func (c *Contents) HoldersOf(o ir.Out) []Holder {
	var hs []Holder
	seen := map[ir.Out]bool{}
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if seen[o] {
			return
		}
		seen[o] = true
		if from, ok := HandedOn(o); ok {
			c.loopOf(o)
			for _, i := range from {
				visit(i)
			}
			return
		}
		switch n := o.Node; n.Op {
		case "TensorArrayGrad", "TensorArrayGradV2", "TensorArrayGradV3", "TensorArrayGradWithShape":
			for _, h := range c.HoldersOf(n.Ins[0]) {
				hs = append(hs, Holder{h.Node, h.source + "\x00" + n.Str("source")})
			}
		default:
			hs = append(hs, Holder{Node: n})
		}
	}
	visit(o)
	return hs
}

// MakesHolder reports the ops that make an array or a stack of no other.
func MakesHolder(op string) bool {
	switch op {
	case "TensorArray", "TensorArrayV2", "TensorArrayV3", "Stack", "StackV2":
		return true
	}
	return false
}

// arrayWrites returns the tensor that a node puts into the array or onto the
// stack of its input 0.
func arrayWrites(n *ir.Node) (w listWrite, ok bool) {
	switch n.Op {
	case "TensorArrayWrite", "TensorArrayWriteV2", "TensorArrayWriteV3":
		return listWrite{n.Ins[2], 0}, true
	case "TensorArrayScatter", "TensorArrayScatterV2", "TensorArrayScatterV3":
		return listWrite{n.Ins[2], 1}, true
	case "TensorArrayUnpack":
		return listWrite{n.Ins[1], 1}, true
	case "TensorArraySplit", "TensorArraySplitV2", "TensorArraySplitV3":
		return listWrite{n.Ins[1], 2}, true
	case "StackPush", "StackPushV2":
		return listWrite{n.Ins[1], 0}, true
	}
	return listWrite{}, false
}

// HeldBy finds out what may be in the array or stack that reader's input 0 is.
func HeldBy(g *ir.Graph, reader *ir.Node) *Contents {
	c := &Contents{G: g, Reader: reader, Changes: true}
	mine := c.HoldersOf(reader.Ins[0])
	nodes := map[*ir.Node]bool{}
	grads, longer := false, false
	for i, h := range mine {
		nodes[h.Node] = true
		c.other = c.other || !MakesHolder(h.Node.Op)
		grads = grads || h.source != ""
		if i == 0 {
			c.Home = h.Node.Region
		} else {
			c.Home = c.Home.Common(h.Node.Region)
		}
	}
	for _, n := range g.Nodes {
		longer = longer || n.Op == "TensorArrayGradWithShape"
	}
	for _, h := range mine {
		if s := PartialAttr(h.Node, "element_shape"); !(grads && longer) && h.Node.Op != "Stack" && h.Node.Op != "StackV2" {
			c.made = append(c.made, s)
		}
	}
	for _, n := range g.Nodes {
		w, ok := arrayWrites(n)
		if !ok {
			continue
		}
		for _, h := range c.HoldersOf(n.Ins[0]) {
			// What is not written in an array of gradients has the shape of what was
			// written in the forward array.
			if !slices.Contains(mine, h) && !(grads && !longer && h.source == "" && nodes[h.Node]) {
				continue
			}
			c.elements(w)
			switch s := w.o.Fact().Shape; w.part {
			case 0:
				c.items = append(c.items, s)
			case 1:
				c.items = append(c.items, rowsOf(s))
			case 2:
				c.items = append(c.items, partsOf(s))
			}
			break
		}
	}
	return c
}
