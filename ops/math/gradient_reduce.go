package math

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// repeated returns two vectors for a reduction of x over the axes that are listed in the tensor i.
// kept is the shape of x with the length 1 along those axes. times says how often a tensor of this
// shape must be repeated along each axis, so that it gets the shape of x.
func repeated(b *lower.GradientBuilder, x, i ir.Out) (kept, times ir.Out) {
	sx := b.Shape(x, tensor.Int32)
	rank := b.Same("Rank", x)
	if i.Fact().DType != tensor.Int32 {
		i = b.Cast(i, tensor.Int32)
	}
	i = b.Same("FloorMod", b.Same("AddV2", i, rank), rank)
	ones := ir.Out{Node: b.With("Fill", map[string]ir.Attr{"T": tensor.Int32, "index_type": tensor.Int32}, b.Shape(i, tensor.Int32), b.Int(1))}
	all := ir.Out{Node: b.With("Range", map[string]ir.Attr{"Tidx": tensor.Int32}, b.Int(0), rank, b.Int(1))}
	kept = ir.Out{Node: b.With("DynamicStitch", map[string]ir.Attr{"T": tensor.Int32, "N": int64(2)}, all, i, sx, ones)}
	return kept, b.Same("FloorDiv", sx, b.Same("Maximum", kept, b.Int(1)))
}

// spread returns the gradient function of a sum over axes, or of a mean if the parameter mean is
// true. The gradient of a sum is dy, repeated along the summed axes. For a mean, dy is first
// divided by the number of elements in each mean.
func spread(mean bool) lower.Gradient {
	return func(b *lower.GradientBuilder) []ir.Out {
		x, i, dy := b.X[0], b.X[1], b.DY[0]
		kept, times := repeated(b, x, i)
		if mean {
			n := b.Index("Prod", "Tidx", nil, times, b.Int(0))
			dy = b.Same("Div", dy, b.Cast(n, b.T()))
		}
		return []ir.Out{b.Index("Tile", "Tmultiples", nil, b.Reshape(dy, kept), times), b.Zeros(i)}
	}
}

// extreme returns the gradient function of the maximum or minimum along axes; the parameter op is
// Max or Min. If several elements are equal to the maximum or minimum, each gets an equal share of
// dy.
func extreme(op string) lower.Gradient {
	return func(b *lower.GradientBuilder) []ir.Out {
		x, i, dy := b.X[0], b.X[1], b.DY[0]
		y := b.Index(op, "Tidx", map[string]ir.Attr{"keep_dims": true}, x, i)
		mask := b.Cast(b.Same("Equal", x, y), b.T())
		shape := b.Shape(y, tensor.Int32)
		share := b.Same("Div", b.Reshape(dy, shape), b.Reshape(b.Total(mask, i, false), shape))
		return []ir.Out{b.Same("Mul", mask, share), b.Zeros(i)}
	}
}

// reduceGradients are the gradients of reductions along axes and of a bias.
var reduceGradients = map[string]lower.Gradient{
	"Sum":  spread(false),
	"Mean": spread(true),
	"Max":  extreme("Max"),
	"Min":  extreme("Min"),
	"BiasAdd": func(b *lower.GradientBuilder) []ir.Out {
		return []ir.Out{b.DY[0], {Node: b.CopyOf("BiasAddGrad", map[string]ir.Attr{}, b.DY[0])}}
	},
}
