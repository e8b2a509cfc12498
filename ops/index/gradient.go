package index

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// gradients are the gradients of ops that select elements by index.
var gradients = map[string]lower.Gradient{
	"GatherNd": func(b *lower.GradientBuilder) []ir.Out {
		x, i := b.X[0], b.X[1]
		d := i.Fact().DType
		shape := b.Shape(x, tensor.Int32)
		if d != tensor.Int32 {
			shape = b.Cast(shape, d)
		}
		return []ir.Out{{Node: b.With("ScatterNd", map[string]ir.Attr{"T": b.T(), "Tindices": d}, i, b.DY[0], shape)}, b.Zeros(i)}
	},
}
