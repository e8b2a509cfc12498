package fuse

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Stride avoids the computation of pixels that are never used. It applies if all nodes that read an
// image are 1×1 convolutions with the same stride s. Their stride becomes 1, and the stride of the
// convolution that computes the image is multiplied by s. There may be element-wise functions and
// other 1×1 convolutions between the two. If another node needs all pixels of such an intermediate
// result, a new node copies every s-th row and column of it. The value of each pixel is still the
// sum of the same products.
func Stride(s *edit.State) (bool, error) {
	changed := false
	for {
		did, err := strideOnce(s)
		if err != nil || !did {
			return changed, err
		}
		changed = true
		if err := s.Place(); err != nil {
			return changed, err
		}
		s.Sweep()
		s.Stale = true
		s.Infer()
	}
}

// strideOnce moves the stride of the convolutions that read an image to the nodes that compute it.
// It does so for one image: for the last image in the order of the graph for which this is
// possible.
func strideOnce(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	m := &mover{Chains: edit.NewChains(s), e: s.Edit()}
	seen := map[ir.Out]bool{}
	for i := len(order) - 1; i >= 0; i-- {
		n := order[i]
		if k, ok := m.points(n); !ok || k[0]*k[1] == 1 || seen[n.Ins[0]] {
			continue
		}
		seen[n.Ins[0]] = true
		if done, fuel := m.move(n.Ins[0]); done || !fuel {
			break
		}
	}
	return m.e.Apply(), nil
}

type mover struct {
	*edit.Chains
	e  *ir.Editor
	by [2]int // the stride that is moved
	at [2]int // the axes of rows and columns
}

// points returns the strides of n if n is a 1×1 convolution without padding. Otherwise, it returns
// false.
func (m *mover) points(n *ir.Node) ([2]int, bool) {
	if n.Op != "Conv2D" {
		return [2]int{}, false
	}
	w := windowOf(n)
	f, ok := n.Ins[1].Fact().Shape.Static()
	if !ok || len(f) != 4 || f[0] != 1 || f[1] != 1 || !ones(n.Ints("dilations")) || len(n.Ints("strides")) != 4 {
		return [2]int{}, false
	}
	at := [2]int{1, 2}
	if n.Str("data_format") == "NCHW" {
		at = [2]int{2, 3}
	}
	l := n.Ints("strides")
	k := [2]int{l[at[0]], l[at[1]]}
	if w == nil {
		// SAME padding of a 1×1 window is empty for any stride.
		return k, n.Str("padding") == "SAME"
	}
	return k, w.pads == [4][2]int{}
}

// move moves the stride of the convolutions that read o to the nodes that compute o. done reports
// whether it did. fuel is false if the pass may make no more changes, because its fuel is used up.
func (m *mover) move(o ir.Out) (done, fuel bool) {
	rs := m.Readers[o]
	if m.Fetched[o] || len(o.Node.Controls) > 0 {
		return false, true
	}
	by, _ := m.points(rs[0])
	for _, r := range rs {
		k, ok := m.points(r)
		if !ok || k != by || r.Ins[0] != o || r.Ins[1] == o || len(r.Controls) > 0 || r.Str("data_format") != rs[0].Str("data_format") || !edit.Together(r, o.Node) {
			return false, true
		}
	}
	m.by, m.at = by, [2]int{1, 2}
	if rs[0].Str("data_format") == "NCHW" {
		m.at = [2]int{2, 3}
	}
	if m.gain(o, len(rs), 12) == 0 {
		return false, true
	}
	x := m.build(o, len(rs), 12)
	for _, r := range rs {
		c := m.copy(r, append([]ir.Out{x}, r.Ins[1:]...)...)
		setPadding(c.Node, [4][2]int{})
		m.strides(c.Node, [2]int{1, 1})
		if !m.e.Replace(ir.Out{Node: r}, c, "only pixels that are read are computed") {
			return false, false // the pass named dce removes the new nodes
		}
	}
	return true, true
}

// strides sets the strides of n.
func (m *mover) strides(n *ir.Node, to [2]int) {
	attrs := map[string]ir.Attr{}
	for k, v := range n.Attrs {
		attrs[k] = v
	}
	l := []int64{1, 1, 1, 1}
	l[m.at[0]], l[m.at[1]] = int64(to[0]), int64(to[1])
	attrs["strides"] = l
	n.Attrs = attrs
}

func (m *mover) copy(n *ir.Node, ins ...ir.Out) ir.Out {
	return CopyOf(m.S, n, ins...)
}

// alone reports whether o has exactly n readers and is not used otherwise, so that it may be
// replaced.
func (m *mover) alone(o ir.Out, n int) bool {
	return !m.Kept[o.Node] && !m.Fetched[o] && onlyFirst(m.Chains, o.Node) && len(m.Readers[o]) == n && len(o.Node.Controls) == 0 &&
		len(o.Node.Outs) == 1
}

