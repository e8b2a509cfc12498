package algebra

import (
	"math"
	"math/cmplx"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Constants combines two constants in a chain of sums and differences, or in a chain of products
// and quotients, into one constant:
//
//	c1 ± (x ± c2), (x ± c1) ± c2, BiasAdd(x, c1) + c2    x + c, c - x
//	c1·(x·c2), (x/c1)·c2, c1/(x·c2), -(x·c), …           x·c, c/x
//
// Sums are replaced for integers, which wrap around in any order, and for f32, f64 and complex
// numbers. Products are replaced for f32, f64 and integers, but quotients only for f32 and f64. The
// inner node must have no other reader.
//
// Constants does not change a chain in these cases:
//
//   - A constant is so large or so small that the model may add it in order to round digits away.
//   - The combined constant might be outside of the range of its type.
//   - The chain follows a matrix product. The pass named batchnorm multiplies the constants of such
//     a chain into the weights of the product.
//   - The combined constant would have more elements than either of the two constants.
func Constants(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		if len(n.Outs) != 1 || len(n.Ins) == 0 {
			return
		}
		d := n.Outs[0].DType
		switch {
		case !n.Outs[0].Shape.Known:
		case sums[n.Op] && (d.IsInteger() || edit.IsWide(d) || d.IsComplex()):
			joinSum(r, n)
		case products[n.Op] && (d.IsInteger() || edit.IsWide(d)):
			joinProduct(r, n)
		}
	})
}

var (
	sums     = edit.Set("Add", "AddV2", "Sub", "BiasAdd")
	products = edit.Set("Mul", "RealDiv", "Div", "Neg")
)

// term describes a node as a function of a tensor x and a constant c. For a sum, the function is x
// + c if sign is 1, and c - x if sign is -1. For a product, it is x·c or c/x.
type term struct {
	x    ir.Out
	sign int
	c    *tensor.Tensor // nil in Neg
	of   *ir.Node       // the Const
	cs   int            // 1 or -1; if it is -1, a sum has -c in place of c, and a product has 1/c in place of c
}

// sumTerm describes n as a sum or difference with a constant.
func sumTerm(n *ir.Node) (term, bool) {
	if !sums[n.Op] || len(n.Ins) != 2 {
		return term{}, false
	}
	for i := range n.Ins {
		c := edit.ValueOf(n.Ins[i])
		if c == nil || edit.ValueOf(n.Ins[1-i]) != nil {
			continue
		}
		t := term{x: n.Ins[1-i], sign: 1, c: c, of: n.Ins[i].Node, cs: 1}
		switch n.Op {
		case "Sub":
			if t.cs = -1; i == 0 {
				t.sign, t.cs = -1, 1
			}
		case "BiasAdd":
			if i == 0 {
				return term{}, false
			}
			rank := n.Outs[0].Shape.Rank()
			if axis := edit.FormatAxis(n, rank); axis != rank-1 {
				if axis < 0 || c.Rank() != 1 || rank < 3 {
					return term{}, false
				}
				v := *c
				v.Shape = tensor.Shape{c.Shape[0]}
				for range rank - 1 - axis {
					v.Shape = append(v.Shape, 1)
				}
				t.c = &v
			}
		}
		return t, true
	}
	return term{}, false
}

// joinSum combines the two constants of a chain of two sums. The node n is the second sum.
func joinSum(r *edit.Rewriter, n *ir.Node) {
	t, ok := sumTerm(n)
	if !ok {
		return
	}
	in, ok := sumTerm(t.x.Node)
	if !ok || !r.Sole(t.x, n) || isProduct(r, in.x) || !sameType(t.c, in.c) {
		return
	}
	// With s = t.sign and s' = in.sign, n is s(s'x + c') + c, so the new constant is s·c' + c.
	c, ok := combine(in.c, t.c, func(a, b complex128) (complex128, bool) {
		u, v := a*complex(float64(in.cs*t.sign), 0), b*complex(float64(t.cs), 0)
		return u + v, harmless(u, v)
	}, func(a, b int64) int64 { return a*int64(in.cs*t.sign) + b*int64(t.cs) })
	if !ok || !r.Take(n, "one constant is added instead of two") {
		return
	}
	k := r.S.NewConst(n.Name+"/sum", c, t.of, in.of)
	if t.sign*in.sign > 0 {
		r.Set(n, "AddV2", edit.OfType(c.DType), in.x, k)
	} else {
		r.Set(n, "Sub", edit.OfType(c.DType), k, in.x)
	}
}

