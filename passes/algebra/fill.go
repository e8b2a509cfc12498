package algebra

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Fill replaces large constants whose elements all have the same bits. This makes programs smaller
// and saves memory traffic. The replacement depends on the op that reads the constant: an op that
// broadcasts reads a scalar constant instead, and an op that copies its input reads a Fill node
// instead. If an op that broadcasts reads an existing Fill of a constant, it reads the scalar
// constant instead.
func Fill(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		for i := range n.Ins {
			if r.Spent {
				return
			}
			unfilled(r, n, i)
		}
	})
}

func unfilled(r *edit.Rewriter, n *ir.Node, i int) {
	o := n.Ins[i]
	same := i < 2 && len(n.Ins) == 2 && r.S.O.Ops.Trait(n.Op, lower.Broadcasts) && n.Ins[1-i].Fact().Shape.Equal(n.Outs[0].Shape)
	if m := o.Node; m.Op == "Fill" && same && edit.ValueOf(m.Ins[1]) != nil && r.Near(o, n) && m.Outs[0].Shape.Known && !slices.ContainsFunc(m.Outs[0].Shape.Dims, edit.Negative) {
		if r.Take(n, "one element is read instead of many equal ones") {
			ins := slices.Clone(n.Ins)
			ins[i] = m.Ins[1]
			r.Set(n, n.Op, n.Attrs, ins...)
		}
		return
	}
	t := edit.ValueOf(o)
	if t == nil || t.Len()*t.DType.Size() <= FoldCheap || !plainType(t.DType) || !sameBits(t) {
		return
	}
	one := element(t)
	switch {
	case same:
		if r.Take(n, "one element is read instead of many equal ones") {
			ins := slices.Clone(n.Ins)
			ins[i] = r.S.NewConst(o.Node.Name+"/element", one, o.Node)
			r.Set(n, n.Op, n.Attrs, ins...)
		}
	case r.S.O.Ops.Trait(n.Op, lower.HandsConstant):
		if !r.Take(n, "equal elements are filled at run time") {
			return
		}
		dims := make([]int32, len(t.Shape))
		for k, d := range t.Shape {
			dims[k] = int32(d)
		}
		f := r.Made(n, "fill", "Fill", map[string]ir.Attr{"T": t.DType, "index_type": tensor.Int32}, *o.Fact(),
			r.S.G.NewConst(o.Node.Name+"/dims", tensor.Must(tensor.From(tensor.Shape{len(dims)}, dims))), r.S.NewConst(o.Node.Name+"/element", one, o.Node))
		ins := slices.Clone(n.Ins)
		ins[i] = f
		r.Set(n, n.Op, n.Attrs, ins...)
	}
}

// sameBits reports whether all elements of a tensor have the same bits.
func sameBits(t *tensor.Tensor) bool {
	b := tensor.Raw(reflect.ValueOf(t.Data))
	size := t.DType.Size()
	return size > 0 && len(b) > size && bytes.Equal(b[size:], b[:len(b)-size])
}

// element returns the first element of a tensor as a scalar.
func element(t *tensor.Tensor) *tensor.Tensor {
	return &tensor.Tensor{DType: t.DType, Shape: tensor.Shape{}, Data: reflect.ValueOf(t.Data).Slice3(0, 1, 1).Interface()}
}
