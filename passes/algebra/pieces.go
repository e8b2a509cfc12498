package algebra

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Pieces removes nodes that join tensors if other nodes take the result apart again. It also merges
// nested joins:
//
//	Slice or StridedSlice of one element of a Pack     that element, or its ExpandDims if the axis stays
//	Pack of one tensor                                 ExpandDims
//	ConcatV2 of one tensor                             that tensor
//	ConcatV2 of a ConcatV2 along its axis              one ConcatV2
//	neighbouring constants of a ConcatV2               one constant
//	Sum, Mean, Max, Min, Prod, Any, All of one element Squeeze
//
// The inner ConcatV2 must have no other reader.
func Pieces(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		if len(n.Outs) != 1 || len(n.Ins) == 0 || !n.Outs[0].DType.IsData() {
			return
		}
		switch n.Op {
		case "StridedSlice", "Slice":
			sliceOfPack(r, n)
		case "Pack":
			if len(n.Ins) == 1 && n.Outs[0].Shape.Known {
				expand(r, n, n.Ins[0], packAxis(n), "a stack of one")
			}
		case "ConcatV2":
			concat(r, n)
		case "Sum", "Mean", "Max", "Min", "Prod", "Any", "All":
			reduceNothing(r, n)
		}
	})
}

// packAxis returns the axis of the result along which a Pack stacks its inputs.
func packAxis(n *ir.Node) int {
	axis := int(n.Int("axis"))
	if axis < 0 {
		axis += n.Outs[0].Shape.Rank()
	}
	return axis
}

// expand makes n an ExpandDims of x.
func expand(r *edit.Rewriter, n *ir.Node, x ir.Out, axis int, why string) {
	if r.Take(n, why) {
		c := r.S.G.NewConst(n.Name+"/axis", tensor.Must(tensor.From(nil, []int32{int32(axis)})))
		r.Set(n, "ExpandDims", map[string]ir.Attr{"T": n.Outs[0].DType, "Tdim": tensor.Int32}, x, c)
	}
}

// sliceOfPack replaces a slice of exactly one element of a Pack by that element.
func sliceOfPack(r *edit.Rewriter, n *ir.Node) {
	p := n.Ins[0].Node
	if p.Op != "Pack" || !r.Near(n.Ins[0], n) || !p.Outs[0].Shape.Known || !n.Outs[0].Shape.Known || len(n.Ins) < 3 {
		return
	}
	axis, dims := packAxis(p), p.Outs[0].Shape.Dims
	begin, ok := Ints(n.Ins[1])
	if !ok || axis < 0 || axis >= len(begin) || len(begin) > len(dims) {
		return
	}
	at, shrunk := begin[axis], false
	if n.Op == "StridedSlice" {
		strides, ok := Ints(n.Ins[min(3, len(n.Ins)-1)])
		if !ok || len(n.Ins) != 4 || len(strides) != len(begin) || n.Int("ellipsis_mask") != 0 || n.Int("new_axis_mask") != 0 {
			return
		}
		for i, s := range strides {
			if s != 1 && !(i == axis && n.Int("shrink_axis_mask")>>i&1 != 0 && s > 0) {
				return
			}
		}
		switch n.Int("shrink_axis_mask") {
		case 0:
		case 1 << axis:
			shrunk = true
		default:
			return
		}
		if n.Int("begin_mask")>>axis&1 != 0 {
			if shrunk {
				return
			}
			at = 0
		}
		if at < 0 {
			at += len(p.Ins)
		}
	}
	if at < 0 || at >= len(p.Ins) {
		return
	}
	// The strides along the other axes are 1. Therefore, if such an axis has the same length in the
	// input and in the output, the slice contains all of its elements.
	out := slices.Clone(n.Outs[0].Shape.Dims)
	if shrunk {
		out = slices.Insert(out, axis, p.Outs[0].Shape.Dims[axis])
	} else if len(out) != len(dims) || !out[axis].Is(1) {
		return
	}
	if len(out) != len(dims) {
		return
	}
	for i, d := range dims {
		if i != axis && !out[i].Equal(d) {
			return
		}
	}
	if x := p.Ins[at]; shrunk {
		r.Becomes(n, x, "one element of a stack")
	} else {
		expand(r, n, x, axis, "one element of a stack")
	}
}

