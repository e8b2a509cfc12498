package kit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// UnaryGradient is the gradient of an element-wise function of one operand. f computes dx from x
// and dy.
func UnaryGradient(f func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out) lower.Gradient {
	return func(b *lower.GradientBuilder) []ir.Out { return []ir.Out{f(b, b.X[0], b.DY[0])} }
}

// BinaryGradient is the gradient of an element-wise function of two operands. f computes gx and gy,
// which are then summed over the axes along which broadcasting repeated x and y.
func BinaryGradient(f func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out)) lower.Gradient {
	return func(b *lower.GradientBuilder) []ir.Out {
		x, y := b.X[0], b.X[1]
		gx, gy := f(b, x, y, b.DY[0])
		sx, sy := b.Shape(x, tensor.Int32), b.Shape(y, tensor.Int32)
		return Unbroadcast(b, sx, sy, sx, sy, gx, gy)
	}
}

// Unbroadcast sums gx and gy over the axes along which the shapes sx and sy were broadcast, and
// reshapes the sums to tx and ty.
func Unbroadcast(b *lower.GradientBuilder, sx, sy, tx, ty, gx, gy ir.Out) []ir.Out {
	r := b.With("BroadcastGradientArgs", map[string]ir.Attr{"T": sx.Fact().DType}, sx, sy)
	return []ir.Out{b.Reshape(b.Total(gx, ir.Out{Node: r}, false), tx), b.Reshape(b.Total(gy, ir.Out{Node: r, Index: 1}, false), ty)}
}
