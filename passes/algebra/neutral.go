package algebra

import (
	"math"
	"reflect"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// largestZeros is the largest size in bytes of zeros that are stored as a constant.
const largestZeros = 100 << 10

// Neutral removes operations whose operand is a neutral or an absorbing element. This element is a
// constant, or a tensor of any size all of whose elements are the same number:
//
//	x·1, x/1, x+0, x-0, BiasAdd(x, 0)       x, broadcast if the other input is larger
//	x∨false, x∧true, x|0, x^0, x<<0, x>>0   x
//	0-x                                     Neg(x)
//	1/x of floats                           Reciprocal(x)
//	x·0 of integers, MulNoNan(x, 0)         zeros
//	MatMul of integers with zeros           zeros
//	x∧false, x∨true, x&0                    the constant
//	Select(true, x, y), Select(false, x, y) x, y
//	ZerosLike(x), OnesLike(x)               a constant if the size is known and small
//	Xdivy(x, c)                             MulNoNan(1/c, x), c a power of two
//
// NaN and infinities are preserved, so a product of floats with 0 is not replaced. A quotient of
// integers is not replaced if the divisor might be 0. The sign of a zero may change only if no
// reader distinguishes the two signs.
func Neutral(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		switch n.Op {
		case "Select", "SelectV2":
			selects(r, n)
		case "MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3":
			zeroProduct(r, n)
		case "Xdivy":
			xdivy(r, n)
		case "ZerosLike", "OnesLike":
			like(r, n)
		default:
			if len(n.Ins) == 2 && len(n.Outs) == 1 && !neutral(r, n, 1) && !r.Spent {
				neutral(r, n, 0)
			}
		}
	})
}

// neutral replaces the node n if all elements of its input number i are the same number, and this
// number is a neutral or absorbing element for the op. It reports whether it replaced n.
func neutral(r *edit.Rewriter, n *ir.Node, i int) bool {
	x := n.Ins[1-i]
	d := n.Outs[0].DType
	if d == tensor.Bool {
		return logical(r, n, i)
	}
	if x.Node.Op == "Const" || !d.IsInteger() && !d.IsFloat() || n.Ins[i].Fact().DType != d {
		return false
	}
	c, ok := edit.FilledWith(n.Ins[i])
	if !ok {
		return false
	}
	unsigned := func() bool { return d.IsInteger() || !edit.ZeroSignSeen(r.S.O.Ops, r.Readers, ir.Out{Node: n}) }
	switch n.Op {
	case "Mul":
		switch {
		case c == 1:
			return hands(r, n, x, "a product with 1")
		case c == 0 && d.IsInteger():
			return zeros(r, n, x, n.Ins[i], "a product with 0")
		}
	case "MulNoNan": // MulNoNan is 0 if its second input is 0, even if the first is NaN or infinite
		if c == 0 && i == 1 {
			return zeros(r, n, x, n.Ins[i], "0 for any other factor")
		}
		if c == 1 && i == 1 {
			return hands(r, n, x, "a product with 1")
		}
	case "RealDiv", "Div":
		switch {
		case c == 1 && i == 1:
			return hands(r, n, x, "a quotient by 1")
		case c == 1 && d.IsFloat() && edit.Takes(r.S.O.Ops, "Reciprocal", d) && x.Fact().Shape.Equal(n.Outs[0].Shape):
			r.Is(n, "Reciprocal", "1 by a number is its reciprocal", x)
			return true
		}
	case "FloorDiv", "TruncateDiv":
		if c == 1 && i == 1 && d.IsInteger() {
			return hands(r, n, x, "a quotient by 1")
		}
	case "Add", "AddV2":
		if c == 0 && unsigned() {
			return hands(r, n, x, "a sum with 0")
		}
	case "BiasAdd", "BiasAddV1":
		if c == 0 && i == 1 && unsigned() {
			return hands(r, n, x, "a bias of 0")
		}
	case "Sub":
		switch {
		case c != 0:
		case i == 1 && unsigned():
			return hands(r, n, x, "a difference with 0")
		case i == 0 && edit.Takes(r.S.O.Ops, "Neg", d) && unsigned() && x.Fact().Shape.Equal(n.Outs[0].Shape):
			r.Is(n, "Neg", "0 less a number is its negative", x)
			return true
		}
	case "LeftShift", "RightShift":
		if c == 0 && i == 1 {
			return hands(r, n, x, "shifted by 0")
		}
	case "BitwiseOr", "BitwiseXor":
		if c == 0 {
			return hands(r, n, x, "no bits are added")
		}
	case "BitwiseAnd":
		if c == 0 {
			return zeros(r, n, x, n.Ins[i], "no bits are left")
		}
	}
	return false
}

