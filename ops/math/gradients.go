package math

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// gradientDefs describes the ops that compute gradients of element-wise ops. Their two operands
// have the same shape. One operand is the gradient of the forward op's output, the other is an
// input or the output of the forward op. The order of the two differs between the ops, as it does
// in TensorFlow.
var gradientDefs = []*lower.Def{
	pairwiseDef("ReluGrad"),
	pairwiseDef("Relu6Grad"),
	pairwiseDef("EluGrad"),
	pairwiseDef("SeluGrad"),
	pairwiseDef("SoftplusGrad"),
	pairwiseDef("SoftsignGrad"),
	pairwiseDef("TanhGrad"),
	pairwiseDef("SigmoidGrad"),
	pairwiseDef("SqrtGrad").With(lower.SeesZeroSign0),
	pairwiseDef("RsqrtGrad"),
	pairwiseDef("InvGrad"),
	pairwiseDef("ReciprocalGrad"),
	{Name: "LeakyReluGrad", Types: TypesT("LeakyReluGrad"), Shape: pairwiseShape, Lower: leakyReluGradLower},
	{Name: "BroadcastGradientArgs", Types: map[string][]tensor.DType{"T": {tensor.Int32, tensor.Int64}}, Shape: gradArgsShape, Lower: gradArgsLower},
}

func pairwiseDef(name string) *lower.Def {
	return &lower.Def{Name: name, Traits: lower.ElementWise, Types: TypesT(name), Shape: pairwiseShape, Lower: pairwiseLower}
}

func pairwiseShape(c *lower.Shaper) error {
	s, err := kit.SameShapes(c, 0, 1)
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, s)
	return nil
}

func pairwiseLower(b *lower.Builder) error { return lowerPairwise(b, b.Node.Op) }

func leakyReluGradLower(b *lower.Builder) error {
	return lowerPairwise(b, "LeakyReluGrad", kit.LeakyAlpha(b))
}

// gradArgsShape infers the shapes of the outputs of BroadcastGradientArgs. The outputs are vectors:
// the axes over which the gradients of the two operands must be summed. If the size of an axis is
// unknown at compile time, the size is assumed to differ from 1. If the size is 1 at run time,
// TensorFlow's vector contains this axis and ours does not, but summing over an axis of length 1
// changes nothing.
func gradArgsShape(c *lower.Shaper) error {
	d := c.In(0).DType
	for i := range 2 {
		if s, err := c.WithRank(i, 1); err != nil {
			return err
		} else if s.Known {
			continue
		}
		c.Set(0, d, ir.Shape{})
		c.Set(1, d, ir.Shape{})
		return nil
	}
	if a, b, ok := c.In(0).Ints, c.In(1).Ints, true; a != nil && b != nil {
		r0, r1, err := gradAxes(a, b, &ok)
		if err != nil {
			return err
		}
		if ok {
			for i, r := range [][]*sym.Expr{r0, r1} {
				c.Set(i, d, ir.StaticShape(len(r)))
				c.SetInts(i, r)
			}
			return nil
		}
	}
	c.Set(0, d, ir.ShapeOf(c.NewSize(0)))
	c.Set(1, d, ir.ShapeOf(c.NewSize(1)))
	return nil
}

// gradAxes returns the axes over which the gradients of operands with shapes s0 and s1 are summed.
// It sets ok to false if these axes are known only at run time.
func gradAxes(s0, s1 []*sym.Expr, ok *bool) (r0, r1 []*sym.Expr, err error) {
	r0, r1 = []*sym.Expr{}, []*sym.Expr{}
	same := len(s0) == len(s1)
	for i := 0; same && i < len(s0); i++ {
		same = s0[i].Equal(s1[i])
	}
	if same {
		return r0, r1, nil
	}
	rank := max(len(s0), len(s1))
	at := func(s []*sym.Expr, i int) *sym.Expr {
		if i -= rank - len(s); i >= 0 {
			return s[i]
		}
		return sym.One
	}
	for i := range rank {
		a, b := at(s0, i), at(s1, i)
		if !a.Is(1) && !b.Is(1) && !a.Equal(b) {
			_, aok := a.IsInt()
			_, bok := b.IsInt()
			if aok && bok {
				return nil, nil, tensor.Errorf(tensor.InvalidArgument, "Incompatible shapes: dimension %d is %v and %v", i, a, b)
			}
			*ok = false
		}
		if a.Is(1) {
			r0 = append(r0, sym.Int(i))
		}
		if b.Is(1) {
			r1 = append(r1, sym.Int(i))
		}
	}
	return r0, r1, nil
}

func gradArgsLower(b *lower.Builder) error {
	fn := any(elem.GradArgsI32)
	if b.InFact(0).DType == tensor.Int64 {
		fn = elem.GradArgsI64
	}
	n := sym.Max(b.InLen(0), b.InLen(1))
	b.CallSizes(fn, []*sym.Expr{b.NewSize(0), b.NewSize(1)}, b.OutCap(0, n), b.OutCap(1, n), b.In(0), b.In(1))
	return nil
}