// concat simplifies n, a ConcatV2: if it has one part, if a part is another ConcatV2, or if
// neighbouring parts are constants.
func concat(r *edit.Rewriter, n *ir.Node) {
	k := len(n.Ins) - 1
	if k < 1 {
		return
	}
	axis, ok := concatAxis(n)
	switch {
	case k == 1 && n.Outs[0].Shape.Equal(n.Ins[0].Fact().Shape):
		r.Becomes(n, n.Ins[0], "there is one part")
		return
	case !ok || k == 1:
		return
	}
	var parts []ir.Out
	inner := false
	for _, o := range n.Ins[:k] {
		m := o.Node
		if a, ok := concatAxis(m); ok && a == axis && r.Sole(o, n) {
			inner = true
			parts = append(parts, m.Ins[:len(m.Ins)-1]...)
			continue
		}
		parts = append(parts, o)
	}
	if inner {
		if r.Take(n, "two joins become one") {
			r.Set(n, "ConcatV2", With(n.Attrs, "N", int64(len(parts))), append(parts, n.Ins[k])...)
		}
		return
	}
	concatConstants(r, n, k)
}

// concatAxis returns the axis of a ConcatV2, counted from the first axis even if the model counts
// from the last.
func concatAxis(n *ir.Node) (int, bool) {
	if n.Op != "ConcatV2" || len(n.Ins) < 2 {
		return 0, false
	}
	axis, ok := Ints(n.Ins[len(n.Ins)-1])
	rank := n.Outs[0].Shape.Rank()
	if !ok || len(axis) != 1 || rank < 0 {
		return 0, false
	}
	if axis[0] < 0 {
		axis[0] += rank
	}
	return axis[0], true
}

// concatConstants replaces each sequence of neighbouring constants among the parts of n by a
// ConcatV2 of these constants. The pass named fold then computes it.
func concatConstants(r *edit.Rewriter, n *ir.Node, k int) {
	var parts []ir.Out
	joined := false
	for i := 0; i < k; {
		j := i
		for j < k && edit.ValueOf(n.Ins[j]) != nil {
			j++
		}
		if j-i < 2 || j-i == k {
			j = max(j, i+1)
			parts = append(parts, n.Ins[i:j]...)
			i = j
			continue
		}
		if !joined && !r.Take(n, "neighbouring constants are one") {
			return
		}
		joined = true
		part := r.Made(n, "part", "ConcatV2", With(n.Attrs, "N", int64(j-i)), ir.Fact{DType: n.Outs[0].DType},
			append(slices.Clone(n.Ins[i:j]), n.Ins[k])...)
		parts = append(parts, part)
		i = j
	}
	if joined {
		r.Set(n, "ConcatV2", With(n.Attrs, "N", int64(len(parts))), append(parts, n.Ins[k])...)
	}
}

// reduceNothing replaces a reduction of axes of size one by a Squeeze.
func reduceNothing(r *edit.Rewriter, n *ir.Node) {
	if len(n.Ins) != 2 || n.Bool("keep_dims") {
		return
	}
	x := n.Ins[0]
	in, out := x.Fact().Shape, n.Outs[0].Shape
	if !in.Known || !out.Known || x.Fact().DType != n.Outs[0].DType {
		return
	}
	if d := n.Outs[0].DType; (n.Op == "Sum" || n.Op == "Mean") && !d.IsInteger() && edit.ZeroSignSeen(r.S.O.Ops, r.Readers, ir.Out{Node: n}) {
		return // the kernel begins with +0 as the sum, so an element -0 becomes +0
	}
	axes, ok := Ints(n.Ins[1])
	if !ok || !onlyOnes(n.Ins[1], in) {
		return
	}
	drop := make([]int64, 0, len(axes))
	for _, a := range axes {
		if a < 0 {
			a += len(in.Dims)
		}
		drop = append(drop, int64(a))
	}
	slices.Sort(drop)
	if len(slices.Compact(drop)) != len(axes) {
		return // an axis occurs twice, which is an error at run time
	}
	switch {
	case len(drop) == 0:
		r.Becomes(n, x, "nothing is reduced")
	case r.Take(n, "axes of size one are reduced"):
		r.Set(n, "Squeeze", map[string]ir.Attr{"T": n.Outs[0].DType, "squeeze_dims": drop}, x)
	}
}