// logical replaces the node n, a LogicalAnd or LogicalOr, if all elements of its input number i are
// the same bool. It reports whether it replaced n.
func logical(r *edit.Rewriter, n *ir.Node, i int) bool {
	if n.Op != "LogicalAnd" && n.Op != "LogicalOr" {
		return false
	}
	v, ok := edit.AllBools(n.Ins[i])
	if !ok {
		return false
	}
	x := n.Ins[1-i]
	if v == (n.Op == "LogicalAnd") {
		return hands(r, n, x, "the result is the other input")
	}
	if n.Ins[i].Fact().Shape.Equal(n.Outs[0].Shape) {
		r.Becomes(n, n.Ins[i], "the other input does not matter")
		return true
	}
	return broadcast(r, n, n.Ins[i], "the other input does not matter")
}

// hands replaces n by its input x or, if the two differ in shape, by x broadcast to the shape of n.
// It returns false if it cannot replace n.
func hands(r *edit.Rewriter, n *ir.Node, x ir.Out, why string) bool {
	if x.Fact().Shape.Equal(n.Outs[0].Shape) {
		r.Becomes(n, x, why)
		return true
	}
	return broadcast(r, n, x, why)
}

// broadcast changes n to a BroadcastTo of x. It returns false if the shape of n is not known at
// compile time.
func broadcast(r *edit.Rewriter, n *ir.Node, x ir.Out, why string) bool {
	s, ok := n.Outs[0].Shape.Static()
	if !ok || !x.Fact().Shape.Known || x.Fact().DType != n.Outs[0].DType {
		return false
	}
	if r.Take(n, why) {
		to := make([]int32, len(s))
		for i, d := range s {
			to[i] = int32(d)
		}
		c := r.S.G.NewConst(n.Name+"/shape", tensor.Must(tensor.From(tensor.Shape{len(to)}, to)))
		r.Set(n, "BroadcastTo", map[string]ir.Attr{"T": n.Outs[0].DType, "Tidx": tensor.Int32}, x, c)
	}
	return true
}

// zeros replaces n by a tensor of zeros. One input of n is the parameter zero, whose elements are
// all 0; the other input is x.
func zeros(r *edit.Rewriter, n *ir.Node, x, zero ir.Out, why string) bool {
	f := n.Outs[0]
	size, static := BytesOf(&f)
	signed := f.DType.IsFloat() && signedZeros(zero)
	switch {
	case zero.Fact().Shape.Equal(f.Shape) && !signed:
		r.Becomes(n, zero, why)
	case static && size <= largestZeros:
		t, err := tensor.New(f.DType, staticOf(f.Shape), 0)
		if err != nil {
			return false
		}
		if r.Take(n, why) {
			c := r.S.NewConst(n.Name+"/zeros", t, zero.Node)
			r.Set(n, "Identity", edit.OfType(f.DType), c)
		}
	case x.Fact().Shape.Equal(f.Shape):
		r.Is(n, "ZerosLike", why, x)
	default:
		return false
	}
	return true
}

