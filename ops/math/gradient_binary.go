package math

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// mulBack returns the gradients of x⋅y with respect to x and y.
func mulBack(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) {
	if d := b.T(); d == tensor.Complex64 || d == tensor.Complex128 {
		x, y = b.Same("Conj", x), b.Same("Conj", y)
	}
	return b.Same("Mul", dz, y), b.Same("Mul", x, dz)
}

// quotient returns the gradient function of x/y. The parameter op is the name of the division op.
func quotient(op string) lower.Gradient {
	return kit.BinaryGradient(func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) {
		return b.Same(op, dz, y), b.Same("Mul", dz, b.Same(op, b.Same("Neg", x), b.Same("Square", y)))
	})
}

// addBack returns the gradients of x+y with respect to x and y.
func addBack(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) { return dz, dz }

// chosenSide returns the gradient function of the maximum or of the minimum of x and y. The
// parameter op is a comparison. Where x op y is true, x gets the gradient dz and y gets 0;
// elsewhere, y gets dz and x gets 0.
func chosenSide(op string) lower.Gradient {
	return kit.BinaryGradient(func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) {
		gx = b.Same("Mul", dz, b.Cast(b.Same(op, x, y), b.T()))
		return gx, b.Same("Sub", dz, gx)
	})
}

// nonzero returns a tensor that is 1 where x is not 0, and 0 elsewhere.
func nonzero(b *lower.GradientBuilder, x ir.Out) ir.Out {
	return b.Cast(b.Same("NotEqual", x, b.Zeros(x)), b.T())
}

// scaled returns the products gx⋅dz and gy⋅dz.
func scaled(b *lower.GradientBuilder, gx, gy, dz ir.Out) (ir.Out, ir.Out) {
	return b.Same("Mul", gx, dz), b.Same("Mul", gy, dz)
}

// choose returns x where c holds, else y.
func choose(b *lower.GradientBuilder, c, x, y ir.Out) ir.Out {
	return ir.Out{Node: b.With("Select", map[string]ir.Attr{"T": x.Fact().DType}, c, x, y)}
}

// binaryGradients are the gradients of element-wise functions of two operands.
var binaryGradients = map[string]lower.Gradient{
	"Add":      kit.BinaryGradient(addBack),
	"AddV2":    kit.BinaryGradient(addBack),
	"Sub":      kit.BinaryGradient(func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) { return dz, b.Same("Neg", dz) }),
	"Mul":      kit.BinaryGradient(mulBack),
	"MulNoNan": kit.BinaryGradient(mulBack),
	"Div":      quotient("Div"),
	"RealDiv":  quotient("RealDiv"),
	"DivNoNan": quotient("DivNoNan"),
	"Maximum":  chosenSide("GreaterEqual"),
	"Minimum":  chosenSide("LessEqual"),
	"Pow": kit.BinaryGradient(func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) {
		// dz⋅y⋅x^(y-1), and dz⋅x^y⋅log(x) where x has a logarithm
		gx = b.Same("Mul", b.Same("Pow", x, b.Same("Sub", y, b.Number(1, b.T()))), b.Same("Mul", dz, y))
		op := "Greater"
		if d := b.T(); d == tensor.Complex64 || d == tensor.Complex128 {
			op = "NotEqual"
		}
		has := b.Same(op, x, b.Number(0, b.T()))
		log := choose(b, has, b.Same("Log", x), b.Zeros(x))
		return gx, b.Same("Mul", log, b.Same("Mul", dz, b.Same("Pow", x, y)))
	}),
	"Xlogy": kit.BinaryGradient(func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) {
		return scaled(b, b.Same("Xlogy", nonzero(b, x), y), b.Same("Xdivy", x, y), dz)
	}),
	"Xlog1py": kit.BinaryGradient(func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) {
		y1 := b.Same("AddV2", y, b.Number(1, b.T()))
		return scaled(b, b.Same("Xlog1py", nonzero(b, x), y), b.Same("Xdivy", x, y1), dz)
	}),
	"Xdivy": kit.BinaryGradient(func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) {
		return scaled(b, b.Same("Xdivy", nonzero(b, x), y), b.Same("Xdivy", x, chainOf("Square", "Neg")(b, y)), dz)
	}),
	"SquaredDifference": kit.BinaryGradient(func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) {
		gx = b.Same("Mul", b.Same("Mul", b.Number(2, b.T()), b.Same("Sub", x, y)), dz)
		return gx, b.Same("Neg", gx)
	}),
	"Complex": kit.BinaryGradient(func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out) {
		return part(b, "Real", dz), part(b, "Imag", dz)
	}),
	"Select": func(b *lower.GradientBuilder) []ir.Out {
		c, dz := b.X[0], b.DY[0]
		none := b.Zeros(b.X[1])
		return []ir.Out{b.Zeros(c), choose(b, c, dz, none), choose(b, c, none, dz)}
	},
}
