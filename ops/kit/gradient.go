package kit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// UnaryGradient returns the Gradient of an element-wise function of one operand x. The function f
// computes the gradient of x from x and dy, where dy is the gradient of the result.
func UnaryGradient(f func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out) lower.Gradient {
	return func(b *lower.GradientBuilder) []ir.Out { return []ir.Out{f(b, b.X[0], b.DY[0])} }
}

// BinaryGradient returns the Gradient of an element-wise function of two operands x and y. The
// function f computes the gradients gx and gy from x, y and dz, where dz is the gradient of the
// result. If broadcasting repeated an operand along some axes, its gradient is then summed over
// these axes.
func BinaryGradient(f func(b *lower.GradientBuilder, x, y, dz ir.Out) (gx, gy ir.Out)) lower.Gradient {
	return func(b *lower.GradientBuilder) []ir.Out {
		x, y := b.X[0], b.X[1]
		gx, gy := f(b, x, y, b.DY[0])
		sx, sy := b.Shape(x, tensor.Int32), b.Shape(y, tensor.Int32)
		return Unbroadcast(b, sx, sy, sx, sy, gx, gy)
	}
}

// Unbroadcast sums gx over the axes along which a tensor of the shape sx was broadcast, and
// reshapes the sum to the shape tx. It does the same with gy for the shapes sy and ty.
func Unbroadcast(b *lower.GradientBuilder, sx, sy, tx, ty, gx, gy ir.Out) []ir.Out {
	r := b.With("BroadcastGradientArgs", map[string]ir.Attr{"T": sx.Fact().DType}, sx, sy)
	return []ir.Out{b.Reshape(b.Total(gx, ir.Out{Node: r}, false), tx), b.Reshape(b.Total(gy, ir.Out{Node: r, Index: 1}, false), ty)}
}
