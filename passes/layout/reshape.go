package layout

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/passes/fuse"
	"github.com/graphc/graphc/rt/tensor"
)

// Reshape simplifies a Reshape that follows another Reshape, a Squeeze or an ExpandDims. These ops
// do not change the order of elements, so the second node can read the input of the first. If the
// second node restores the shape of this input, it is removed.
func Reshape(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	c := edit.NewChains(s)
	e := s.Edit()
	for _, n := range order {
		if !edit.Reshapes(n) {
			continue
		}
		from := n.Ins[0]
		for edit.Reshapes(from.Node) && len(from.Node.Controls) == 0 && edit.Together(from.Node, n) && sameLen(from, from.Node.Ins[0]) {
			from = from.Node.Ins[0]
		}
		if from == n.Ins[0] {
			continue
		}
		switch {
		case from.Fact().Shape.Equal(n.Outs[0].Shape) && len(n.Controls) == 0 && !c.Kept[n]:
			if !e.Replace(ir.Out{Node: n}, e.Resolve(from), "the shape is unchanged") {
				return e.Apply(), nil
			}
		case n.Op == "Reshape":
			if !e.Changed(n, "the reshape before it has no effect") {
				return e.Apply(), nil
			}
			n.Ins = []ir.Out{from, n.Ins[1]}
		}
	}
	return e.Apply(), nil
}

// sameLen reports whether two tensors provably have equally many elements, so that a reshape
// between them never fails.
func sameLen(a, b ir.Out) bool {
	x, y := a.Fact().Shape, b.Fact().Shape
	return x.Known && y.Known && x.Len().Equal(y.Len())
}

// Sink handles a product that is followed by reshapes, and then by a bias over the last axis, the
// addition of a residual or an activation. It moves the latter nodes before the reshapes, directly
// after the product, whose kernel can compute them. The residual is reshaped instead, which costs
// no time. As in fusebias, products are visited from last to first, and for each product, at most
// one node of each kind is moved.
func Sink(s *edit.State) (bool, error) { return sink(s, false) }

// Settle moves sums and products with constants over the last axis, in the same way in which Sink
// moves other nodes: before reshapes, directly after a product. The pass named batchnorm can then
// multiply these constants into the filter of the product.
func Settle(s *edit.State) (bool, error) { return sink(s, true) }

func sink(s *edit.State, constants bool) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	k := &sinker{Chains: edit.NewChains(s), e: s.Edit(), gone: map[*ir.Node]bool{}, constants: constants}
	for _, n := range slices.Backward(order) {
		if fuse.Fusable[n.Op] == "" {
			continue
		}
		p, ok := edit.ProductOf(n)
		if d := n.Outs[0].DType; !ok || d != tensor.Float32 && d != tensor.Float64 || p.Axis != p.Rank-1 {
			continue
		}
		if !k.sink(p) {
			break
		}
	}
	changed := k.e.Apply()
	if changed {
		s.Sweep()
	}
	s.TakeNames(k.renames)
	return changed, nil
}

type sinker struct {
	*edit.Chains
	e       *ir.Editor
	gone    map[*ir.Node]bool // nodes of chains that were rewritten
	renames []edit.Rename

	constants bool // set by Settle: whether only sums and products with constants are moved; their number is not limited
}

// sunk is a node of the chain after a product.
type sunk struct {
	node *ir.Node
	in   int // number of the input at which this node reads the previous node in the chain
}

// sink moves nodes in the chain after the product p. It returns false if the pass may make no more
// changes, because its fuel is used up.
func (k *sinker) sink(p edit.Product) bool {
	var chain []sunk
	// last is the length of the chain up to the last node that can be moved before a reshape
	last, shaped := 0, false
	var kinds [4]bool
	var shapes []*ir.Node
	for at := p.Node; ; {
		n, i := fuse.Next(k.Chains, at)
		if n == nil || k.gone[n] || len(n.Outs) != 1 || n.Outs[0].DType != p.Node.Outs[0].DType {
			break
		}
		if edit.Reshapes(n) && i == 0 {
			shaped = true
			shapes = append(shapes, n)
		} else {
			kind := k.takes(p, n, i, shapes)
			if !k.wants(kind) || !k.constants && (kinds[kind] || kinds[activates]) {
				break
			}
			kinds[kind] = true
			if shaped {
				last = len(chain) + 1
			}
		}
		chain = append(chain, sunk{n, i})
		at = n
	}
	if last == 0 {
		return true
	}
	chain = chain[:last]
	s := k.S
	cur := ir.Out{Node: p.Node}
	shapes = nil
	for _, c := range chain {
		if edit.Reshapes(c.node) {
			shapes = append(shapes, c.node)
			continue
		}
		ins := slices.Clone(c.node.Ins)
		ins[c.in] = cur
		if len(ins) == 2 && len(shapes) > 0 {
			ins[1-c.in] = k.other(p, c.node, 1-c.in, shapes)
		}
		cur = fuse.CopyOf(s, c.node, ins...)
		cur.Node.Outs[0] = p.Node.Outs[0]
		k.renames = append(k.renames, edit.Rename{Node: cur.Node, Name: c.node.Name})
	}
	for _, r := range shapes {
		ins := slices.Clone(r.Ins)
		ins[0] = cur
		cur = fuse.CopyOf(s, r, ins...)
		cur.Node.Outs[0] = r.Outs[0]
	}
	for _, c := range chain {
		k.gone[c.node] = true
	}
	return k.e.Replace(ir.Out{Node: chain[last-1].node}, cur, "the operations after a product move before its reshapes")
}