// isProduct reports whether o is the result of a convolution or matrix product, possibly through
// reshapes and sums.
func isProduct(r *edit.Rewriter, o ir.Out) bool {
	for range 4 {
		if _, ok := edit.ProductOf(o.Node); ok {
			return true
		}
		if !edit.Reshapes(o.Node) && !sums[o.Node.Op] {
			return false
		}
		o = o.Node.Ins[0]
	}
	return false
}

// harmless reports whether u + v may be added to a number in one step instead of two. That is so if
// u and v are both zero or of a usual size. A very large or very small constant may be added in
// order to round digits away, so its addition must stay a separate step.
func harmless(u, v complex128) bool {
	usual := func(x float64) bool {
		m := math.Abs(x)
		return m == 0 || m >= 0x1p-10 && m <= 0x1p10
	}
	return usual(real(u)) && usual(imag(u)) && usual(real(v)) && usual(imag(v))
}

// productTerm describes n as a product or quotient with a constant, or as a negation.
func productTerm(n *ir.Node) (term, bool) {
	if n.Op == "Neg" && len(n.Ins) == 1 {
		return term{x: n.Ins[0], sign: 1, cs: 1}, true
	}
	if !products[n.Op] || len(n.Ins) != 2 || n.Op != "Mul" && n.Outs[0].DType.IsInteger() {
		return term{}, false
	}
	for i := range n.Ins {
		c := edit.ValueOf(n.Ins[i])
		if c == nil || edit.ValueOf(n.Ins[1-i]) != nil {
			continue
		}
		t := term{x: n.Ins[1-i], sign: 1, c: c, of: n.Ins[i].Node, cs: 1}
		if n.Op != "Mul" {
			if t.cs = -1; i == 0 {
				t.sign, t.cs = -1, 1
			}
		}
		return t, true
	}
	return term{}, false
}

// joinProduct joins the constants of a chain of products that ends with n.
func joinProduct(r *edit.Rewriter, n *ir.Node) {
	t, ok := productTerm(n)
	if !ok {
		return
	}
	in, ok := productTerm(t.x.Node)
	if !ok || t.c == nil && in.c == nil || !r.Sole(t.x, n) || isProduct(r, in.x) {
		return
	}
	a, b := in.c, t.c
	d := n.Outs[0].DType
	minus := 1.
	for _, c := range []**tensor.Tensor{&a, &b} {
		if *c == nil { // Neg
			minus = -1
			one, ok := edit.NumberOf(d, 1)
			if !ok {
				return
			}
			*c = one
		}
	}
	if !sameType(a, b) {
		return
	}
	// With s = t.sign and s' = in.sign, n is (x^s' · c')^s · c, so the new constant is c'^s · c.
	c, ok := combine(a, b, func(u, v complex128) (complex128, bool) {
		x, y := real(u), real(v)
		if in.cs*t.sign < 0 {
			x = 1 / x
		}
		if t.cs < 0 {
			y = 1 / y
		}
		p := x * y * minus
		return complex(p, 0), InRange(real(u), in.cs) && InRange(real(v), t.cs) && InRange(p, 1) && (in.cs*t.sign > 0 || x != 0 && !math.IsInf(x, 0))
	}, func(u, v int64) int64 { return u * v * int64(minus) })
	if !ok {
		return
	}
	var of []*ir.Node
	for _, m := range []*ir.Node{t.of, in.of} {
		if m != nil {
			of = append(of, m)
		}
	}
	if !r.Take(n, "one constant factor replaces two") {
		return
	}
	k := r.S.NewConst(n.Name+"/product", c, of...)
	if t.sign*in.sign > 0 {
		r.Set(n, "Mul", edit.OfType(d), in.x, k)
	} else {
		r.Set(n, "RealDiv", edit.OfType(d), k, in.x)
	}
}

