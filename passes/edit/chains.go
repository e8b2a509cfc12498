package edit

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Drop removes the given nodes from the graph. A pass calls it for nodes that it has created but
// does not use.
func (s *State) Drop(ns ...*ir.Node) {
	keep := make(map[*ir.Node]bool, len(s.G.Nodes))
	for _, n := range s.G.Nodes {
		keep[n] = true
	}
	for _, n := range ns {
		keep[n] = false
	}
	s.G.Keep(keep)
}

// Product describes a convolution or matrix product, and in particular its channels. This
// information is needed to rewrite the nodes before and after the product.
type Product struct {
	Node   *ir.Node
	Filter int // number of the input that holds the filter or the right matrix
	Axis   int // the channels' axis in the result
	Rank   int // of the result
	C      int // number of channels; -1 if it is unknown at compile time
	// Inner is used to find channels: element number k of the filter belongs to channel (k/Inner)
	// mod C.
	Inner int
}

// ProductOf describes n. It returns false if n is not a product or its shapes are unknown.
func ProductOf(n *ir.Node) (Product, bool) {
	p := Product{Node: n, Filter: 1, Inner: 1, C: -1}
	switch n.Op {
	case "Conv2D", "DepthwiseConv2dNative", "Conv3D", "Conv2DBackpropInput":
	case "MatMul":
		if n.Bool("transpose_b") {
			p.Inner = -1
		}
	default:
		return p, false
	}
	if len(n.Outs) != 1 || len(n.Ins) < 2 {
		return p, false
	}
	out, w := &n.Outs[0], n.Ins[p.Filter].Fact()
	if !out.Shape.Known || !w.Shape.Known || len(out.Shape.Dims) == 0 {
		return p, false
	}
	p.Rank = len(out.Shape.Dims)
	p.Axis = p.Rank - 1
	switch n.Str("data_format") {
	case "", "NHWC", "NDHWC":
	case "NCHW", "NCDHW":
		p.Axis = 1
	default:
		return p, false
	}
	if v, ok := out.Shape.Dims[p.Axis].IsInt(); ok {
		p.C = v
	}
	if ws, ok := w.Shape.Static(); ok {
		switch {
		case p.Inner < 0: // a transposed matrix [n, k], so Inner is k
			p.Inner = ws[len(ws)-1]
		case n.Op == "Conv2DBackpropInput": // the filter is [h, w, out, in], so Inner is the last dimension
			p.Inner = ws[len(ws)-1]
		}
	}
	return p, true
}

// Vector returns a vector with one element of the constant t for each channel of the product's
// result. It returns false if t varies along other axes than that of the channels, if an element is
// not finite, or if broadcasting t would change the shape of the result.
func (p *Product) Vector(t *tensor.Tensor) ([]float64, bool) {
	if t == nil || p.C < 0 || len(t.Shape) > p.Rank {
		return nil, false
	}
	vs, ok := Floats(t)
	if !ok {
		return nil, false
	}
	at := p.Axis - (p.Rank - len(t.Shape)) // the channels' axis in t
	for i, d := range t.Shape {
		if d != 1 && (i != at || d != p.C) {
			return nil, false
		}
	}
	out := make([]float64, p.C)
	for i := range out {
		if out[i] = vs[0]; len(vs) > 1 {
			out[i] = vs[i]
		}
		if math.IsNaN(out[i]) || math.IsInf(out[i], 0) {
			return nil, false
		}
	}
	return out, true
}

// Chains holds the information that a pass needs to rewrite chains of nodes: the readers of each
// tensor, and the nodes and tensors that must be kept.
type Chains struct {
	S       *State
	Readers map[ir.Out][]*ir.Node
	// nodes to keep: fetched, targets, sources of control edges, or read in another region
	Kept    map[*ir.Node]bool
	Fetched map[ir.Out]bool // tensors that are fetched or read in another region
}

// NewChains collects the readers of the tensors in the graph of s.
func NewChains(s *State) *Chains {
	c := &Chains{S: s, Readers: s.G.Readers(), Kept: map[*ir.Node]bool{}, Fetched: map[ir.Out]bool{}}
	for _, f := range s.G.Fetches {
		c.Kept[f.Out.Node] = true
		c.Fetched[f.Out] = true
	}
	for _, t := range s.G.Targets {
		c.Kept[t] = true
	}
	for _, n := range s.G.Nodes {
		for _, d := range n.Controls {
			c.Kept[d] = true
		}
	}
	// If a node in another region reads a node, the latter must be kept: its computation must not
	// be moved into a loop or out of a branch.
	across := func(o ir.Out) {
		if o.Node.Op != "Const" {
			c.Kept[o.Node] = true
			c.Fetched[o] = true
		}
	}
	for o, rs := range c.Readers {
		for _, r := range rs {
			if r.Region != o.Node.Region {
				across(o)
			}
		}
	}
	for _, r := range s.G.Regions() {
		across(r.Cond)
	}
	return c
}
