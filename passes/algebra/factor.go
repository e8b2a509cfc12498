package algebra

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Factor simplifies sums and products:
//
//	x·a + x·b, x·a - x·b, AddN(x·a, x·b, …)   x·(a ± b ± …)
//	a/x ± b/x of floats                       (a ± b)/x
//	AddN(x, x, x)                             3·x
//	x + x                                     2·x
//	x + (-y), (-x) + y, x - (-y)              x - y, y - x, x + y
//	(-x)·(-y), (-x)/(-y)                      x·y, x/y
//	AddN of some constants                    AddN of their sum
//
// A common factor or divisor is moved out of a sum if the terms have no other readers and if a, b,
// … have the same shape.
func Factor(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		if len(n.Outs) != 1 || len(n.Ins) < 2 || !n.Outs[0].Shape.Known {
			return
		}
		d := n.Outs[0].DType
		switch n.Op {
		case "Add", "AddV2", "Sub", "AddN", "AccumulateNV2":
			if d.IsInteger() || d.IsFloat() || d.IsComplex() {
				_ = same(r, n) || negated(r, n) || partial(r, n) || common(r, n, "Mul") || common(r, n, "RealDiv") || common(r, n, "Div")
			}
		case "Mul", "RealDiv", "Div":
			x, y := n.Ins[0].Node, n.Ins[1].Node
			if x.Op == "Neg" && y.Op == "Neg" && r.Near(n.Ins[0], n) && r.Near(n.Ins[1], n) && (d.IsFloat() || n.Op == "Mul" && d.IsInteger()) {
				r.Is(n, n.Op, "two signs cancel", x.Ins[0], y.Ins[0])
			}
		}
	})
}

// same replaces a sum of k equal terms by the product of the term and the number k. It reports
// whether it did.
func same(r *edit.Rewriter, n *ir.Node) bool {
	d := n.Outs[0].DType
	k := len(n.Ins)
	if n.Op == "Sub" || k < 2 || !edit.Takes(r.S.O.Ops, "Mul", d) || edit.Count(n.Ins, n.Ins[0]) != k || n.Ins[0].Node.Op == "Const" {
		return false
	}
	// A sum of two or three equal floats is rounded once, as is the product; a sum of more floats
	// is rounded several times.
	if d.IsComplex() || k > 3 && !edit.IsWide(d) && !d.IsInteger() || d.IsInteger() && k > 100 {
		return false
	}
	t, ok := edit.NumberOf(d, float64(k))
	if ok && r.Take(n, "a sum of equal terms") {
		r.Set(n, "Mul", edit.OfType(d), n.Ins[0], r.S.G.NewConst(n.Name+"/times", t))
	}
	return ok
}

// negated turns a sum with a negated term into a difference, and a difference into a sum.
func negated(r *edit.Rewriter, n *ir.Node) bool {
	if len(n.Ins) != 2 || n.Op == "AddN" || n.Op == "AccumulateNV2" {
		return false
	}
	of := func(i int) (ir.Out, bool) {
		m := n.Ins[i].Node
		if m.Op != "Neg" || !r.Near(n.Ins[i], n) {
			return ir.Out{}, false
		}
		return m.Ins[0], true
	}
	if y, ok := of(1); ok {
		op := "Sub"
		if n.Op == "Sub" {
			op = "AddV2"
		}
		r.Is(n, op, "the sign goes into the sum", n.Ins[0], y)
		return true
	}
	if x, ok := of(0); ok && n.Op != "Sub" {
		r.Is(n, "Sub", "the sign goes into the sum", n.Ins[1], x)
		return true
	}
	return false
}

// partial adds up the constants among the terms.
func partial(r *edit.Rewriter, n *ir.Node) bool {
	d := n.Outs[0].DType
	if n.Op != "AddN" && n.Op != "AccumulateNV2" || !d.IsInteger() && !edit.IsWide(d) && !d.IsComplex() {
		return false
	}
	var sum *tensor.Tensor
	var of []*ir.Node
	rest := make([]ir.Out, 0, len(n.Ins))
	at := -1
	for _, o := range n.Ins {
		c := edit.ValueOf(o)
		if c == nil {
			rest = append(rest, o)
			continue
		}
		of = append(of, o.Node)
		if sum == nil {
			sum, at = c, len(rest)
			rest = append(rest, o)
			continue
		}
		if !sum.Shape.Equal(c.Shape) {
			return false
		}
		var ok bool
		sum, ok = combine(sum, c, func(a, b complex128) (complex128, bool) { return a + b, harmless(a, b) },
			func(a, b int64) int64 { return a + b })
		if !ok {
			return false
		}
	}
	if len(of) < 2 || len(rest) < 2 || !r.Take(n, "one constant is added instead of several") {
		return false
	}
	rest[at] = r.S.NewConst(n.Name+"/sum", sum, of...)
	r.Set(n, n.Op, With(n.Attrs, "N", int64(len(rest))), rest...)
	return true
}

// common moves a factor or a divisor that occurs in all terms of a sum out of the sum. Parameter op
// is Mul, Div or RealDiv.
func common(r *edit.Rewriter, n *ir.Node, op string) bool {
	d := n.Outs[0].DType
	if !edit.IsWide(d) && !(op == "Mul" && d.IsInteger()) {
		return false
	}
	for i, o := range n.Ins {
		m := o.Node
		if m.Op != op && !(m.Op == "Square" && op == "Mul") || !r.Sole(o, n) || slices.Index(n.Ins, o) != i || !m.Outs[0].Shape.Equal(n.Outs[0].Shape) {
			return false
		}
	}
	var candidates []ir.Out
	switch first := n.Ins[0].Node; {
	case op != "Mul":
		candidates = first.Ins[1:]
	default:
		candidates = first.Ins
	}
	for _, x := range candidates {
		others := make([]ir.Out, 0, len(n.Ins))
		for _, o := range n.Ins {
			m := o.Node
			switch {
			case m.Op == "Square" && m.Ins[0] == x:
				others = append(others, x)
			case m.Op == "Square":
			case op != "Mul" && m.Ins[1] == x:
				others = append(others, m.Ins[0])
			case op != "Mul":
			case m.Ins[0] == x:
				others = append(others, m.Ins[1])
			case m.Ins[1] == x:
				others = append(others, m.Ins[0])
			}
		}
		if len(others) < len(n.Ins) || !oneShape(others) {
			continue
		}
		if isProduct(r, x) || slices.ContainsFunc(others, func(o ir.Out) bool { return isProduct(r, o) }) {
			continue // not after a matrix product, whose kernel can also multiply by factors and add terms
		}
		if !r.Take(n, "a common factor is taken out") {
			return true
		}
		inner := n.Op
		if len(others) > 2 {
			inner = "AddN"
		}
		sum := r.Made(n, "terms", inner, n.Attrs, ir.Fact{DType: d, Shape: others[0].Fact().Shape}, others...)
		if op == "Mul" {
			r.Set(n, "Mul", edit.OfType(d), x, sum)
		} else {
			r.Set(n, "RealDiv", edit.OfType(d), sum, x)
		}
		return true
	}
	return false
}

// oneShape reports whether all tensors in os have the same shape.
func oneShape(os []ir.Out) bool {
	for _, o := range os {
		if !o.Fact().Shape.Equal(os[0].Fact().Shape) {
			return false
		}
	}
	return true
}
