package grad

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// repeated returns the shape of x with 1 for the axes i, and how often each axis of
// that is repeated to be x.
func (b *opBackward) repeated(x, i ir.Out) (kept, times ir.Out) {
	sx := b.shape(x, tensor.Int32)
	rank := b.same("Rank", x)
	if i.Fact().DType != tensor.Int32 {
		i = b.cast(i, tensor.Int32)
	}
	i = b.same("FloorMod", b.same("AddV2", i, rank), rank)
	ones := ir.Out{Node: b.with("Fill", map[string]ir.Attr{"T": tensor.Int32, "index_type": tensor.Int32}, b.shape(i, tensor.Int32), b.int(1))}
	all := ir.Out{Node: b.with("Range", map[string]ir.Attr{"Tidx": tensor.Int32}, b.int(0), rank, b.int(1))}
	kept = ir.Out{Node: b.with("DynamicStitch", map[string]ir.Attr{"T": tensor.Int32, "N": int64(2)}, all, i, sx, ones)}
	return kept, b.same("FloorDiv", sx, b.same("Maximum", kept, b.int(1)))
}

// spread is the gradient of a sum over axes: dy again and again. With mean it is
// divided by how often.
func spread(mean bool) backward {
	return func(b *opBackward) []ir.Out {
		x, i, dy := b.x[0], b.x[1], b.dy[0]
		kept, times := b.repeated(x, i)
		if mean {
			n := b.index("Prod", "Tidx", nil, times, b.int(0))
			dy = b.same("Div", dy, b.cast(n, b.T()))
		}
		return []ir.Out{b.index("Tile", "Tmultiples", nil, b.reshape(dy, kept), times), b.zeros(i)}
	}
}

// extreme is the gradient of the greatest, or least, elements along axes: equal ones
// share dy.
func extreme(op string) backward {
	return func(b *opBackward) []ir.Out {
		x, i, dy := b.x[0], b.x[1], b.dy[0]
		y := b.index(op, "Tidx", map[string]ir.Attr{"keep_dims": true}, x, i)
		mask := b.cast(b.compare("Equal", x, y), b.T())
		shape := b.shape(y, tensor.Int32)
		share := b.same("Div", b.reshape(dy, shape), b.reshape(b.total(mask, i, false), shape))
		return []ir.Out{b.same("Mul", mask, share), b.zeros(i)}
	}
}

// reduceGradients are those of reductions along axes.
var reduceGradients = map[string]backward{
	"Sum":  spread(false),
	"Mean": spread(true),
	"Max":  extreme("Max"),
	"Min":  extreme("Min"),
}

// matrices is the gradient of a product of matrices whose attributes ta and tb say
// that x and y are transposed. The axes before the last two of V2 are broadcast.
func matrices(op, ta, tb string, batches bool) backward {
	return func(b *opBackward) []ir.Out {
		d := b.T()
		if d == tensor.Complex64 || d == tensor.Complex128 {
			b.refuse(tensor.Unimplemented, "gradients of products of complex matrices are not supported")
		}
		x, y, dz := b.x[0], b.x[1], b.dy[0]
		mul := func(p, q ir.Out, tp, tq bool) ir.Out {
			return ir.Out{Node: b.with(op, map[string]ir.Attr{"T": d, ta: tp, tb: tq}, p, q)}
		}
		var gx, gy ir.Out
		switch a, t := b.flag(ta), b.flag(tb); {
		case !a && !t:
			gx, gy = mul(dz, y, false, true), mul(x, dz, true, false)
		case !a:
			gx, gy = mul(dz, y, false, false), mul(dz, x, true, false)
		case !t:
			gx, gy = mul(y, dz, false, true), mul(x, dz, false, false)
		default:
			gx, gy = mul(y, dz, true, true), mul(dz, x, true, true)
		}
		if !batches {
			return []ir.Out{gx, gy}
		}
		sx, sy := b.shape(x, tensor.Int32), b.shape(y, tensor.Int32)
		return b.unbroadcast(b.butTwo(sx), b.butTwo(sy), sx, sy, gx, gy)
	}
}

// butTwo is a vector of int32 without its last two elements.
func (b *opBackward) butTwo(o ir.Out) ir.Out {
	return ir.Out{Node: b.with("StridedSlice", map[string]ir.Attr{"T": tensor.Int32, "Index": tensor.Int32}, o, b.ints(0), b.ints(-2), b.ints(1))}
}

// productGradients are those of products of matrices.
var productGradients = map[string]backward{
	"MatMul":        matrices("MatMul", "transpose_a", "transpose_b", false),
	"BatchMatMul":   matrices("BatchMatMul", "adj_x", "adj_y", false),
	"BatchMatMulV2": matrices("BatchMatMulV2", "adj_x", "adj_y", true),
}
