package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// ofX returns a gradient function that adds a single node. The parameter op is the op of this node;
// its inputs are dy and x.
func ofX(op string) lower.Gradient {
	return kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return b.Same(op, dy, x) })
}

// pooled adds two nodes. A MaxPool node recomputes the maximum of each window of x. A second node, of
// the given op, then moves the elements of dy to or from the places of these maxima. pooled returns
// the output of the second node.
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
