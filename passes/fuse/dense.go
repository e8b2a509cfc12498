package fuse

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Layers replaces products of a tensor with a constant matrix, over the last axes of the tensor, by
// MatMul. Bias and activation can then be fused with the MatMul by other passes:
//
//	Einsum       …i,io->…o and …i,oi->…o, of any number of axes
//	BatchMatMul  of a tensor of rank 3 or more by one matrix
//
// The other axes of the tensor are combined, and become the rows of one matrix.
func Layers(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	e := s.Edit()
	for _, n := range order {
		if len(n.Ins) != 2 || len(n.Outs) != 1 || n.Outs[0].DType != tensor.Float32 && n.Outs[0].DType != tensor.Float64 {
			continue
		}
		w := n.Ins[1].Node.Value()
		if w == nil || w.DType != n.Outs[0].DType || n.Ins[0].Fact().DType != w.DType || w.Len() == 0 {
			continue
		}
		var l *layer
		switch n.Op {
		case "Einsum":
			l = einsumLayer(n, w)
		case "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3":
			if batchesFit(n) {
				l = batchLayer(n, w)
			}
		}
		if l == nil {
			continue
		}
		if !layerOf(s, e, n, w, l) {
			break
		}
	}
	return e.Apply(), nil
}

// layer describes a product of a tensor with a constant matrix. inner holds the lengths of the last
// axes of the tensor; the product sums over these axes. outer holds the lengths of the last axes of
// the result. The matrix has the shape [inner, outer] or, if transposed is true, [outer, inner].
type layer struct {
	inner, outer []int
	transposed   bool
}