// The constants are the kinds of nodes that may be moved directly after a product. The kind of all
// other nodes is -1.
const (
	shifts = iota
	scales
	adds
	activates
)

// wants reports whether the pass moves nodes of the given kind.
func (k *sinker) wants(kind int) bool {
	if k.constants {
		return kind == shifts || kind == scales
	}
	return kind == shifts || kind == adds || kind == activates
}

// takes returns the kind of n. It returns -1 if n cannot be computed before the reshapes, in the
// shape of the product's result. Input number i of n comes from the chain of reshapes.
func (k *sinker) takes(p edit.Product, n *ir.Node, i int, shapes []*ir.Node) int {
	if len(n.Ins) == 1 && fuse.Activations[n.Op] {
		return activates
	}
	if len(n.Ins) != 2 || n.Ins[0] == n.Ins[1] {
		return -1
	}
	out := n.Outs[0].Shape
	o := n.Ins[1-i].Fact()
	if !out.Known || len(out.Dims) == 0 || !o.Shape.Known || o.DType != n.Outs[0].DType || !n.Ins[i].Fact().Shape.Equal(out) {
		return -1
	}
	sameLast := out.Dims[len(out.Dims)-1].Equal(p.Node.Outs[0].Shape.Dims[p.Axis])
	t := n.Ins[1-i].Node.Value()
	vector := t != nil && t.Len() == 1 || row(t) && sameLast && o.Shape.Len().Equal(out.Dims[len(out.Dims)-1])
	switch n.Op {
	case "Mul", "RealDiv":
		if vector && (n.Op == "Mul" || i == 0) {
			return scales
		}
	case "BiasAdd":
		if i == 0 && sameLast && edit.FormatAxis(n, len(out.Dims)) == len(out.Dims)-1 {
			return shifts
		}
	case "Add", "AddV2", "Sub":
		if n.Op == "Sub" && i != 0 {
			return -1
		}
		if vector {
			return shifts
		}
		_, static := edit.StaticShape(p.Node.Outs[0].Shape)
		_, squeezed := squeezedAxis(shapes, p.Rank)
		if (static || squeezed) && n.Op != "Sub" && o.Shape.Equal(out) && !fuse.NoResidual[p.Node.Op] {
			return adds
		}
	}
	return -1
}

// row reports whether all dimensions of t except the last are 1. It returns false if t is nil or a
// scalar.
func row(t *tensor.Tensor) bool {
	return t != nil && t.Rank() > 0 && t.Len() == t.Shape[t.Rank()-1]
}

// squeezedAxis returns the axis that is removed if the reshapes consist of a single Squeeze of one
// axis. Otherwise, it returns false. Parameter rank is the rank of the product's result.
func squeezedAxis(shapes []*ir.Node, rank int) (int, bool) {
	if len(shapes) != 1 || shapes[0].Op != "Squeeze" {
		return 0, false
	}
	l := shapes[0].Ints("squeeze_dims")
	if len(l) != 1 {
		return 0, false
	}
	if l[0] < 0 {
		l[0] += rank
	}
	return l[0], l[0] >= 0 && l[0] < rank
}

// other returns input number i of n, reshaped so that it fits the shape of the product's result.
func (k *sinker) other(p edit.Product, n *ir.Node, i int, shapes []*ir.Node) ir.Out {
	o := k.e.Resolve(n.Ins[i])
	f := n.Ins[i].Fact()
	if n.Op == "BiasAdd" {
		return o
	}
	if t := n.Ins[i].Node.Value(); t != nil && (t.Len() == 1 || row(t)) {
		v := *t
		if v.Shape = (tensor.Shape{}); t.Len() > 1 {
			v.Shape = tensor.Shape{t.Len()}
		}
		return k.S.NewConst(n.Ins[i].Node.Name+"/row", &v, n.Ins[i].Node)
	}
	base, g := o.Node.Name+"/reshaped", k.S.G
	var r *ir.Node
	if at, ok := squeezedAxis(shapes, p.Rank); ok {
		r = g.NewNode(base, "ExpandDims", map[string]ir.Attr{"T": f.DType, "Tdim": tensor.Int32}, 1,
			o, g.NewConst(base+"/axis", tensor.Must(tensor.From(nil, []int32{int32(at)}))))
	} else {
		shape, _ := edit.StaticShape(p.Node.Outs[0].Shape)
		r = g.NewNode(base, "Reshape", map[string]ir.Attr{"T": f.DType, "Tshape": tensor.Int32}, 1, o, g.NewConst(base+"/shape", shape))
	}
	r.Device, r.Outs[0] = n.Device, ir.Fact{DType: f.DType, Shape: p.Node.Outs[0].Shape}
	return ir.Out{Node: r}
}