// InRange reports whether numbers of usual size remain within the range of their type if they are
// multiplied by v. If sign is negative, they are divided by v instead.
func InRange(v float64, sign int) bool {
	m := math.Abs(v)
	return m >= 0x1p-30 && m <= 0x1p30 || v == 0 && sign > 0
}

func sameType(a, b *tensor.Tensor) bool { return a.DType == b.DType }

// combine applies a function to each pair of elements of two constants, which may be broadcast. It
// uses the function g for integers, which wrap around, and f for all other types. It returns false
// in three cases: if f returns false, if the result has more elements than both constants, or if an
// element of the result is not finite in the type of the constants.
func combine(a, b *tensor.Tensor, f func(a, b complex128) (complex128, bool), g func(a, b int64) int64) (*tensor.Tensor, bool) {
	shape, ok := joinShapes(a.Shape, b.Shape)
	if !ok {
		return nil, false
	}
	n, err := shape.Len()
	if err != nil || n == 0 || n > max(a.Len(), b.Len()) {
		return nil, false
	}
	ai, bi := broadcastIndex(a.Shape, shape), broadcastIndex(b.Shape, shape)
	if a.DType.IsInteger() {
		x, ok1 := a.Ints()
		y, ok2 := b.Ints()
		if !ok1 || !ok2 {
			return nil, false
		}
		out := make([]int64, n)
		for i := range out {
			out[i] = g(x[ai(i)], y[bi(i)])
		}
		return edit.Integers(a.DType, shape, out)
	}
	x, ok1 := complexes(a)
	y, ok2 := complexes(b)
	if !ok1 || !ok2 {
		return nil, false
	}
	out := make([]complex128, n)
	for i := range out {
		v, ok := f(x[ai(i)], y[bi(i)])
		if !ok || cmplx.IsNaN(v) || cmplx.IsInf(v) {
			return nil, false
		}
		out[i] = v
	}
	switch a.DType {
	case tensor.Complex64:
		cs := make([]complex64, n)
		for i, v := range out {
			cs[i] = complex64(v)
		}
		return tensor.Must(tensor.From(shape, cs)), true
	case tensor.Complex128:
		return tensor.Must(tensor.From(shape, out)), true
	}
	fs := make([]float64, n)
	for i, v := range out {
		fs[i] = real(v)
	}
	return edit.Rounded(a.DType, shape, fs)
}

// complexes returns the elements of a tensor of type f32, f64 or complex.
func complexes(t *tensor.Tensor) ([]complex128, bool) {
	switch d := t.Data.(type) {
	case []complex128:
		return d, true
	case []complex64:
		out := make([]complex128, len(d))
		for i, v := range d {
			out[i] = complex128(v)
		}
		return out, true
	}
	vs, ok := edit.Floats(t)
	out := make([]complex128, len(vs))
	for i, v := range vs {
		out[i] = complex(v, 0)
	}
	return out, ok
}

// joinShapes returns the shape to which tensors of the shapes a and b are broadcast. It returns
// false if they cannot be broadcast.
func joinShapes(a, b tensor.Shape) (tensor.Shape, bool) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := append(tensor.Shape(nil), a...)
	for i, d := range b {
		k := len(a) - len(b) + i
		switch {
		case a[k] == d || d == 1:
		case a[k] == 1:
			out[k] = d
		default:
			return nil, false
		}
	}
	return out, true
}

// broadcastIndex returns a function for broadcasting a tensor of shape s to a larger shape, which
// is given by the parameter to. The function maps the index of each element of the result to the
// index of the tensor's element that is copied there.
func broadcastIndex(s, to tensor.Shape) func(i int) int {
	return func(i int) int {
		at, step := 0, 1
		for k := len(to) - 1; k >= 0; k-- {
			c := i % to[k]
			i /= to[k]
			if j := k - (len(to) - len(s)); j >= 0 {
				if s[j] > 1 {
					at += c * step
				}
				step *= s[j]
			}
		}
		return at
	}
}