func size(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

func einsumLayer(n *ir.Node, w *tensor.Tensor) *layer {
	left, out, ok := strings.Cut(strings.ReplaceAll(n.Str("equation"), " ", ""), "->")
	x, y, ok2 := strings.Cut(left, ",")
	if !ok || !ok2 || strings.ContainsAny(y, ".,") || len(y) != w.Rank() || repeats(x) || repeats(y) || repeats(out) {
		return nil
	}
	rank := n.Ins[0].Fact().Shape.Rank()
	if rank < 1 || n.Outs[0].Shape.Rank() < 1 || strings.Count(x, "...") != strings.Count(out, "...") || !strings.Contains(x, "...") && len(x) != rank {
		return nil
	}
	for i := 1; i < len(y); i++ {
		// The labels of the matrix, y, consist of inner and outer, in one of the two orders. The
		// labels of the tensor end with inner, and those of the result end with outer.
		for _, t := range []bool{false, true} {
			inner, outer, di, do := y[:i], y[i:], w.Shape[:i], w.Shape[i:]
			if t {
				inner, outer, di, do = outer, inner, do, di
			}
			rows, ok := strings.CutSuffix(x, inner)
			if ok && rows+outer == out && !strings.ContainsAny(rows, inner+outer) {
				return &layer{inner: di, outer: do, transposed: t}
			}
		}
	}
	return nil
}

// repeats reports whether a letter occurs twice.
func repeats(labels string) bool {
	for i, c := range labels {
		if c != '.' && strings.ContainsRune(labels[i+1:], c) {
			return true
		}
	}
	return false
}

// batchesFit reports whether the batch dimensions of n are known to be valid. For BatchMatMul,
// which does not broadcast, they must be equal; for all other ops, batchesFit returns true.
func batchesFit(n *ir.Node) bool {
	x, y := n.Ins[0].Fact().Shape, n.Ins[1].Fact().Shape
	if n.Op != "BatchMatMul" {
		return true
	}
	if !x.Known || !y.Known || len(x.Dims) != len(y.Dims) || len(x.Dims) < 2 {
		return false
	}
	return slices.EqualFunc(x.Dims[:len(x.Dims)-2], y.Dims[:len(y.Dims)-2], (*sym.Expr).Equal)
}

func batchLayer(n *ir.Node, w *tensor.Tensor) *layer {
	r := w.Rank()
	if n.Ins[0].Fact().Shape.Rank() < 3 || n.Bool("adj_x") || r < 2 || w.Len() != w.Shape[r-1]*w.Shape[r-2] || r > n.Ins[0].Fact().Shape.Rank() {
		return nil
	}
	l := &layer{inner: []int{w.Shape[r-2]}, outer: []int{w.Shape[r-1]}}
	if n.Bool("adj_y") {
		l.transposed, l.inner, l.outer = true, l.outer, l.inner
	}
	return l
}

// layerOf replaces the product n by a MatMul, with reshapes before and after it. It returns false
// if the pass may make no more changes, because its fuel is used up.
func layerOf(s *edit.State, e *ir.Editor, n *ir.Node, w *tensor.Tensor, l *layer) bool {
	x, d := e.Resolve(n.Ins[0]), w.DType
	k, m := size(l.inner), size(l.outer)
	var made []*ir.Node
	node := func(base, op string, attrs map[string]ir.Attr, t tensor.DType, ins ...ir.Out) ir.Out {
		o := s.G.NewNode(base, op, attrs, 1, ins...)
		o.Device, o.Origin, o.Outs[0].DType = n.Device, n.Origin, t
		made = append(made, o)
		return ir.Out{Node: o}
	}
	vector := func(base string, vs ...int) ir.Out {
		t := make([]int32, len(vs))
		for i, v := range vs {
			t[i] = int32(v)
		}
		o := s.G.NewConst(n.Name+"/"+base, tensor.Must(tensor.From(tensor.Shape{len(t)}, t)))
		made = append(made, o.Node)
		return o
	}
	shaped := map[string]ir.Attr{"T": d, "Tshape": tensor.Int32}
	in := x
	rank := n.Ins[0].Fact().Shape.Rank()
	flat := rank == 2 && len(l.inner) == 1
	if !flat {
		in = node(n.Name+"/rows", "Reshape", shaped, d, x, vector("rows/shape", -1, k))
	}
	right := n.Ins[1]
	if w.Rank() != 2 {
		v := *w
		v.Shape = tensor.Shape{k, m}
		if l.transposed {
			v.Shape = tensor.Shape{m, k}
		}
		right = s.NewConst(n.Ins[1].Node.Name+"/matrix", &v, n.Ins[1].Node)
		made = append(made, right.Node)
	}
	y := node(n.Name+"/product", "MatMul", map[string]ir.Attr{"T": d, "transpose_a": false, "transpose_b": l.transposed}, d, in, right)
	y.Node.Controls = append([]*ir.Node(nil), n.Controls...)
	if !flat || len(l.outer) != 1 {
		shape, ok := edit.StaticShape(n.Outs[0].Shape)
		var to ir.Out
		if ok {
			to = s.G.NewConst(n.Name+"/shape", shape)
			made = append(made, to.Node)
		} else {
			all := node(n.Name+"/shape/of", "Shape", map[string]ir.Attr{"T": d, "out_type": tensor.Int32}, tensor.Int32, x)
			head := node(n.Name+"/shape/rows", "StridedSlice", map[string]ir.Attr{"T": tensor.Int32, "Index": tensor.Int32, "begin_mask": int64(1),
				"end_mask": int64(0), "ellipsis_mask": int64(0), "new_axis_mask": int64(0), "shrink_axis_mask": int64(0)}, tensor.Int32,
				all, vector("shape/begin", 0), vector("shape/end", rank-len(l.inner)), vector("shape/step", 1))
			axis := s.G.NewConst(n.Name+"/shape/axis", tensor.Must(tensor.From(nil, []int32{0})))
			made = append(made, axis.Node)
			to = node(n.Name+"/shape", "ConcatV2", map[string]ir.Attr{"T": tensor.Int32, "N": int64(2), "Tidx": tensor.Int32}, tensor.Int32,
				head, vector("shape/columns", l.outer...), axis)
		}
		y = node(n.Name+"/shaped", "Reshape", shaped, d, y, to)
	}
	if !e.Replace(ir.Out{Node: n}, y, "the axes before the last are the rows of one matrix") {
		s.Drop(made...)
		return false
	}
	return true
}
