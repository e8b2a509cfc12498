package algebra

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Strength replaces an expensive op by a cheaper one if an operand is constant:
//
//	Pow(x, 0)       ones
//	Pow(x, 1)       x
//	Pow(x, 2)       Square(x)
//	Pow(x, 3)       Mul(Square(x), x)
//	Pow(x, -1)      Reciprocal(x)     only of floats: for integers, TensorFlow reports an error
//	Pow(x, ½)       _PowHalf(x), Sqrt(x) where x is known to be ≥ 0
//	Pow(x, -½)      _PowMinusHalf(x), Rsqrt(x)
//	RealDiv(x, 2^k) Mul(x, 2^-k)      exact; each element may have a different k
//	RealDiv(x, c)   Mul(x, 1/c)       unless the result is later rounded to an integer or compared
//
// All elements of the exponent must be equal, and the result must have the shape of x. NaN,
// infinities and signs of zero are preserved. TensorFlow's optimizer replaces a power of ½ by Sqrt,
// but Pow(-0, ½) is 0 and Pow(-∞, ½) is ∞; _PowHalf returns these values, too. For f16 and bf16,
// Pow(x, 3) is not replaced, because two products would round twice.
func Strength(s *edit.State) (bool, error) {
	e := s.Edit()
	readers := s.G.Readers()
	for _, n := range append([]*ir.Node(nil), s.G.Nodes...) {
		if inverses(s, e, n, readers) {
			continue
		}
		if n.Op != "Pow" && n.Op != "RealDiv" && n.Op != "Div" || len(n.Ins) != 2 || !n.Outs[0].Shape.Equal(n.Ins[0].Fact().Shape) {
			continue
		}
		c, ok := edit.Uniform(n.Ins[1].Fact().Const)
		if !ok {
			continue
		}
		x, d := n.Ins[0], n.DType("T")
		wide := d == tensor.Float32 || d == tensor.Float64
		switch {
		case n.Op == "RealDiv" || n.Op == "Div":
			if inv := 1 / c; wide && ExactInverse(c, d) && e.Changed(n, "dividing by a power of two is multiplying by its inverse") {
				n.Op, n.Ins = "Mul", []ir.Out{x, s.NewConst(n.Name+"/inverse", edit.Scalar(d, inv), n.Ins[1].Node)}
			} else if wide && !ExactInverse(c, d) && usualDivisor(c) && !edit.RoundingSeen(s.O.Ops, readers, ir.Out{Node: n}) &&
				e.Changed(n, "dividing by a constant is multiplying by its inverse") {
				n.Op, n.Ins = "Mul", []ir.Out{x, s.NewConst(n.Name+"/inverse", edit.Scalar(d, inv), n.Ins[1].Node)}
			}
		case c == 0 && (d.IsFloat() || d.IsInteger()) && edit.Takes(s.O.Ops, "OnesLike", d):
			if e.Changed(n, "a power of 0 is 1") {
				n.Op, n.Ins = "OnesLike", []ir.Out{x}
			}
		case (c == 0.5 || c == -0.5) && d.IsFloat():
			if e.Changed(n, "a power of a half is a root") {
				n.Op, n.Ins = root(s, c < 0, x, edit.ZeroSignSeen(s.O.Ops, readers, ir.Out{Node: n})), []ir.Out{x}
			}
		case c == 1 && (d.IsFloat() || d.IsInteger()):
			e.Replace(ir.Out{Node: n}, x, "a first power")
		case c == 2 && (d.IsFloat() || d.IsInteger()):
			if e.Changed(n, "a second power is a square") {
				n.Op, n.Ins = "Square", []ir.Out{x}
			}
		case c == 3 && (wide || d.IsInteger()):
			if e.Changed(n, "a third power is a square times its root") {
				sq := s.G.NewNode(n.Name+"/square", "Square", map[string]ir.Attr{"T": d}, 1, x)
				sq.Device, sq.Outs[0] = n.Device, ir.Fact{DType: d, Shape: n.Outs[0].Shape}
				n.Op, n.Ins = "Mul", []ir.Out{{Node: sq}, x}
			}
		case c == -1 && wide:
			if e.Changed(n, "a power of -1 is a reciprocal") {
				n.Op, n.Ins = "Reciprocal", []ir.Out{x}
			}
		}
	}
	return e.Apply(), nil
}

// root returns the name of the op for x^½ or, if the parameter negative is true, for x^-½. The
// result depends on whether x may be negative or -0, and on whether the sign of a zero matters
// (zeroSeen).
func root(s *edit.State, negative bool, x ir.Out, zeroSeen bool) string {
	plain := s.NotNegative(x, 8) && !zeroSeen
	switch {
	case negative && plain:
		return "Rsqrt"
	case negative:
		return "_PowMinusHalf"
	case plain:
		return "Sqrt"
	}
	return "_PowHalf"
}

// usualDivisor reports whether the inverse of c is a normal number in f32 and in f64.
func usualDivisor(c float64) bool {
	m := math.Abs(c)
	return m >= 0x1p-100 && m <= 0x1p100
}

// inverses replaces n by a product if it is a division by a constant tensor. The factors are the
// reciprocals of the constant's elements, which may differ. inverses reports whether it replaced n.
func inverses(s *edit.State, e *ir.Editor, n *ir.Node, readers map[ir.Out][]*ir.Node) bool {
	if n.Op != "RealDiv" && n.Op != "Div" || len(n.Ins) != 2 {
		return false
	}
	t := n.Ins[1].Node.Value()
	if t == nil || n.Ins[0].Node.Op == "Const" {
		return false
	}
	vs, ok := edit.Floats(t)
	if _, one := edit.Uniform(t); one && n.Outs[0].Shape.Equal(n.Ins[0].Fact().Shape) || !ok {
		return false
	}
	inv := make([]float64, len(vs))
	exact := true
	for i, v := range vs {
		if !ExactInverse(v, t.DType) {
			exact = false
			if !usualDivisor(v) {
				return false
			}
		}
		inv[i] = 1 / v
	}
	if !exact && edit.RoundingSeen(s.O.Ops, readers, ir.Out{Node: n}) {
		return false
	}
	c, ok := edit.Rounded(t.DType, t.Shape, inv)
	if !ok || !e.Changed(n, "dividing by constants is multiplying by their inverses") {
		return false
	}
	n.Op, n.Ins = "Mul", []ir.Out{n.Ins[0], s.NewConst(n.Name+"/inverse", c, n.Ins[1].Node)}
	return true
}

// ExactInverse reports whether c is a power of two whose inverse is a normal number of type d.
func ExactInverse(c float64, d tensor.DType) bool {
	frac, exp := math.Frexp(c)
	most := 120
	if d == tensor.Float64 {
		most = 1000
	}
	return (frac == 0.5 || frac == -0.5) && exp > -most && exp < most
}
