package grad

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// reshaped is the gradient of what gives a tensor another shape. Inputs beside the
// tensor say which.
func reshaped(b *opBackward) []ir.Out {
	dx := []ir.Out{b.reshape(b.dy[0], b.shape(b.x[0], tensor.Int32))}
	for _, o := range b.x[1:] {
		dx = append(dx, b.zeros(o))
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

// apart is the gradient of a concatenation of xs along dim: slices of dy.
func (b *opBackward) apart(dim ir.Out, xs []ir.Out) []ir.Out {
	if dim.Fact().DType != tensor.Int32 {
		dim = b.cast(dim, tensor.Int32)
	}
	n := int64(len(xs))
	shapes := list(b.with("ShapeN", map[string]ir.Attr{"T": xs[0].Fact().DType, "N": n, "out_type": tensor.Int32}, xs...), len(xs))
	begins := list(b.with("ConcatOffset", map[string]ir.Attr{"N": n, "shape_type": tensor.Int32}, append([]ir.Out{dim}, shapes...)...), len(xs))
	dxs := make([]ir.Out, len(xs))
	for i := range xs {
		dxs[i] = b.index("Slice", "Index", nil, b.dy[0], begins[i], shapes[i])
	}
	return dxs
}

// together concatenates dy along dim.
func (b *opBackward) together(dim ir.Out) ir.Out {
	return ir.Out{Node: b.with("Concat", map[string]ir.Attr{"T": b.dy[0].Fact().DType, "N": int64(len(b.dy))}, append([]ir.Out{dim}, b.dy...)...)}
}

// permuted is the gradient of a transposition by op.
func permuted(op string) backward {
	return func(b *opBackward) []ir.Out {
		p := b.x[1]
		return []ir.Out{b.index(op, "Tperm", nil, b.dy[0], b.same("InvertPermutation", p)), b.zeros(p)}
	}
}

// arrayGradients are those of ops that put elements elsewhere.
var arrayGradients = map[string]backward{
	"Reshape":            reshaped,
	"ExpandDims":         reshaped,
	"Squeeze":            reshaped,
	"Transpose":          permuted("Transpose"),
	"ConjugateTranspose": permuted("ConjugateTranspose"),
	"Pack": func(b *opBackward) []ir.Out {
		n := len(b.x)
		return list(b.with("Unpack", map[string]ir.Attr{"T": b.T(), "num": int64(n), "axis": b.attr("axis")}, b.dy[0]), n)
	},
	"Unpack": func(b *opBackward) []ir.Out {
		n := int64(len(b.dy))
		if n == 0 {
			return []ir.Out{b.zeros(b.x[0])}
		}
		return []ir.Out{{Node: b.with("Pack", map[string]ir.Attr{"T": b.T(), "N": n, "axis": b.attr("axis")}, b.dy...)}}
	},
	"Concat": func(b *opBackward) []ir.Out {
		return append([]ir.Out{b.zeros(b.x[0])}, b.apart(b.x[0], b.x[1:])...)
	},
	"ConcatV2": func(b *opBackward) []ir.Out {
		n := len(b.x) - 1
		return append(b.apart(b.x[n], b.x[:n]), b.zeros(b.x[n]))
	},
	"Split": func(b *opBackward) []ir.Out {
		return []ir.Out{b.zeros(b.x[0]), b.together(b.x[0])}
	},
	"SplitV": func(b *opBackward) []ir.Out {
		return []ir.Out{b.together(b.x[2]), b.zeros(b.x[1]), b.zeros(b.x[2])}
	},
	"Fill": func(b *opBackward) []ir.Out {
		all := ir.Out{Node: b.with("Range", map[string]ir.Attr{"Tidx": tensor.Int32}, b.int(0), b.same("Rank", b.dy[0]), b.int(1))}
		return []ir.Out{b.zeros(b.x[0]), b.total(b.dy[0], all, false)}
	},
	"GatherNd": func(b *opBackward) []ir.Out {
		x, i := b.x[0], b.x[1]
		d := i.Fact().DType
		shape := b.shape(x, tensor.Int32)
		if d != tensor.Int32 {
			shape = b.cast(shape, d)
		}
		return []ir.Out{{Node: b.with("ScatterNd", map[string]ir.Attr{"T": b.T(), "Tindices": d}, i, b.dy[0], shape)}, b.zeros(i)}
	},
}
