package fuse

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Prescale handles a convolution or matrix product whose image or matrix has been multiplied by a
// constant factor, which is typically 1/255 for pixels. It removes this multiplication, and
// multiplies the constant filter of the product by the factor:
//
//	Conv2D(x·s, w), Conv2D(move(x·s), w), MatMul(x·s, w), …   Conv2D(move(x), s·w)
//
// Each intermediate node must have a single reader. This is also required of the filter: otherwise
// the program would contain two filters.
func Prescale(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		p, ok := edit.ProductOf(n)
		if !ok || p.Filter != 1 || n.Op == "Conv2DBackpropInput" {
			return
		}
		w := edit.ValueOf(n.Ins[1])
		if w == nil || !edit.IsWide(w.DType) || w.DType != n.Outs[0].DType || len(r.Readers[n.Ins[1]]) != 1 {
			return
		}
		at, o := n, n.Ins[0]
		for range 8 {
			m := o.Node
			if !r.Sole(o, at) || len(m.Ins) == 0 {
				return
			}
			if m.Op == "Mul" {
				scaleFilter(r, n, m, w)
				return
			}
			if !s.O.Ops.Trait(m.Op, lower.Picks) {
				return
			}
			at, o = m, m.Ins[0]
		}
	})
}

// scaleFilter changes the filter w of the product n: it is multiplied by the constant operand of m,
// a multiplication or division. n then reads the other operand of m.
func scaleFilter(r *edit.Rewriter, n, m *ir.Node, w *tensor.Tensor) {
	for i := range m.Ins {
		t, x := edit.ValueOf(m.Ins[i]), m.Ins[1-i]
		if t == nil || t.Len() != 1 || !x.Fact().Shape.Equal(m.Outs[0].Shape) || x.Node.Op == "Const" {
			continue
		}
		c, ok := edit.Uniform(t)
		if !ok || c == 0 || !algebra.InRange(c, 1) {
			continue
		}
		vs, ok := edit.Floats(w)
		if !ok {
			return
		}
		out := make([]float64, len(vs))
		for k, v := range vs {
			if v != 0 && (math.Abs(v*c) < 0x1p-120 || math.Abs(v*c) > 0x1p120) {
				return
			}
			out[k] = v * c
		}
		scaled, ok := edit.Rounded(w.DType, w.Shape, out)
		if !ok || !r.Take(n, "the factor of its input goes into the filter") {
			return
		}
		ins := append([]ir.Out(nil), n.Ins...)
		ins[1] = r.S.NewConst(n.Ins[1].Node.Name+"/scaled", scaled, n.Ins[1].Node, m.Ins[i].Node)
		r.Set(m, "Identity", edit.OfType(m.Outs[0].DType), x)
		if n.Ins[0].Node == m {
			ins[0] = x
		}
		r.Set(n, n.Op, n.Attrs, ins...)
		return
	}
}
