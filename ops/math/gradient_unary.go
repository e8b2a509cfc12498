package math

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// slope returns the gradient function dx = dy⋅f(x).
func slope(f func(b *lower.GradientBuilder, x ir.Out) ir.Out) lower.Gradient {
	return kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return b.Same("Mul", dy, f(b, x)) })
}

// chainOf returns a function that appends one node for each of the ops. The input of the first node
// is x; the input of every other node is the output of the node before.
func chainOf(ops ...string) func(b *lower.GradientBuilder, x ir.Out) ir.Out {
	return func(b *lower.GradientBuilder, x ir.Out) ir.Out {
		for _, op := range ops {
			x = b.Same(op, x)
		}
		return x
	}
}

// onePlus returns a function that computes 1+x² if the parameter op is AddV2, or 1-x² if op is Sub,
// and applies the other given ops to the result, one after the other.
func onePlus(op string, ops ...string) func(b *lower.GradientBuilder, x ir.Out) ir.Out {
	return func(b *lower.GradientBuilder, x ir.Out) ir.Out {
		return chainOf(ops...)(b, b.Same(op, b.Number(1, b.T()), b.Same("Square", x)))
	}
}

// parts maps complex types to the types of their parts.
var parts = map[tensor.DType]tensor.DType{tensor.Complex64: tensor.Float32, tensor.Complex128: tensor.Float64}

// part returns a part of each complex number in the tensor o: the real part if the parameter op is
// Real, and the imaginary part if op is Imag.
func part(b *lower.GradientBuilder, op string, o ir.Out) ir.Out {
	d := o.Fact().DType
	return ir.Out{Node: b.With(op, map[string]ir.Attr{"T": d, "Tout": parts[d]}, o)}
}

// complexOf builds complex numbers from their parts.
func complexOf(b *lower.GradientBuilder, re, im ir.Out) ir.Out {
	d := tensor.Complex64
	if re.Fact().DType == tensor.Float64 {
		d = tensor.Complex128
	}
	return ir.Out{Node: b.With("Complex", map[string]ir.Attr{"T": re.Fact().DType, "Tout": d}, re, im)}
}

// unaryGradients are the gradients of element-wise functions of one operand.
var unaryGradients = map[string]lower.Gradient{
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
	"Square": slope(func(b *lower.GradientBuilder, x ir.Out) ir.Out {
		return b.Same("Mul", x, b.Number(2, b.T()))
	}),
	"Sqrt": slope(func(b *lower.GradientBuilder, x ir.Out) ir.Out {
		return b.Same("Mul", b.Number(0.5, b.T()), chainOf("Sqrt", "Reciprocal")(b, x))
	}),
	"Rsqrt": slope(func(b *lower.GradientBuilder, x ir.Out) ir.Out { // -½⋅x⁻¹⋅x^-½
		return b.Same("Mul", b.Same("Mul", b.Number(-0.5, b.T()), b.Same("Reciprocal", x)), b.Same("Rsqrt", x))
	}),
	"Tanh": slope(func(b *lower.GradientBuilder, x ir.Out) ir.Out { return onePlus("Sub")(b, b.Same("Tanh", x)) }),
	"Sigmoid": slope(func(b *lower.GradientBuilder, x ir.Out) ir.Out {
		y := b.Same("Sigmoid", x)
		return b.Same("Mul", y, b.Same("Sub", b.Number(1, b.T()), y))
	}),
	"Log1p": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out {
		return b.Same("Div", dy, b.Same("AddV2", b.Number(1, b.T()), x))
	}),
	"Neg":  kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return b.Same("Neg", dy) }),
	"Conj": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return b.Same("Conj", dy) }),
	"Sign": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return b.Zeros(x) }),
	"Cast": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return b.Cast(dy, b.T()) }),
	// The gradient of a real part is real; that of an imaginary part is imaginary.
	"Real": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return complexOf(b, dy, b.Same("ZerosLike", dy)) }),
	"Imag": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return complexOf(b, b.Same("ZerosLike", dy), dy) }),
	"Angle": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { // -dy/(Im x + i⋅Re x)
		z := complexOf(b, part(b, "Imag", x), part(b, "Real", x))
		return b.Same("Mul", chainOf("Reciprocal", "Neg")(b, z), complexOf(b, dy, b.Zeros(dy)))
	}),
}
