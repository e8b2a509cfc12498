package linalg

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// productGradient returns the Gradient of the given op, a product of two matrices. The parameters
// ta and tb are the names of the attributes that transpose the operands. If batches is set, all
// axes except the last two are batch axes, which broadcast.
func productGradient(op, ta, tb string, batches bool) lower.Gradient {
	return func(b *lower.GradientBuilder) []ir.Out {
		d := b.T()
		if d == tensor.Complex64 || d == tensor.Complex128 {
			b.Refuse(tensor.Unimplemented, "gradients of products of complex matrices are not supported")
		}
		x, y, dz := b.X[0], b.X[1], b.DY[0]
		mul := func(p, q ir.Out, tp, tq bool) ir.Out {
			return ir.Out{Node: b.With(op, map[string]ir.Attr{"T": d, ta: tp, tb: tq}, p, q)}
		}
		var gx, gy ir.Out
		switch a, t := b.Flag(ta), b.Flag(tb); {
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
		sx, sy := b.Shape(x, tensor.Int32), b.Shape(y, tensor.Int32)
		return kit.Unbroadcast(b, butTwo(b, sx), butTwo(b, sy), sx, sy, gx, gy)
	}
}

// butTwo returns the int32 vector o without its last two elements.
func butTwo(b *lower.GradientBuilder, o ir.Out) ir.Out {
	return ir.Out{Node: b.With("StridedSlice", map[string]ir.Attr{"T": tensor.Int32, "Index": tensor.Int32}, o, b.Ints(0), b.Ints(-2), b.Ints(1))}
}

// productGradients are the gradients of products of matrices.
var productGradients = map[string]lower.Gradient{
	"MatMul":        productGradient("MatMul", "transpose_a", "transpose_b", false),
	"BatchMatMul":   productGradient("BatchMatMul", "adj_x", "adj_y", false),
	"BatchMatMulV2": productGradient("BatchMatMulV2", "adj_x", "adj_y", true),
}
