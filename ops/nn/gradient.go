package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// ofX is a gradient that op computes from dy and x.
func ofX(op string) lower.Gradient {
	return kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return b.Same(op, dy, x) })
}

// pooled recomputes each window's maximum. op then moves dy to or from the maxima's places.
func pooled(b *lower.GradientBuilder, op string, x, dy ir.Out) ir.Out {
	y := b.CopyOf("MaxPool", map[string]ir.Attr{}, x)
	return ir.Out{Node: b.CopyOf(op, map[string]ir.Attr{}, x, ir.Out{Node: y}, dy)}
}

// gradients are the gradients of layers.
var gradients = map[string]lower.Gradient{
	"Relu":  ofX("ReluGrad"),
	"Relu6": ofX("Relu6Grad"),
	"Softmax": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { // (dy - Σ dy⋅y)⋅y
		y := b.Same("Softmax", x)
		return b.Same("Mul", b.Same("Sub", dy, b.Total(b.Same("Mul", dy, y), b.Ints(-1), true)), y)
	}),
	"LogSoftmax": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { // dy - (Σ dy)⋅softmax
		return b.Same("Sub", dy, b.Same("Mul", b.Total(dy, b.Ints(-1), true), b.Same("Softmax", x)))
	}),
	"Conv2D": func(b *lower.GradientBuilder) []ir.Out {
		x, w, dy := b.X[0], b.X[1], b.DY[0]
		return []ir.Out{
			{Node: b.CopyOf("Conv2DBackpropInput", map[string]ir.Attr{"_dilated": true}, b.Shape(x, tensor.Int32), w, dy)},
			{Node: b.CopyOf("Conv2DBackpropFilter", map[string]ir.Attr{"_dilated": true}, x, b.Shape(w, tensor.Int32), dy)},
		}
	},
	"MaxPool": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return pooled(b, "MaxPoolGrad", x, dy) }),
	"MaxPoolGrad": func(b *lower.GradientBuilder) []ir.Out {
		return append(b.ZerosLike(b.X[:2]...), ir.Out{Node: b.CopyOf("MaxPoolGradGrad", map[string]ir.Attr{}, b.X[0], b.X[1], b.DY[0])})
	},
	"AvgPool": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out {
		return ir.Out{Node: b.CopyOf("AvgPoolGrad", map[string]ir.Attr{}, b.Shape(x, tensor.Int32), dy)}
	}),
}
