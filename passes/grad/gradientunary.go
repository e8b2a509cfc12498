package grad

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// unary is the gradient of a function of single elements; f makes dx of x and dy.
func unary(f func(b *opBackward, x, dy ir.Out) ir.Out) backward {
	return func(b *opBackward) []ir.Out { return []ir.Out{f(b, b.x[0], b.dy[0])} }
}

// slope is dx = dy⋅f(x).
func slope(f func(b *opBackward, x ir.Out) ir.Out) backward {
	return unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.same("Mul", dy, f(b, x)) })
}

// chainOf is f of several ops one after the other.
func chainOf(ops ...string) func(b *opBackward, x ir.Out) ir.Out {
	return func(b *opBackward, x ir.Out) ir.Out {
		for _, op := range ops {
			x = b.same(op, x)
		}
		return x
	}
}

// onePlus is 1+x² by op AddV2 or 1-x² by Sub, and then ops.
func onePlus(op string, ops ...string) func(b *opBackward, x ir.Out) ir.Out {
	return func(b *opBackward, x ir.Out) ir.Out {
		return chainOf(ops...)(b, b.same(op, b.number(1, b.T()), b.same("Square", x)))
	}
}

// unaryGradients are those of functions of single elements.
var unaryGradients = map[string]backward{
	"Abs":        slope(chainOf("Sign")),
	"Inv":        slope(chainOf("Reciprocal", "Square", "Neg")),
	"Reciprocal": slope(chainOf("Reciprocal", "Square", "Neg")),
	"Exp":        slope(chainOf("Exp")),
	"Expm1":      slope(chainOf("Exp")),
	"Log":        slope(chainOf("Reciprocal")),
	"Sinh":       slope(chainOf("Cosh")),
	"Cosh":       slope(chainOf("Sinh")),
	"Asinh":      slope(chainOf("Asinh", "Cosh")),
	"Acosh":      slope(chainOf("Acosh", "Sinh")),
	"Sin":        slope(chainOf("Cos")),
	"Cos":        slope(chainOf("Sin", "Neg")),
	"Tan":        slope(chainOf("Cos", "Reciprocal", "Square")),
	"Atanh":      slope(onePlus("Sub", "Reciprocal")),
	"Acos":       slope(onePlus("Sub", "Sqrt", "Reciprocal", "Neg")),
	"Asin":       slope(onePlus("Sub", "Sqrt", "Reciprocal")),
	"Atan":       slope(onePlus("AddV2", "Reciprocal")),
	"Square": slope(func(b *opBackward, x ir.Out) ir.Out {
		return b.same("Mul", x, b.number(2, b.T()))
	}),
	"Sqrt": slope(func(b *opBackward, x ir.Out) ir.Out {
		return b.same("Mul", b.number(0.5, b.T()), chainOf("Sqrt", "Reciprocal")(b, x))
	}),
	"Rsqrt": slope(func(b *opBackward, x ir.Out) ir.Out { // -½⋅x⁻¹⋅x^-½
		return b.same("Mul", b.same("Mul", b.number(-0.5, b.T()), b.same("Reciprocal", x)), b.same("Rsqrt", x))
	}),
	"Tanh": slope(func(b *opBackward, x ir.Out) ir.Out { return onePlus("Sub")(b, b.same("Tanh", x)) }),
	"Sigmoid": slope(func(b *opBackward, x ir.Out) ir.Out {
		y := b.same("Sigmoid", x)
		return b.same("Mul", y, b.same("Sub", b.number(1, b.T()), y))
	}),
	"Log1p": unary(func(b *opBackward, x, dy ir.Out) ir.Out {
		return b.same("Div", dy, b.same("AddV2", b.number(1, b.T()), x))
	}),
	"Neg":      unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.same("Neg", dy) }),
	"Conj":     unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.same("Conj", dy) }),
	"Sign":     unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.zeros(x) }),
	"Identity": unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.same("Identity", dy) }),
	"Cast":     unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.cast(dy, b.T()) }),
	// A real part's gradient is real, that of an imaginary part imaginary.
	"Real": unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.complex(dy, b.same("ZerosLike", dy)) }),
	"Imag": unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.complex(b.same("ZerosLike", dy), dy) }),
	"Angle": unary(func(b *opBackward, x, dy ir.Out) ir.Out { // -dy/(Im x + i⋅Re x)
		z := b.complex(b.part("Imag", x), b.part("Real", x))
		return b.same("Mul", chainOf("Reciprocal", "Neg")(b, z), b.complex(dy, b.zeros(dy)))
	}),
	"ReadVariableOp": unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.same("Identity", dy) }),
}

// parts are the types of complex numbers' parts.
var parts = map[tensor.DType]tensor.DType{tensor.Complex64: tensor.Float32, tensor.Complex128: tensor.Float64}

// part is the real or imaginary part, by op, of complex numbers.
func (b *opBackward) part(op string, o ir.Out) ir.Out {
	d := o.Fact().DType
	return ir.Out{Node: b.with(op, map[string]ir.Attr{"T": d, "Tout": parts[d]}, o)}
}

// complex makes complex numbers of their parts.
func (b *opBackward) complex(re, im ir.Out) ir.Out {
	d := tensor.Complex64
	if re.Fact().DType == tensor.Float64 {
		d = tensor.Complex128
	}
	return ir.Out{Node: b.with("Complex", map[string]ir.Attr{"T": re.Fact().DType, "Tout": d}, re, im)}
}
