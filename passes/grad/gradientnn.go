package grad

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// ofX is a gradient that an op computes of dy and x.
func ofX(op string) backward {
	return unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.same(op, dy, x) })
}

// pooled recomputes the greatest of each window and hands dy, by op, to or from
// where they are.
func (b *opBackward) pooled(op string, x, dy ir.Out) ir.Out {
	y := b.copyOf("MaxPool", map[string]ir.Attr{}, x)
	return ir.Out{Node: b.copyOf(op, map[string]ir.Attr{}, x, ir.Out{Node: y}, dy)}
}

// nnGradients are those of layers.
var nnGradients = map[string]backward{
	"Relu":  ofX("ReluGrad"),
	"Relu6": ofX("Relu6Grad"),
	"Softmax": unary(func(b *opBackward, x, dy ir.Out) ir.Out { // (dy - Σ dy⋅y)⋅y
		y := b.same("Softmax", x)
		return b.same("Mul", b.same("Sub", dy, b.total(b.same("Mul", dy, y), b.ints(-1), true)), y)
	}),
	"LogSoftmax": unary(func(b *opBackward, x, dy ir.Out) ir.Out { // dy - (Σ dy)⋅softmax
		return b.same("Sub", dy, b.same("Mul", b.total(dy, b.ints(-1), true), b.same("Softmax", x)))
	}),
	"Conv2D": func(b *opBackward) []ir.Out {
		x, w, dy := b.x[0], b.x[1], b.dy[0]
		return []ir.Out{
			{Node: b.copyOf("Conv2DBackpropInput", map[string]ir.Attr{"_dilated": true}, b.shape(x, tensor.Int32), w, dy)},
			{Node: b.copyOf("Conv2DBackpropFilter", map[string]ir.Attr{"_dilated": true}, x, b.shape(w, tensor.Int32), dy)},
		}
	},
	"MaxPool": unary(func(b *opBackward, x, dy ir.Out) ir.Out { return b.pooled("MaxPoolGrad", x, dy) }),
	"MaxPoolGrad": func(b *opBackward) []ir.Out {
		return append(b.zerosLike(b.x[:2]...), ir.Out{Node: b.copyOf("MaxPoolGradGrad", map[string]ir.Attr{}, b.x[0], b.x[1], b.dy[0])})
	},
	"AvgPool": unary(func(b *opBackward, x, dy ir.Out) ir.Out {
		return ir.Out{Node: b.copyOf("AvgPoolGrad", map[string]ir.Attr{}, b.shape(x, tensor.Int32), dy)}
	}),
	"BiasAdd": func(b *opBackward) []ir.Out {
		return []ir.Out{b.dy[0], {Node: b.copyOf("BiasAddGrad", map[string]ir.Attr{}, b.dy[0])}}
	},
}
