package grad

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// int32Only refuses an op whose attribute says that its integers are of another type.
func (b *opBackward) int32Only(attr string) {
	if d, _ := b.attr(attr).(tensor.DType); d != tensor.Int32 {
		b.refuse(tensor.Unimplemented, "gradients of op %s with %s of type %s are not supported", b.op.Name, attr, d)
	}
}

// zerosLike returns zeros like each.
func (b *opBackward) zerosLike(os ...ir.Out) []ir.Out {
	var zs []ir.Out
	for _, o := range os {
		zs = append(zs, b.zeros(o))
	}
	return zs
}

// reversed is the gradient of a reversal by op.
func reversed(op string) backward {
	return func(b *opBackward) []ir.Out {
		return []ir.Out{{Node: b.copyOf(op, map[string]ir.Attr{}, b.dy[0], b.x[1])}, b.zeros(b.x[1])}
	}
}

// sliceGradients are those of parts of tensors and of what repeats or reverses them.
var sliceGradients = map[string]backward{
	"Reverse": reversed("Reverse"),
	"ReverseV2": func(b *opBackward) []ir.Out {
		b.int32Only("Tidx")
		return reversed("ReverseV2")(b)
	},
	"Slice": func(b *opBackward) []ir.Out {
		b.int32Only("Index")
		x, begin, size := b.x[0], b.x[1], b.x[2]
		after := b.same("Sub", b.same("Sub", b.shape(x, tensor.Int32), begin), size)
		column := func(o ir.Out) ir.Out { return b.index("ExpandDims", "Tdim", nil, o, b.int(1)) }
		pads := ir.Out{Node: b.with("Concat", map[string]ir.Attr{"T": tensor.Int32, "N": int64(2)}, b.int(1), column(begin), column(after))}
		return append([]ir.Out{b.index("Pad", "Tpaddings", nil, b.dy[0], pads)}, b.zerosLike(begin, size)...)
	},
	"StridedSlice": func(b *opBackward) []ir.Out {
		b.int32Only("Index")
		dx := b.copyOf("StridedSliceGrad", map[string]ir.Attr{}, b.shape(b.x[0], tensor.Int32), b.x[1], b.x[2], b.x[3], b.dy[0])
		return append([]ir.Out{{Node: dx}}, b.zerosLike(b.x[1:]...)...)
	},
	"StridedSliceGrad": func(b *opBackward) []ir.Out {
		b.int32Only("Index")
		dx := b.copyOf("StridedSlice", map[string]ir.Attr{}, b.dy[0], b.x[1], b.x[2], b.x[3])
		return append(b.zerosLike(b.x[:4]...), ir.Out{Node: dx})
	},
	"BroadcastTo": func(b *opBackward) []ir.Out {
		b.int32Only("Tidx")
		sx := b.shape(b.x[0], tensor.Int32)
		r := b.with("BroadcastGradientArgs", map[string]ir.Attr{"T": tensor.Int32}, sx, b.x[1])
		return []ir.Out{b.reshape(b.total(b.dy[0], ir.Out{Node: r}, false), sx), b.zeros(b.x[1])}
	},
}
