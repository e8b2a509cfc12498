package grad

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// binary is the gradient of a function of pairs of elements: f makes what is summed
// over the axes along which broadcasting repeated x and y.
func binary(f func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out)) backward {
	return func(b *opBackward) []ir.Out {
		x, y := b.x[0], b.x[1]
		gx, gy := f(b, x, y, b.dy[0])
		sx, sy := b.shape(x, tensor.Int32), b.shape(y, tensor.Int32)
		return b.unbroadcast(sx, sy, sx, sy, gx, gy)
	}
}

// unbroadcast sums gx and gy over the axes along which sx and sy were repeated to
// be one shape, and gives the sums the shapes tx and ty.
func (b *opBackward) unbroadcast(sx, sy, tx, ty, gx, gy ir.Out) []ir.Out {
	r := b.with("BroadcastGradientArgs", map[string]ir.Attr{"T": sx.Fact().DType}, sx, sy)
	return []ir.Out{b.reshape(b.total(gx, ir.Out{Node: r}, false), tx), b.reshape(b.total(gy, ir.Out{Node: r, Index: 1}, false), ty)}
}

// mulBack is the gradient of x⋅y.
func mulBack(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) {
	if d := b.T(); d == tensor.Complex64 || d == tensor.Complex128 {
		x, y = b.same("Conj", x), b.same("Conj", y)
	}
	return b.same("Mul", dz, y), b.same("Mul", x, dz)
}

// quotient is the gradient of x/y by the division op.
func quotient(op string) backward {
	return binary(func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) {
		return b.same(op, dz, y), b.same("Mul", dz, b.same(op, b.same("Neg", x), b.same("Square", y)))
	})
}

// addBack is the gradient of x+y.
func addBack(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) { return dz, dz }

// chosen is the gradient of the greater, or less, of x and y: that of x where op
// holds.
func chosen(op string) backward {
	return binary(func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) {
		gx = b.same("Mul", dz, b.cast(b.compare(op, x, y), b.T()))
		return gx, b.same("Sub", dz, gx)
	})
}

// compare compares elements.
func (b *opBackward) compare(op string, x, y ir.Out) ir.Out { return b.same(op, x, y) }

// nonzero is 1 where x is not 0, else 0.
func (b *opBackward) nonzero(x ir.Out) ir.Out {
	return b.cast(b.compare("NotEqual", x, b.zeros(x)), b.T())
}

// scaled multiplies gx and gy by dz.
func (b *opBackward) scaled(gx, gy, dz ir.Out) (ir.Out, ir.Out) {
	return b.same("Mul", gx, dz), b.same("Mul", gy, dz)
}

// binaryGradients are those of functions of pairs of elements.
var binaryGradients = map[string]backward{
	"Add":      binary(addBack),
	"AddV2":    binary(addBack),
	"Sub":      binary(func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) { return dz, b.same("Neg", dz) }),
	"Mul":      binary(mulBack),
	"MulNoNan": binary(mulBack),
	"Div":      quotient("Div"),
	"RealDiv":  quotient("RealDiv"),
	"DivNoNan": quotient("DivNoNan"),
	"Maximum":  chosen("GreaterEqual"),
	"Minimum":  chosen("LessEqual"),
	"Pow": binary(func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) {
		// dz⋅y⋅x^(y-1), and dz⋅x^y⋅log(x) where x has a logarithm
		gx = b.same("Mul", b.same("Pow", x, b.same("Sub", y, b.number(1, b.T()))), b.same("Mul", dz, y))
		op := "Greater"
		if d := b.T(); d == tensor.Complex64 || d == tensor.Complex128 {
			op = "NotEqual"
		}
		has := b.compare(op, x, b.number(0, b.T()))
		log := b.choose(has, b.same("Log", x), b.zeros(x))
		return gx, b.same("Mul", log, b.same("Mul", dz, b.same("Pow", x, y)))
	}),
	"Xlogy": binary(func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) {
		return b.scaled(b.same("Xlogy", b.nonzero(x), y), b.same("Xdivy", x, y), dz)
	}),
	"Xlog1py": binary(func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) {
		y1 := b.same("AddV2", y, b.number(1, b.T()))
		return b.scaled(b.same("Xlog1py", b.nonzero(x), y), b.same("Xdivy", x, y1), dz)
	}),
	"Xdivy": binary(func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) {
		return b.scaled(b.same("Xdivy", b.nonzero(x), y), b.same("Xdivy", x, chainOf("Square", "Neg")(b, y)), dz)
	}),
	"SquaredDifference": binary(func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) {
		gx = b.same("Mul", b.same("Mul", b.number(2, b.T()), b.same("Sub", x, y)), dz)
		return gx, b.same("Neg", gx)
	}),
	"Complex": binary(func(b *opBackward, x, y, dz ir.Out) (gx, gy ir.Out) { return b.part("Real", dz), b.part("Imag", dz) }),
	"Select": func(b *opBackward) []ir.Out {
		c, dz := b.x[0], b.dy[0]
		none := b.zeros(b.x[1])
		return []ir.Out{b.zeros(c), b.choose(c, dz, none), b.choose(c, none, dz)}
	},
}

// choose is x where c holds, else y.
func (b *opBackward) choose(c, x, y ir.Out) ir.Out {
	return ir.Out{Node: b.with("Select", map[string]ir.Attr{"T": x.Fact().DType}, c, x, y)}
}
