package passes

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// fill takes large constants apart whose elements are all the same bits: what
// broadcasts reads one element, and what copies is given a Fill. What broadcasts
// reads one element of a Fill of a constant, too. A program is not larger, and reads
// no more memory, than it must.
func fill(s *state) (bool, error) {
	return s.each(func(r *rewriter, n *ir.Node) {
		for i := range n.Ins {
			if r.spent {
				return
			}
			r.unfilled(n, i)
		}
	})
}

// negative reports a size that might be below 0, which is an error.
func negative(d *sym.Expr) bool { return !d.NonNegative() }

func (r *rewriter) unfilled(n *ir.Node, i int) {
	o := n.Ins[i]
	same := i < 2 && len(n.Ins) == 2 && r.s.o.Ops.Trait(n.Op, lower.Broadcasts) && n.Ins[1-i].Fact().Shape.Equal(n.Outs[0].Shape)
	if m := o.Node; m.Op == "Fill" && same && valueOf(m.Ins[1]) != nil && r.near(o, n) && m.Outs[0].Shape.Known && !slices.ContainsFunc(m.Outs[0].Shape.Dims, negative) {
		if r.take(n, "one element is read instead of many that are the same") {
			ins := slices.Clone(n.Ins)
			ins[i] = m.Ins[1]
			r.set(n, n.Op, n.Attrs, ins...)
		}
		return
	}
	t := valueOf(o)
	if t == nil || t.Len()*t.DType.Size() <= foldCheap || !plainType(t.DType) || !sameBits(t) {
		return
	}
	one := element(t)
	switch {
	case same:
		if r.take(n, "one element is read instead of many that are the same") {
			ins := slices.Clone(n.Ins)
			ins[i] = r.s.newConst(o.Node.Name+"/element", one, o.Node)
			r.set(n, n.Op, n.Attrs, ins...)
		}
	case r.s.o.Ops.Trait(n.Op, lower.HandsConstant):
		if !r.take(n, "elements that are the same are made when they are needed") {
			return
		}
		dims := make([]int32, len(t.Shape))
		for k, d := range t.Shape {
			dims[k] = int32(d)
		}
		f := r.made(n, "fill", "Fill", map[string]ir.Attr{"T": t.DType, "index_type": tensor.Int32}, *o.Fact(),
			r.s.g.NewConst(o.Node.Name+"/dims", tensor.Must(tensor.From(tensor.Shape{len(dims)}, dims))), r.s.newConst(o.Node.Name+"/element", one, o.Node))
		ins := slices.Clone(n.Ins)
		ins[i] = f
		r.set(n, n.Op, n.Attrs, ins...)
	}
}

// sameBits reports that all elements of a tensor have the same bits.
func sameBits(t *tensor.Tensor) bool {
	b := tensor.Raw(reflect.ValueOf(t.Data))
	size := t.DType.Size()
	return size > 0 && len(b) > size && bytes.Equal(b[size:], b[:len(b)-size])
}

// element is the first element of a tensor as a scalar.
func element(t *tensor.Tensor) *tensor.Tensor {
	return &tensor.Tensor{DType: t.DType, Shape: tensor.Shape{}, Data: reflect.ValueOf(t.Data).Slice3(0, 1, 1).Interface()}
}
