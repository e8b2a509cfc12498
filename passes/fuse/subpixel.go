package fuse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Subpixel replaces a transposed convolution by a 1×1 convolution, which is a matrix product, if
// its windows do not overlap. This is so if its strides are equal to the size k of its filter: each
// input pixel then determines k·k output pixels. The 1×1 convolution computes these pixels as
// channels, and a DepthToSpace moves them to their places. This avoids the addition of windows. If
// a constant bias or an activation follows, it is moved before the DepthToSpace, where it can be
// fused with the product.
func Subpixel(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	p := &algebra.Pattern{Chains: edit.NewChains(s), E: s.Edit(), Pos: map[*ir.Node]int{}, Gone: map[*ir.Node]bool{}}
	for _, n := range order {
		if n.Op != "Conv2DBackpropInput" {
			continue
		}
		k := sideBySide(n)
		if k == 0 {
			continue
		}
		if !subpixel(p, n, k) {
			break
		}
	}
	return p.Apply(), nil
}

// sideBySide returns the size k of the windows if n is a transposed convolution whose windows cover
// the whole result and do not overlap. Otherwise, it returns 0.
func sideBySide(n *ir.Node) int {
	strides, out := n.Ints("strides"), n.Outs[0].Shape
	if len(n.Ins) != 3 || len(n.Controls) > 0 || len(strides) != 4 || !ones(n.Ints("dilations")) || n.Str("padding") == "EXPLICIT" {
		return 0
	}
	if f := n.Str("data_format"); f != "" && f != "NHWC" {
		return 0
	}
	w, grad := n.Ins[1].Node.Value(), n.Ins[2].Fact().Shape
	d := n.Outs[0].DType
	if w == nil || w.Rank() != 4 || w.DType != d || d != tensor.Float32 && d != tensor.Float64 || w.Len() == 0 || grad.Rank() != 4 || out.Rank() != 4 {
		return 0
	}
	k := strides[1]
	if k < 2 || strides[2] != k || w.Shape[0] != k || w.Shape[1] != k || !grad.Dims[3].Is(w.Shape[3]) || !grad.Dims[0].Equal(out.Dims[0]) ||
		!out.Dims[3].Is(w.Shape[2]) || !out.Dims[1].Equal(grad.Dims[1].MulInt(k)) || !out.Dims[2].Equal(grad.Dims[2].MulInt(k)) {
		return 0
	}
	return k
}

// columns turns the filter [k, k, out, in] of a transposed convolution into the filter [1, 1, in,
// k·k·out] of a 1×1 convolution.
func columns(w *tensor.Tensor) *tensor.Tensor {
	in := w.Shape[3]
	rows := w.Len() / in
	t := &tensor.Tensor{DType: w.DType, Shape: tensor.Shape{1, 1, in, rows}}
	switch src := w.Data.(type) {
	case []float32:
		t.Data = turnedOver(src, rows, in)
	case []float64:
		t.Data = turnedOver(src, rows, in)
	}
	return t
}

// turnedOver returns the transpose of the matrix src, which has the given numbers of rows and
// columns.
func turnedOver[T any](src []T, rows, cols int) []T {
	dst := make([]T, len(src))
	for r := range rows {
		for c := range cols {
			dst[c*rows+r] = src[r*cols+c]
		}
	}
	return dst
}

// subpixel replaces the transposed convolution n, whose windows have the size k. It returns false
// if the pass may make no more changes, because its fuel is used up.
func subpixel(p *algebra.Pattern, n *ir.Node, k int) bool {
	s, d := p.S, n.Outs[0].DType
	w := n.Ins[1].Node
	var made []*ir.Node
	node := func(base, op string, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
		m := s.G.NewNode(base, op, attrs, 1, ins...)
		m.Device, m.Origin, m.Outs[0].DType = n.Device, n.Origin, d
		made = append(made, m)
		return ir.Out{Node: m}
	}
	filter := s.NewConst(w.Name+"/columns", columns(w.Value()), w)
	made = append(made, filter.Node)
	cur := node(n.Name+"/columns", "Conv2D", map[string]ir.Attr{"T": d, "strides": []int64{1, 1, 1, 1}, "dilations": []int64{1, 1, 1, 1},
		"padding": "VALID", "explicit_paddings": []int64{}, "data_format": "NHWC", "use_cudnn_on_gpu": true}, p.E.Resolve(n.Ins[2]), filter)
	last := n
	if b, i := Next(p.Chains, last); b != nil && b.Op == "BiasAdd" && i == 0 && edit.FormatAxis(b, 4) == 3 {
		if v := b.Ins[1].Node.Value(); v != nil && v.DType == d {
			bias := s.NewConst(b.Ins[1].Node.Name+"/repeated", repeated(v, k*k), b.Ins[1].Node)
			made = append(made, bias.Node)
			cur, last = node(b.Name+"/columns", "BiasAdd", map[string]ir.Attr{"T": d, "data_format": "NHWC"}, cur, bias), b
		}
	}
	if a, _ := Next(p.Chains, last); a != nil && len(a.Ins) == 1 && Activations[a.Op] {
		cur, last = node(a.Name+"/columns", a.Op, a.Attrs, cur), a
	}
	cur = node(n.Name+"/places", "DepthToSpace", map[string]ir.Attr{"T": d, "block_size": int64(k), "data_format": "NHWC"}, cur)
	if !p.E.Replace(ir.Out{Node: last}, cur, "windows that do not overlap are the columns of one product") {
		s.Drop(made...)
		return false
	}
	return true
}

// repeated returns a vector that repeats v n times.
func repeated(v *tensor.Tensor, n int) *tensor.Tensor {
	t := &tensor.Tensor{DType: v.DType, Shape: tensor.Shape{n * v.Len()}}
	switch src := v.Data.(type) {
	case []float32:
		t.Data = times(src, n)
	case []float64:
		t.Data = times(src, n)
	}
	return t
}

func times[T any](src []T, n int) []T {
	dst := make([]T, 0, n*len(src))
	for range n {
		dst = append(dst, src...)
	}
	return dst
}
