package fuse

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Next returns the node that reads the first output of n, and the number of the input at which this
// node reads it. It returns nil if there are several such nodes, if the result of n must be kept,
// or if the two nodes must not be merged.
func Next(c *edit.Chains, n *ir.Node) (*ir.Node, int) {
	if c.Kept[n] {
		return nil, 0
	}
	if !onlyFirst(c, n) {
		return nil, 0
	}
	o := ir.Out{Node: n}
	rs := c.Readers[o]
	if len(rs) != 1 {
		return nil, 0
	}
	r := rs[0]
	if len(r.Controls) > 0 || !edit.Together(r, n) || len(r.Outs) == 0 {
		return nil, 0
	}
	for i, in := range r.Ins {
		if in == o {
			return r, i
		}
	}
	return nil, 0
}

// blocked returns a text that says why n and the node that reads it must not be merged. It returns
// "" if they may, that is, if Next returns a node.
func blocked(c *edit.Chains, n *ir.Node) string {
	o := ir.Out{Node: n}
	rs := c.Readers[o]
	if r, _ := Next(c, n); r != nil {
		return ""
	}
	for _, f := range c.S.G.Fetches {
		if f.Out.Node == n {
			return "is fetched"
		}
	}
	for _, t := range c.S.G.Targets {
		if t == n {
			return "is a target"
		}
	}
	if len(rs) > 1 {
		names := make([]string, 0, 3)
		for _, r := range rs[:min(len(rs), 3)] {
			names = append(names, r.Name)
		}
		return fmt.Sprintf("has %d readers, %s among them", len(rs), strings.Join(names, ", "))
	}
	if !onlyFirst(c, n) {
		return "has other outputs that are read"
	}
	for _, r := range rs {
		if r.Region != n.Region {
			return "is read in another region"
		}
		if !edit.Together(r, n) {
			return "is read on another device"
		}
		if len(r.Controls) > 0 {
			return "has a reader that waits for other nodes"
		}
	}
	if c.Kept[n] {
		return "has waiting nodes, or is the condition of a region"
	}
	return ""
}

// onlyFirst reports whether all outputs of n but the first are neither read nor fetched.
func onlyFirst(c *edit.Chains, n *ir.Node) bool {
	for i := 1; i < len(n.Outs); i++ {
		o := ir.Out{Node: n, Index: i}
		if len(c.Readers[o]) > 0 || c.Fetched[o] {
			return false
		}
	}
	return true
}

// constant returns the value of a Const input.
func constant(n *ir.Node, i int) *tensor.Tensor {
	if i >= len(n.Ins) {
		return nil
	}
	return n.Ins[i].Node.Value()
}