// absorbs returns the strides and paddings that the convolution n gets if its strides are
// multiplied by m.by, the stride that is moved. ok is false if this is not possible.
func (m *mover) absorbs(n *ir.Node) (to [2]int, pads [4][2]int, ok bool) {
	w := windowOf(n)
	l := n.Ints("strides")
	if w == nil || n.Op == "MaxPool" || w.space != m.at || !ones(n.Ints("dilations")) || len(l) != 4 {
		return to, pads, false
	}
	to = [2]int{l[m.at[0]] * m.by[0], l[m.at[1]] * m.by[1]}
	return to, w.pads, n.Op == "Conv2D" || to[0] == to[1]
}

// step finds the inputs of n that have the same pixels as the output of n, and returns the numbers
// of these inputs. If only some pixels of the output are needed, the same pixels of these inputs
// are enough.
func (m *mover) step(n *ir.Node) []int {
	out := &n.Outs[0]
	element := m.S.O.Ops.Trait(n.Op, lower.ElementWise)
	switch {
	case element && len(n.Ins) == 1:
		return []int{0}
	case n.Op == "BiasAdd":
		if n.Str("data_format") == "NCHW" == (m.at[0] == 2) {
			return []int{0}
		}
	case element:
		var through []int
		for i, in := range n.Ins {
			switch s := in.Fact().Shape; {
			case s.Equal(out.Shape):
				through = append(through, i)
			case !m.flat(s):
				return nil
			}
		}
		return through
	}
	return nil
}

// flat reports whether a tensor of shape s has a single row and a single column. A shape of lower
// rank is broadcast to rank 4.
func (m *mover) flat(s ir.Shape) bool {
	if !s.Known || len(s.Dims) > 4 {
		return false
	}
	for _, at := range m.at {
		if i := at - (4 - len(s.Dims)); i >= 0 && !s.Dims[i].Is(1) {
			return false
		}
	}
	return true
}

// gain returns the number of convolutions that have less to compute if only some pixels of o are
// needed. Parameter n is the number of nodes that read o and need only these pixels.
func (m *mover) gain(o ir.Out, n, depth int) int {
	if depth == 0 || !m.alone(o, n) {
		return 0
	}
	p := o.Node
	if _, ok := m.points(p); ok {
		return 1 + m.gain(p.Ins[0], 1, depth-1)
	}
	if _, _, ok := m.absorbs(p); ok {
		return 1
	}
	g := 0
	for _, i := range m.step(p) {
		g += m.gain(p.Ins[i], edit.Count(p.Ins, p.Ins[i]), depth-1)
	}
	return g
}

// build adds nodes that compute only those pixels of o that are needed after the stride m.by has
// been moved. It returns their result.
func (m *mover) build(o ir.Out, n, depth int) ir.Out {
	if m.gain(o, n, depth) == 0 {
		return m.every(o)
	}
	p := o.Node
	if k, ok := m.points(p); ok && m.gain(p.Ins[0], 1, depth-1) > 0 {
		c := m.copy(p, append([]ir.Out{m.build(p.Ins[0], 1, depth-1)}, p.Ins[1:]...)...)
		setPadding(c.Node, [4][2]int{})
		m.strides(c.Node, k)
		return c
	} else if ok {
		c := m.copy(p, p.Ins...)
		setPadding(c.Node, [4][2]int{})
		m.strides(c.Node, [2]int{k[0] * m.by[0], k[1] * m.by[1]})
		return c
	}
	if to, pads, ok := m.absorbs(p); ok {
		c := m.copy(p, p.Ins...)
		setPadding(c.Node, pads)
		m.strides(c.Node, to)
		return c
	}
	ins := slices.Clone(p.Ins)
	for _, i := range m.step(p) {
		ins[i] = m.build(p.Ins[i], edit.Count(p.Ins, p.Ins[i]), depth-1)
	}
	return m.copy(p, ins...)
}

// every adds a node that copies those pixels of the image o that are needed: for a stride of s,
// every s-th row and column. It returns the copy.
func (m *mover) every(o ir.Out) ir.Out {
	steps := []int32{1, 1, 1, 1}
	steps[m.at[0]], steps[m.at[1]] = int32(m.by[0]), int32(m.by[1])
	s := m.S
	zero := s.G.NewConst(o.Node.Name+"/begin", tensor.Must(tensor.From(tensor.Shape{4}, []int32{0, 0, 0, 0})))
	by := s.G.NewConst(o.Node.Name+"/strides", tensor.Must(tensor.From(tensor.Shape{4}, steps)))
	n := s.G.NewNode(o.Node.Name+"/every", "StridedSlice", map[string]ir.Attr{"T": o.Fact().DType, "Index": tensor.Int32,
		"begin_mask": int64(15), "end_mask": int64(15), "ellipsis_mask": int64(0), "new_axis_mask": int64(0), "shrink_axis_mask": int64(0)},
		1, o, zero, zero, by)
	n.Device, n.Outs[0].DType = o.Node.Device, o.Fact().DType
	return ir.Out{Node: n}
}
