package nn

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/softmax"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// attentionDefs are ops that passes create from parts of attention.
var attentionDefs = []*lower.Def{
	{Name: "_MaskedSoftmax", Types: onlyF32, Limits: kit.MadeByPasses, Shape: maskedSoftmaxShape, Lower: maskedSoftmaxLower},
}

// maskedSoftmaxShape infers the shape of the output of _MaskedSoftmax. The inputs are x[B, H, T,
// N], and a mask that is broadcast to [B, H, T, N]. The last dimension of the mask must be N.
func maskedSoftmaxShape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 4); err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, c.Shape(0))
	return nil
}

// maskStrides returns the strides of the mask along the axes B, H and T of the scores, input 0. A
// stride is 0 if the mask is repeated along the axis.
func maskStrides(b *lower.Builder) (stride [3]*sym.Expr, err error) {
	for i := range stride {
		stride[i] = sym.Zero
	}
	if b.NumIn() < 2 {
		return stride, nil
	}
	x, m := b.InShape(0), b.InShape(1)
	step := sym.One
	for i := 1; i < len(m); i++ {
		d, whole := m[len(m)-1-i], x[3-i]
		if !d.Is(1) {
			if err := kit.RequireSame(b, d, whole, "the mask must broadcast to the scores"); err != nil {
				return stride, err
			}
			stride[3-i] = step
		}
		step = step.Mul(d)
	}
	if len(m) == 0 {
		return stride, b.Errorf(tensor.InvalidArgument, "the mask is a scalar")
	}
	return stride, kit.RequireSame(b, m[len(m)-1], x[3], "the mask must have the scores' columns")
}

// maskedSoftmaxLower lowers _MaskedSoftmax: x is multiplied by the value of attribute scale, then
// the mask is added, and then the softmax is computed.
func maskedSoftmaxLower(b *lower.Builder) error {
	x := b.InShape(0)
	if d := b.InFact(0).DType; d != tensor.Float32 {
		return b.Errorf(tensor.Unimplemented, "%s requires f32, not %s", b.Node.Op, d)
	}
	stride, err := maskStrides(b)
	if err != nil {
		return err
	}
	q := plan.Lit(softmax.MaskedParams{Scale: b.Node.Float("scale")}, "N", x[3], "H", sym.Max(x[1], sym.One), "T", sym.Max(x[2], sym.One),
		"MaskB", stride[0], "MaskH", stride[1], "MaskT", stride[2], "First", plan.Lo)
	if b.NumIn() > 1 {
		q = q.With("Mask", b.In(1))
	}
	l := b.Par(sym.Product(x[:3]), lower.RowSplit(x[3], lower.CostModerate))
	l.CallInPlace(0, 0, softmax.MaskedF32, lower.Rows(b.Out(0), x[3]), lower.Rows(b.In(0), x[3]), q)
	return nil
}
