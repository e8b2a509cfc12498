package passes

import (
	"fmt"
	"strings"

	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// product describes a convolution or matrix product as the rewrites of its
// surroundings need it: where its channels are.
type product struct {
	node   *ir.Node
	filter int // the input that holds the filter, or the matrix on the right
	axis   int // of the channels in the result
	rank   int // of the result
	c      int // channels, -1 when not known
	// inner tells that element k of the filter belongs to channel k/inner%c.
	inner int
}

// productOf describes n; false when it is no product or its shapes are not known.
func productOf(n *ir.Node) (product, bool) {
	p := product{node: n, filter: 1, inner: 1, c: -1}
	switch n.Op {
	case "Conv2D", "DepthwiseConv2dNative", "Conv3D", "Conv2DBackpropInput":
	case "MatMul":
		if n.Bool("transpose_b") {
			p.inner = -1
		}
	default:
		return p, false
	}
	if len(n.Outs) != 1 || len(n.Ins) < 2 {
		return p, false
	}
	out, w := &n.Outs[0], n.Ins[p.filter].Fact()
	if !out.Shape.Known || !w.Shape.Known || len(out.Shape.Dims) == 0 {
		return p, false
	}
	p.rank = len(out.Shape.Dims)
	p.axis = p.rank - 1
	switch n.Str("data_format") {
	case "", "NHWC", "NDHWC":
	case "NCHW", "NCDHW":
		p.axis = 1
	default:
		return p, false
	}
	if v, ok := out.Shape.Dims[p.axis].IsInt(); ok {
		p.c = v
	}
	if ws, ok := w.Shape.Static(); ok {
		switch {
		case p.inner < 0: // a transposed matrix [n, k]
			p.inner = ws[len(ws)-1]
		case n.Op == "Conv2DBackpropInput": // [h, w, out, in]
			p.inner = ws[len(ws)-1]
		}
	}
	return p, true
}

// vector spreads a constant over the channels of a product's result: false when
// it varies along another axis, or broadcasting it would change the shape.
func (p *product) vector(t *tensor.Tensor) ([]float64, bool) {
	if t == nil || p.c < 0 || len(t.Shape) > p.rank {
		return nil, false
	}
	vs, ok := floats(t)
	if !ok {
		return nil, false
	}
	at := p.axis - (p.rank - len(t.Shape)) // the channels' axis in t
	for i, d := range t.Shape {
		if d != 1 && (i != at || d != p.c) {
			return nil, false
		}
	}
	out := make([]float64, p.c)
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

// floats returns the elements of an f32 or f64 tensor that is not empty.
func floats(t *tensor.Tensor) ([]float64, bool) {
	switch d := t.Data.(type) {
	case []float64:
		return d, len(d) > 0
	case []float32:
		out := make([]float64, len(d))
		for i, v := range d {
			out[i] = float64(v)
		}
		return out, len(d) > 0
	}
	return nil, false
}

// rounded makes a tensor of the type from f64 values; false when one is not finite in it.
func rounded(d tensor.DType, shape tensor.Shape, vs []float64) (*tensor.Tensor, bool) {
	t := &tensor.Tensor{DType: d, Shape: shape}
	switch d {
	case tensor.Float64:
		t.Data = vs
		for _, v := range vs {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, false
			}
		}
	case tensor.Float32:
		fs := make([]float32, len(vs))
		for i, v := range vs {
			fs[i] = float32(v)
			if x := float64(fs[i]); math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, false
			}
		}
		t.Data = fs
	default:
		return nil, false
	}
	return t, true
}

// chains follows the readers of products.
type chains struct {
	s       *state
	readers map[ir.Out][]*ir.Node
	kept    map[*ir.Node]bool // fetched, a target, waited for or read in another region: must keep its own result or moment
	fetched map[ir.Out]bool   // or read in another region
}

func newChains(s *state) *chains {
	c := &chains{s: s, readers: s.g.Readers(), kept: map[*ir.Node]bool{}, fetched: map[ir.Out]bool{}}
	for _, f := range s.g.Fetches {
		c.kept[f.Out.Node] = true
		c.fetched[f.Out] = true
	}
	for _, t := range s.g.Targets {
		c.kept[t] = true
	}
	for _, n := range s.g.Nodes {
		for _, d := range n.Controls {
			c.kept[d] = true
		}
	}
	// What is read in another region is computed where it is, so that no work
	// goes into a loop or out of a branch.
	across := func(o ir.Out) {
		if o.Node.Op != "Const" {
			c.kept[o.Node] = true
			c.fetched[o] = true
		}
	}
	for o, rs := range c.readers {
		for _, r := range rs {
			if r.Region != o.Node.Region {
				across(o)
			}
		}
	}
	for _, r := range s.g.Regions() {
		across(r.Cond)
	}
	return c
}

// next returns the only reader of a node's first output, and the input by which
// it reads; nil when the node must keep its result.
func (c *chains) next(n *ir.Node) (*ir.Node, int) {
	if c.kept[n] {
		return nil, 0
	}
	if !c.onlyFirst(n) {
		return nil, 0
	}
	o := ir.Out{Node: n}
	rs := c.readers[o]
	if len(rs) != 1 {
		return nil, 0
	}
	r := rs[0]
	if len(r.Controls) > 0 || !together(r, n) || len(r.Outs) == 0 {
		return nil, 0
	}
	for i, in := range r.Ins {
		if in == o {
			return r, i
		}
	}
	return nil, 0
}

// blocked returns why n and its reader must not become one, "" where next has it.
func (c *chains) blocked(n *ir.Node) string {
	o := ir.Out{Node: n}
	rs := c.readers[o]
	if r, _ := c.next(n); r != nil {
		return ""
	}
	for _, f := range c.s.g.Fetches {
		if f.Out.Node == n {
			return "is fetched"
		}
	}
	for _, t := range c.s.g.Targets {
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
	if !c.onlyFirst(n) {
		return "has other outputs that are read"
	}
	for _, r := range rs {
		if r.Region != n.Region {
			return "is read in another region"
		}
		if !together(r, n) {
			return "is read on another device"
		}
		if len(r.Controls) > 0 {
			return "has a reader that waits for other nodes"
		}
	}
	if c.kept[n] {
		return "is waited for by other nodes, or decides about a region"
	}
	return ""
}

// onlyFirst reports that nobody wants a node's outputs beyond the first.
func (c *chains) onlyFirst(n *ir.Node) bool {
	for i := 1; i < len(n.Outs); i++ {
		o := ir.Out{Node: n, Index: i}
		if len(c.readers[o]) > 0 || c.fetched[o] {
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

// newConst appends a constant that waits for what those it was made of waited for.
func (s *state) newConst(base string, t *tensor.Tensor, of ...*ir.Node) ir.Out {
	c := s.g.NewConst(base, t)
	seen := map[*ir.Node]bool{}
	for _, n := range of {
		if n.Op != "Const" {
			continue
		}
		for _, d := range n.Controls {
			if !seen[d] {
				seen[d] = true
				c.Node.Controls = append(c.Node.Controls, d)
			}
		}
	}
	if len(of) > 0 {
		c.Node.Device, c.Node.Origin = of[0].Device, of[0].Origin
	}
	return c
}
