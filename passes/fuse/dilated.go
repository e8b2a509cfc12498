package fuse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
)

// Dilated replaces the older form of a dilated convolution by a convolution with attribute
// dilations. Keras still writes the older form: a SpaceToBatchND, a convolution without padding and
// with strides of 1, and a BatchToSpaceND. If the block size is b, this convolution reads every
// b-th pixel.
//
// If the paddings are p and the crops are c ≤ p, the three nodes are equivalent to one convolution
// with dilation b and explicit paddings p - c. The filter must be constant and its elements finite,
// so that products with padded zeros are 0. For sequences, there are also an ExpandDims before the
// convolution and a Squeeze after it.
func Dilated(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	c := edit.NewChains(s)
	e := s.Edit()
	for _, n := range order {
		if n.Op != "Conv2D" && n.Op != "DepthwiseConv2dNative" {
			continue
		}
		w := windowOf(n)
		if w == nil || n.Str("padding") != "VALID" || len(n.Controls) > 0 || c.Kept[n] || !ones(n.Ints("strides")) || !ones(n.Ints("dilations")) {
			continue
		}
		if !dilated(c, e, w) {
			break
		}
	}
	return e.Apply(), nil
}

// ones reports whether all elements of l are 1. It returns true for an empty list.
func ones(l []int) bool {
	for _, v := range l {
		if v != 1 {
			return false
		}
	}
	return true
}

// blocks returns the block_shape of a SpaceToBatchND or BatchToSpaceND, and its paddings or crops.
func blocks(n *ir.Node) (block []int, by [][2]int, ok bool) {
	block, ok = algebra.Ints(n.Ins[1])
	l, ok2 := algebra.Ints(n.Ins[2])
	if !ok || !ok2 || len(l) != 2*len(block) {
		return nil, nil, false
	}
	by = make([][2]int, len(block))
	for i := range by {
		by[i] = [2]int{l[2*i], l[2*i+1]}
		if block[i] < 1 || by[i][0] < 0 || by[i][1] < 0 || by[i][0] > mostPad || by[i][1] > mostPad {
			return nil, nil, false
		}
	}
	return block, by, true
}

// dilated replaces the convolution w and the nodes around it, if possible. It returns false if the
// pass may make no more changes, because its fuel is used up.
func dilated(c *edit.Chains, e *ir.Editor, w *windows) bool {
	n, s := w.node, c.S
	in := w.image.Node
	if in.Op != "SpaceToBatchND" || len(in.Ins) != 3 || len(in.Controls) > 0 || !edit.Together(in, n) {
		return true
	}
	last, _ := Next(c, n)
	var squeeze *ir.Node
	if w.expand != nil {
		// Squeeze must remove the spatial axis that ExpandDims inserted.
		if squeeze = last; squeeze == nil || squeeze.Op != "Squeeze" || !squeezes(squeeze, w.axis) {
			return true
		}
		last, _ = Next(c, squeeze)
	}
	if last == nil || last.Op != "BatchToSpaceND" || len(last.Ins) != 3 || len(last.Controls) > 0 {
		return true
	}
	if !finite(n.Ins[1].Node.Value()) {
		return true
	}
	block, pads, ok := blocks(in)
	b2, crops, ok2 := blocks(last)
	if !ok || !ok2 || len(block) != len(b2) {
		return true
	}
	// Block i belongs to axis 1+i of the tensor that SpaceToBatchND reads.
	dil := [4]int{1, 1, 1, 1}
	var sum [4][2]int
	for i, b := range block {
		at := 1 + i
		if w.expand != nil && at >= w.axis {
			at++
		}
		p := [2]int{pads[i][0] - crops[i][0], pads[i][1] - crops[i][1]}
		if b != b2[i] || p[0] < 0 || p[1] < 0 || at > 3 {
			return true
		}
		if at != w.space[0] && at != w.space[1] {
			if b != 1 || p != [2]int{} {
				return true
			}
			continue
		}
		dil[at], sum[at] = b, p
	}
	ins := append([]ir.Out{e.Resolve(in.Ins[0])}, n.Ins[1:]...)
	made := []*ir.Node{}
	if w.expand != nil {
		ins[0] = CopyOf(s, w.expand, ins[0], w.expand.Ins[1])
		made = append(made, ins[0].Node)
	}
	end := CopyOf(s, n, ins...)
	setPadding(end.Node, sum)
	end.Node.Attrs["dilations"] = []int64{int64(dil[0]), int64(dil[1]), int64(dil[2]), int64(dil[3])}
	if n.Op == "DepthwiseConv2dNative" {
		// marks the node as created by this pass; otherwise dilations would be rejected, as in
		// TensorFlow
		end.Node.Attrs["_dilated"] = true
	}
	made = append(made, end.Node)
	if squeeze != nil {
		end = CopyOf(s, squeeze, end)
		made = append(made, end.Node)
	}
	if !e.Replace(ir.Out{Node: last}, end, "a convolution of every b-th pixel is dilated") {
		s.Drop(made...)
		return false
	}
	return true
}

// squeezes reports whether n, a Squeeze of a tensor of rank 4, has no control inputs and removes
// exactly one axis. The number of this axis is given by the parameter at.
func squeezes(n *ir.Node, at int) bool {
	l := n.Ints("squeeze_dims")
	if len(n.Ins) != 1 || len(l) != 1 || len(n.Controls) > 0 {
		return false
	}
	return l[0] == at || l[0]+4 == at
}
