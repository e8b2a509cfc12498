package array

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// int32Only rejects an op whose type attribute attr is not int32.
func int32Only(b *lower.GradientBuilder, attr string) {
	if d, _ := b.Attr(attr).(tensor.DType); d != tensor.Int32 {
		b.Refuse(tensor.Unimplemented, "gradients of op %s with %s of type %s are not supported", b.Op.Name, attr, d)
	}
}

// reversed returns the Gradient of the given op, which reverses a tensor.
func reversed(op string) lower.Gradient {
	return func(b *lower.GradientBuilder) []ir.Out {
		return []ir.Out{{Node: b.CopyOf(op, map[string]ir.Attr{}, b.DY[0], b.X[1])}, b.Zeros(b.X[1])}
	}
}

// sliceGradients are the gradients of ops that slice, repeat or reverse tensors.
var sliceGradients = map[string]lower.Gradient{
	"Reverse": reversed("Reverse"),
	"ReverseV2": func(b *lower.GradientBuilder) []ir.Out {
		int32Only(b, "Tidx")
		return reversed("ReverseV2")(b)
	},
	"Slice": func(b *lower.GradientBuilder) []ir.Out {
		int32Only(b, "Index")
		x, begin, size := b.X[0], b.X[1], b.X[2]
		after := b.Same("Sub", b.Same("Sub", b.Shape(x, tensor.Int32), begin), size)
		column := func(o ir.Out) ir.Out { return b.Index("ExpandDims", "Tdim", nil, o, b.Int(1)) }
		pads := ir.Out{Node: b.With("Concat", map[string]ir.Attr{"T": tensor.Int32, "N": int64(2)}, b.Int(1), column(begin), column(after))}
		return append([]ir.Out{b.Index("Pad", "Tpaddings", nil, b.DY[0], pads)}, b.ZerosLike(begin, size)...)
	},
	"StridedSlice": func(b *lower.GradientBuilder) []ir.Out {
		int32Only(b, "Index")
		dx := b.CopyOf("StridedSliceGrad", map[string]ir.Attr{}, b.Shape(b.X[0], tensor.Int32), b.X[1], b.X[2], b.X[3], b.DY[0])
		return append([]ir.Out{{Node: dx}}, b.ZerosLike(b.X[1:]...)...)
	},
	"StridedSliceGrad": func(b *lower.GradientBuilder) []ir.Out {
		int32Only(b, "Index")
		dx := b.CopyOf("StridedSlice", map[string]ir.Attr{}, b.DY[0], b.X[1], b.X[2], b.X[3])
		return append(b.ZerosLike(b.X[:4]...), ir.Out{Node: dx})
	},
	"BroadcastTo": func(b *lower.GradientBuilder) []ir.Out {
		int32Only(b, "Tidx")
		sx := b.Shape(b.X[0], tensor.Int32)
		r := b.With("BroadcastGradientArgs", map[string]ir.Attr{"T": tensor.Int32}, sx, b.X[1])
		return []ir.Out{b.Reshape(b.Total(b.DY[0], ir.Out{Node: r}, false), sx), b.Zeros(b.X[1])}
	},
}