// signedZeros reports whether an element of o may be -0. All elements of o are zeros.
func signedZeros(o ir.Out) bool {
	t := edit.ValueOf(o)
	if t == nil {
		return o.Node.Op != "ZerosLike"
	}
	switch d := t.Data.(type) {
	case []tensor.F16:
		return slices.ContainsFunc(d, func(h tensor.F16) bool { return h != 0 })
	case []tensor.BF16:
		return slices.ContainsFunc(d, func(h tensor.BF16) bool { return h != 0 })
	}
	vs, ok := edit.Floats(t)
	return !ok || slices.ContainsFunc(vs, math.Signbit)
}

func staticOf(s ir.Shape) tensor.Shape {
	t, _ := s.Static()
	return t
}

// zeroProduct replaces a product of integer matrices by zeros if all elements of one matrix are 0.
func zeroProduct(r *edit.Rewriter, n *ir.Node) {
	f := n.Outs[0]
	if len(n.Ins) != 2 || !f.DType.IsInteger() {
		return
	}
	size, static := BytesOf(&f)
	if !static || size > largestZeros {
		return
	}
	for _, o := range n.Ins {
		if c, ok := edit.FilledWith(o); !ok || c != 0 {
			continue
		}
		t, err := tensor.New(f.DType, staticOf(f.Shape), 0)
		if err == nil && r.Take(n, "a product with a matrix of zeros") {
			r.Set(n, "Identity", edit.OfType(f.DType), r.S.NewConst(n.Name+"/zeros", t, o.Node))
		}
		return
	}
}

// selects replaces a Select with a constant condition by the chosen operand.
func selects(r *edit.Rewriter, n *ir.Node) {
	if len(n.Ins) != 3 || !n.Outs[0].DType.IsData() {
		return
	}
	if v, ok := edit.AllBools(n.Ins[0]); ok {
		x := n.Ins[1]
		if !v {
			x = n.Ins[2]
		}
		hands(r, n, x, "the condition is known")
	}
}

// xdivy replaces Xdivy(x, c), which is 0 where x is 0 and x/c elsewhere, by a product if the
// product is exact.
func xdivy(r *edit.Rewriter, n *ir.Node) {
	d := n.Outs[0].DType
	if len(n.Ins) != 2 || !edit.IsWide(d) || n.Ins[0].Node.Op == "Const" {
		return
	}
	c, ok := edit.FilledWith(n.Ins[1])
	if !ok || !ExactInverse(c, d) || edit.ValueOf(n.Ins[1]) == nil {
		return
	}
	t := edit.ValueOf(n.Ins[1])
	inv, ok := edit.Rounded(d, t.Shape, slices.Repeat([]float64{1 / c}, t.Len()))
	if ok && r.Take(n, "dividing by a power of two is multiplying by its inverse") {
		r.Set(n, "MulNoNan", edit.OfType(d), r.S.NewConst(n.Name+"/inverse", inv, n.Ins[1].Node), n.Ins[0])
	}
}

// like replaces n, a ZerosLike or OnesLike, by a constant if the shape of n is known at compile
// time.
func like(r *edit.Rewriter, n *ir.Node) {
	f := n.Outs[0]
	size, static := BytesOf(&f)
	if len(n.Ins) != 1 || !static || size > largestZeros || !plainType(f.DType) {
		return
	}
	t, err := tensor.New(f.DType, staticOf(f.Shape), 0)
	if err != nil {
		return
	}
	if n.Op == "OnesLike" {
		one, ok := edit.NumberOf(f.DType, 1)
		if !ok {
			return
		}
		data := reflect.ValueOf(t.Data)
		for i := range data.Len() {
			data.Index(i).Set(reflect.ValueOf(one.Data).Index(0))
		}
	}
	if r.Take(n, "its value is known") {
		r.Set(n, "Identity", edit.OfType(f.DType), r.S.G.NewConst(n.Name+"/const", t))
	}
}
