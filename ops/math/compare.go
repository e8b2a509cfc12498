package math

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// compareDefs are ops with bools as results or operands.
var compareDefs = []*lower.Def{
	{Name: "Equal", Flags: lower.Commutative, Traits: lower.Exact | lower.Counts | lower.NoGradient, Types: equalTypes("Equal"), Limits: unequalLimit, Shape: equalShape, Lower: equalLower},
	{Name: "NotEqual", Flags: lower.Commutative, Traits: lower.Exact | lower.Counts | lower.NoGradient, Types: equalTypes("NotEqual"), Limits: unequalLimit, Shape: equalShape, Lower: equalLower},
	compareDef("Less").With(lower.Exact | lower.Counts | lower.NoGradient),
	compareDef("LessEqual").With(lower.Exact | lower.Counts | lower.NoGradient),
	compareDef("Greater").With(lower.Exact | lower.Counts | lower.NoGradient),
	compareDef("GreaterEqual").With(lower.Exact | lower.Counts | lower.NoGradient),
	{Name: "ApproximateEqual", Flags: lower.Commutative, Types: TypesT("ApproximateEqual"), Shape: approximateShape, Lower: approximateLower},
	{Name: "LogicalAnd", Flags: lower.Commutative, Traits: lower.Exact | lower.Counts | lower.NoGradient | lower.ElementWise | lower.Broadcasts, Shape: compareShape, Lower: binaryLower},
	{Name: "LogicalOr", Flags: lower.Commutative, Traits: lower.Exact | lower.Counts | lower.NoGradient | lower.ElementWise | lower.Broadcasts, Shape: compareShape, Lower: binaryLower},
	{Name: "LogicalNot", Traits: lower.Exact | lower.Involution | lower.Counts | lower.NoGradient | lower.ElementWise, Shape: UnaryShape, Lower: unaryLower},
	predicateDef("IsNan"),
	predicateDef("IsInf"),
	predicateDef("IsFinite"),
}

const unequalLimit = "with incompatible_shape_error false, shapes found incompatible only at run time"

func compareDef(name string) *lower.Def {
	return &lower.Def{Name: name, Traits: lower.ElementWise | lower.Broadcasts, Types: TypesT(name), Shape: compareShape, Lower: binaryLower}
}

func predicateDef(name string) *lower.Def {
	return &lower.Def{Name: name, Traits: lower.ElementWise, Types: TypesT(name), Shape: predicateShape, Lower: unaryLower}
}

// quantizedTypes are compared as the integers that store them.
var quantizedTypes = []tensor.DType{tensor.QInt8, tensor.QUint8, tensor.QInt32, tensor.QInt16, tensor.QUint16}

func equalTypes(op string) map[string][]tensor.DType {
	return map[string][]tensor.DType{"T": slices.Concat(kernelTypes(op), quantizedTypes)}
}

func predicateShape(c *lower.Shaper) error {
	c.Set(0, tensor.Bool, c.Shape(0))
	return nil
}

func compareShape(c *lower.Shaper) error {
	s, err := lower.BroadcastShapes(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	c.Set(0, tensor.Bool, s)
	return nil
}

// unequalOK reports whether an Equal or NotEqual accepts shapes that cannot be broadcast. For such
// shapes, the op's result is one bool, which says that the tensors are not equal.
func unequalOK(n *ir.Node) bool {
	v, ok := n.Attrs["incompatible_shape_error"].(bool)
	return ok && !v
}

// equalShape infers the result of Equal and NotEqual. If the operands' shapes cannot be broadcast
// and the attribute incompatible_shape_error is false, the result is a single bool.
func equalShape(c *lower.Shaper) error {
	err := compareShape(c)
	if err != nil && unequalOK(c.Node) {
		c.Set(0, tensor.Bool, ir.ShapeOf())
		return nil
	}
	return err
}

func equalLower(b *lower.Builder) error {
	op := b.Node.Op
	if _, err := lower.BroadcastShapes(b.InFact(0).Shape, b.InFact(1).Shape); err != nil {
		if op == "Equal" {
			b.Call(elem.ZeroBool, b.Out(0))
		} else {
			b.Call(elem.OneBool, b.Out(0))
		}
		return nil
	}
	if unequalOK(b.Node) {
		x, y := b.InShape(0), b.InShape(1)
		for k := range min(len(x), len(y)) {
			if x, y := x[len(x)-1-k], y[len(y)-1-k]; !x.Equal(y) && !x.Is(1) && !y.Is(1) {
				b.Check(shape.Comparable, x, y)
			}
		}
	}
	return lowerBinary(b, op)
}

// approximateShape infers the result of ApproximateEqual. The operands must have the same shape,
// because the op does not broadcast them.
func approximateShape(c *lower.Shaper) error {
	s, err := kit.SameShapes(c, 0, 1)
	if err != nil {
		return err
	}
	c.Set(0, tensor.Bool, s)
	return nil
}

// approximateLower: attribute tolerance.
func approximateLower(b *lower.Builder) error {
	return lowerPairwise(b, "ApproximateEqual", b.Node.Float("tolerance"))
}

// lowerPairwise appends op's binary kernel for operands of the same shape, and checks that the
// shapes are the same.
func lowerPairwise(b *lower.Builder, op string, args ...any) error {
	fn, err := ElemKernel(op, b.InFact(0).DType)
	if err != nil {
		return err
	}
	if err := kit.CheckSame(b, b.InShape(0), b.InShape(1)); err != nil {
		return err
	}
	n := []*sym.Expr{b.OutLen(0)}
	dims, _, err := kit.BroadcastDims(b, n, n)
	if err != nil {
		return err
	}
	args = append([]any{b.Out(0), b.In(0), b.In(1), dims}, args...)
	if b.OutFact(0).DType == b.InFact(0).DType {
		b.CallInPlace(0, 0, fn, args...)
	} else {
		b.Call(fn, args...)
	}
	return nil
}
