package array

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// reshaped returns the gradients for an op that only changes the shape of its first input. Further
// inputs, which specify the new shape, have zero gradients.
func reshaped(b *lower.GradientBuilder) []ir.Out {
	dx := []ir.Out{b.Reshape(b.DY[0], b.Shape(b.X[0], tensor.Int32))}
	for _, o := range b.X[1:] {
		dx = append(dx, b.Zeros(o))
	}
	return dx
}

// list returns the first k outputs of a node.
func list(n *ir.Node, k int) []ir.Out {
	os := make([]ir.Out, k)
	for i := range os {
		os[i] = ir.Out{Node: n, Index: i}
	}
	return os
}

// apart returns the gradients of the tensors xs, which were concatenated along the axis dim. These
// gradients are slices of the gradient of the result.
func apart(b *lower.GradientBuilder, dim ir.Out, xs []ir.Out) []ir.Out {
	if dim.Fact().DType != tensor.Int32 {
		dim = b.Cast(dim, tensor.Int32)
	}
	n := int64(len(xs))
	shapes := list(b.With("ShapeN", map[string]ir.Attr{"T": xs[0].Fact().DType, "N": n, "out_type": tensor.Int32}, xs...), len(xs))
	begins := list(b.With("ConcatOffset", map[string]ir.Attr{"N": n, "shape_type": tensor.Int32}, append([]ir.Out{dim}, shapes...)...), len(xs))
	dxs := make([]ir.Out, len(xs))
	for i := range xs {
		dxs[i] = b.Index("Slice", "Index", nil, b.DY[0], begins[i], shapes[i])
	}
	return dxs
}

// together returns the gradient of a tensor that was split along the axis dim. This is the
// concatenation of the gradients of all parts.
func together(b *lower.GradientBuilder, dim ir.Out) ir.Out {
	return ir.Out{Node: b.With("Concat", map[string]ir.Attr{"T": b.DY[0].Fact().DType, "N": int64(len(b.DY))}, append([]ir.Out{dim}, b.DY...)...)}
}

// permuted returns the Gradient of the given op, which transposes a tensor.
func permuted(op string) lower.Gradient {
	return func(b *lower.GradientBuilder) []ir.Out {
		p := b.X[1]
		return []ir.Out{b.Index(op, "Tperm", nil, b.DY[0], b.Same("InvertPermutation", p)), b.Zeros(p)}
	}
}

// arrayGradients are the gradients of ops that move elements.
var arrayGradients = map[string]lower.Gradient{
	"Reshape":            reshaped,
	"ExpandDims":         reshaped,
	"Squeeze":            reshaped,
	"Transpose":          permuted("Transpose"),
	"ConjugateTranspose": permuted("ConjugateTranspose"),
	"Pack": func(b *lower.GradientBuilder) []ir.Out {
		n := len(b.X)
		return list(b.With("Unpack", map[string]ir.Attr{"T": b.T(), "num": int64(n), "axis": b.Attr("axis")}, b.DY[0]), n)
	},
	"Unpack": func(b *lower.GradientBuilder) []ir.Out {
		n := int64(len(b.DY))
		if n == 0 {
			return []ir.Out{b.Zeros(b.X[0])}
		}
		return []ir.Out{{Node: b.With("Pack", map[string]ir.Attr{"T": b.T(), "N": n, "axis": b.Attr("axis")}, b.DY...)}}
	},
	"Concat": func(b *lower.GradientBuilder) []ir.Out {
		return append([]ir.Out{b.Zeros(b.X[0])}, apart(b, b.X[0], b.X[1:])...)
	},
	"ConcatV2": func(b *lower.GradientBuilder) []ir.Out {
		n := len(b.X) - 1
		return append(apart(b, b.X[n], b.X[:n]), b.Zeros(b.X[n]))
	},
	"Split": func(b *lower.GradientBuilder) []ir.Out {
		return []ir.Out{b.Zeros(b.X[0]), together(b, b.X[0])}
	},
	"SplitV": func(b *lower.GradientBuilder) []ir.Out {
		return []ir.Out{together(b, b.X[2]), b.Zeros(b.X[1]), b.Zeros(b.X[2])}
	},
	"Fill": func(b *lower.GradientBuilder) []ir.Out {
		all := ir.Out{Node: b.With("Range", map[string]ir.Attr{"Tidx": tensor.Int32}, b.Int(0), b.Same("Rank", b.DY[0]), b.Int(1))}
		return []ir.Out{b.Zeros(b.X[0]), b.Total(b.DY[0], all, false)}
	},
}
