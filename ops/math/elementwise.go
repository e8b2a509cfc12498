package math

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// elementwiseDefs are unary and binary arithmetic ops. Integers wrap around; integer division by
// zero is InvalidArgument at run time.
var elementwiseDefs = []*lower.Def{
	binaryDef("Add", lower.Commutative).With(lower.Exact | lower.KeepsDigits | lower.Fills | lower.HandsConstant | lower.Counts),
	binaryDef("AddV2", lower.Commutative).With(lower.Exact | lower.KeepsDigits | lower.Fills | lower.HandsConstant | lower.Counts),
	binaryDef("Sub", 0).With(lower.Exact | lower.KeepsDigits | lower.Fills | lower.HandsConstant | lower.Counts),
	binaryDef("Mul", lower.Commutative).With(lower.Exact | lower.KeepsDigits | lower.Fills | lower.HandsConstant | lower.Counts),
	binaryDef("RealDiv", 0).With(lower.KeepsDigits | lower.SeesZeroSign1 | lower.Moderate),
	binaryDef("Div", 0).With(lower.KeepsDigits | lower.SeesZeroSign1 | lower.Moderate),
	binaryDef("DivNoNan", 0),
	binaryDef("FloorDiv", 0).With(lower.RoundsNumbers | lower.SeesZeroSign1 | lower.NoGradient | lower.Slow),
	binaryDef("FloorMod", 0).With(lower.RoundsNumbers | lower.Slow),
	binaryDef("Mod", 0).With(lower.RoundsNumbers | lower.Slow),
	binaryDef("TruncateDiv", 0).With(lower.RoundsNumbers | lower.SeesZeroSign1 | lower.NoGradient | lower.Slow),
	binaryDef("TruncateMod", 0).With(lower.RoundsNumbers | lower.Slow),
	binaryDef("Maximum", lower.Commutative).With(lower.Exact | lower.KeepsDigits | lower.Fills | lower.HandsConstant | lower.Counts),
	binaryDef("Minimum", lower.Commutative).With(lower.Exact | lower.KeepsDigits | lower.Fills | lower.HandsConstant | lower.Counts),
	binaryDef("Pow", 0).With(lower.KeepsDigits | lower.SeesZeroSign0 | lower.Slow),
	{Name: "_GatedTanh", Traits: lower.ElementWise | lower.Broadcasts | lower.Slow, Types: TypesT("_GatedTanh"), Limits: kit.MadeByPasses, Shape: BinaryShape, Lower: binaryLower},
	{Name: "_Prelu", Traits: lower.ElementWise | lower.Broadcasts, Types: TypesT("_Prelu"), Limits: kit.MadeByPasses, Shape: BinaryShape, Lower: binaryLower},
	binaryDef("SquaredDifference", lower.Commutative).With(lower.LosesZeroSign),
	binaryDef("Atan2", 0).With(lower.SeesZeroSign0 | lower.SeesZeroSign1 | lower.Slow),
	binaryDef("Xdivy", 0).With(lower.SeesZeroSign1 | lower.Slow),
	binaryDef("Xlogy", 0).With(lower.Slow),
	binaryDef("Xlog1py", 0).With(lower.Slow),
	binaryDef("MulNoNan", 0),
	binaryDef("NextAfter", 0).With(lower.RoundsNumbers | lower.Slow),
	binaryDef("BitwiseAnd", lower.Commutative).With(lower.Exact),
	binaryDef("BitwiseOr", lower.Commutative).With(lower.Exact),
	binaryDef("BitwiseXor", lower.Commutative).With(lower.Exact),
	binaryDef("LeftShift", 0),
	binaryDef("RightShift", 0),

	unaryDef("Neg").With(lower.Exact | lower.Falls | lower.Involution | lower.KeepsDigits | lower.Fills),
	unaryDef("Abs").With(lower.NotNegative | lower.KeepsDigits | lower.LosesZeroSign | lower.Fills),
	{Name: "Sign", Traits: lower.RoundsNumbers | lower.ElementWise, Types: TypesT("Sign"), Shape: UnaryShape, Lower: signLower},
	unaryDef("Square").With(lower.Exact | lower.NotNegative | lower.KeepsDigits | lower.LosesZeroSign | lower.Fills),
	unaryDef("Sqrt").With(lower.NotNegative | lower.KeepsDigits | lower.Moderate),
	unaryDef("Rsqrt").With(lower.SeesZeroSign0 | lower.Moderate),
	unaryDef("Exp").With(lower.Rises | lower.NotNegative | lower.KeepsDigits | lower.LosesZeroSign | lower.Moderate),
	unaryDef("Expm1").With(lower.Rises | lower.Moderate),
	unaryDef("Log").With(lower.KeepsDigits | lower.Moderate),
	unaryDef("Log1p").With(lower.KeepsDigits | lower.Moderate),
	unaryDef("Tanh").With(lower.Rises | lower.Moderate),
	unaryDef("Sigmoid").With(lower.Rises | lower.NotNegative | lower.LosesZeroSign | lower.Moderate),
	unaryDef("Relu").With(lower.NotNegative | lower.KeepsDigits | lower.Fills),
	unaryDef("Relu6").With(lower.Rises | lower.NotNegative | lower.KeepsDigits),
	unaryDef("Elu").With(lower.Rises | lower.Moderate),
	unaryDef("Selu").With(lower.Rises | lower.Moderate),
	unaryDef("Softplus").With(lower.Rises | lower.NotNegative | lower.LosesZeroSign | lower.Moderate),
	unaryDef("Softsign"),
	unaryDef("Erf").With(lower.Rises | lower.Moderate),
	unaryDef("Erfc").With(lower.Falls | lower.LosesZeroSign | lower.Moderate),
	unaryDef("Floor").With(lower.Rises | lower.RoundsNumbers | lower.NoGradient),
	unaryDef("Ceil").With(lower.Rises | lower.RoundsNumbers),
	{Name: "Round", Traits: lower.Rises | lower.RoundsNumbers | lower.ElementWise, Types: TypesT("Round"), Shape: UnaryShape, Lower: roundUnary}, unaryDef("Rint").With(lower.Rises | lower.RoundsNumbers),
	unaryDef("Reciprocal").With(lower.Involution | lower.SeesZeroSign0 | lower.Moderate),
	unaryDef("Inv").With(lower.Involution | lower.SeesZeroSign0 | lower.Moderate),
	unaryDef("Sin").With(lower.Moderate),
	unaryDef("Cos").With(lower.LosesZeroSign | lower.Moderate),
	unaryDef("Tan").With(lower.Slow),
	unaryDef("Asin").With(lower.Slow),
	unaryDef("Acos").With(lower.Slow),
	unaryDef("Atan").With(lower.Rises | lower.Slow),
	unaryDef("Sinh").With(lower.Rises | lower.Slow),
	unaryDef("Cosh").With(lower.LosesZeroSign | lower.Slow),
	unaryDef("Asinh").With(lower.Rises | lower.Slow),
	unaryDef("Acosh").With(lower.Slow),
	unaryDef("Atanh").With(lower.Slow),
	unaryDef("Invert").With(lower.Exact | lower.Involution),
	unaryDef("Conj").With(lower.Involution),
	{Name: "LeakyRelu", Traits: lower.KeepsDigits | lower.ElementWise, Types: TypesT("LeakyRelu"), Shape: UnaryShape, Lower: leakyReluLower},
}

// kernelTypes returns the element types that op has kernels for, sorted.
func kernelTypes(op string) []tensor.DType {
	var ds []tensor.DType
	for d := range bytype.Elem[op] {
		ds = append(ds, d)
	}
	slices.Sort(ds)
	return ds
}

// TypesT returns the Types of an op whose kernels are chosen by attribute T.
func TypesT(op string) map[string][]tensor.DType {
	return map[string][]tensor.DType{"T": kernelTypes(op)}
}

// ElemKernel returns the kernel of an op for operands of type d. It returns InvalidArgument if the
// op has no kernel for this type. TensorFlow has no CPU kernel for the type either.
func ElemKernel(op string, d tensor.DType) (any, error) {
	if fn := bytype.Elem[op][bytype.Plain(d)]; fn != nil {
		return fn, nil
	}
	return nil, NoKernel(op, d)
}

// NoKernel returns the error for an op that has no kernel for elements of type d.
func NoKernel(op string, d tensor.DType) error {
	return tensor.Errorf(tensor.InvalidArgument, "%s has no kernel for %s; it accepts %v", op, d, kernelTypes(op))
}

// unaryDef describes an op of one input, computed element by element.
func unaryDef(name string) *lower.Def {
	return &lower.Def{Name: name, Traits: lower.ElementWise, Types: TypesT(name), Shape: UnaryShape, Lower: unaryLower}
}

// binaryDef describes an op of two inputs that broadcast.
func binaryDef(name string, f lower.Flags) *lower.Def {
	return &lower.Def{Name: name, Flags: f, Traits: lower.ElementWise | lower.Broadcasts, Types: TypesT(name), Shape: BinaryShape, Lower: binaryLower}
}

// UnaryShape infers the result of an op of one operand. The result has the operand's type and
// shape.
func UnaryShape(c *lower.Shaper) error {
	c.Same(0, 0)
	unaryInts(c)
	return nil
}

// unaryInts infers the elements of small results of integer type.
func unaryInts(c *lower.Shaper) {
	es := c.In(0).Ints
	if es == nil || !IsIndex(c.Node.Outs[0].DType) {
		return
	}
	out := make([]*sym.Expr, len(es))
	for i, e := range es {
		switch c.Node.Op {
		case "Neg":
			out[i] = e.MulInt(-1)
		case "Square":
			out[i] = e.Mul(e)
		case "Abs":
			out[i] = sym.Max(e, e.MulInt(-1))
		case "Cast":
			out[i] = e
		case "Round":
			out[i] = sym.Zero
		default:
			return
		}
	}
	c.SetInts(0, wrapInts(c.Node.Outs[0].DType, out))
}

// IsIndex reports whether d is int32 or int64.
func IsIndex(d tensor.DType) bool { return d == tensor.Int32 || d == tensor.Int64 }

// wrapInts reduces constants modulo the element type's range.
func wrapInts(d tensor.DType, es []*sym.Expr) []*sym.Expr {
	if d == tensor.Int32 {
		for i, e := range es {
			if v, ok := e.IsInt(); ok && int(int32(v)) != v {
				es[i] = sym.Int(int(int32(v)))
			}
		}
	}
	return es
}

// roundUnary lowers Round. For integers, the result is zeros, as in TensorFlow's
// kernels. TensorFlow's Python functions never call the kernels for integers, because integers are
// already rounded.
func roundUnary(b *lower.Builder) error {
	if d := b.InFact(0).DType; IsIndex(d) {
		fn, err := ElemKernel("ZerosLike", d)
		if err != nil {
			return err
		}
		b.Call(fn, b.Out(0))
		return nil
	}
	return unaryLower(b)
}

// signLower lowers Sign. The rounding of a complex result depends on its position in the tensor.
// Therefore a single call computes all elements.
func signLower(b *lower.Builder) error {
	switch b.InFact(0).DType {
	case tensor.Complex64:
		b.Call(elem.SignAllC64, b.Out(0), b.In(0))
	case tensor.Complex128:
		b.Call(elem.SignAllC128, b.Out(0), b.In(0))
	default:
		return unaryLower(b)
	}
	return nil
}

func unaryLower(b *lower.Builder) error { return lowerUnary(b, b.Node.Op) }

// lowerUnary appends a call of the op's kernel for one operand. The parameter args holds arguments
// that follow the destination and the operand.
func lowerUnary(b *lower.Builder, op string, args ...any) error {
	d := b.InFact(0).DType
	fn, err := ElemKernel(op, d)
	if err != nil {
		return err
	}
	if !lower.Loopable(fn, d, b.OutFact(0).DType) {
		b.Call(fn, append([]any{b.Out(0), b.In(0)}, args...)...)
		return nil
	}
	l := b.Par(b.OutLen(0), lower.RowSplit(sym.One, b.ElementCost(op, d)))
	args = append([]any{lower.Rows(b.Out(0), sym.One), lower.Rows(b.In(0), sym.One)}, args...)
	if b.OutFact(0).DType.Size() == d.Size() && b.OutFact(0).DType.IsComplex() == d.IsComplex() {
		l.CallInPlace(0, 0, fn, args...)
	} else {
		l.Call(fn, args...)
	}
	return nil
}

// leakyReluLower lowers LeakyRelu. The attribute alpha is the slope for negative values.
func leakyReluLower(b *lower.Builder) error {
	return lowerUnary(b, "LeakyRelu", kit.LeakyAlpha(b))
}

// BinaryShape infers the result of an op whose two operands are broadcast.
func BinaryShape(c *lower.Shaper) error {
	s, err := lower.BroadcastShapes(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, s)
	binaryInts(c)
	return nil
}

// binaryInts infers the elements of small results of broadcasting ops on integers.
func binaryInts(c *lower.Shaper) {
	x, y := c.In(0).Ints, c.In(1).Ints
	out := &c.Node.Outs[0]
	if x == nil || y == nil || !IsIndex(out.DType) || out.Shape.Rank() < 0 || out.Shape.Rank() > 1 {
		return
	}
	n, ok := out.Shape.Len().IsInt()
	if !ok || n > ir.MaxInts || n > 0 && (len(x) == 0 || len(y) == 0) {
		return
	}
	es := make([]*sym.Expr, n)
	for i := range es {
		if es[i] = binaryInt(c.Node.Op, x[i%len(x)], y[i%len(y)]); es[i] == nil {
			return
		}
	}
	c.SetInts(0, wrapInts(out.DType, es))
}

// binaryInt returns one element of an integer op's result, or nil if no expression can describe it.
func binaryInt(op string, x, y *sym.Expr) *sym.Expr {
	switch op {
	case "Add", "AddV2":
		return x.Add(y)
	case "Sub":
		return x.Sub(y)
	case "Mul":
		return x.Mul(y)
	case "Maximum":
		return sym.Max(x, y)
	case "Minimum":
		return sym.Min(x, y)
	case "SquaredDifference":
		return x.Sub(y).Mul(x.Sub(y))
	case "FloorDiv", "Div", "TruncateDiv", "FloorMod", "Mod", "TruncateMod":
	default:
		return nil
	}
	// A symbolic divisor may be 0 at run time, which is an error. Therefore there is an expression
	// only if the divisor cancels.
	if v, ok := y.IsInt(); ok && v == 0 || !ok && (y.Is(0) || !x.Div(y).Mul(y).Equal(x)) {
		return nil
	}
	if op != "FloorDiv" && op != "FloorMod" && !(x.NonNegative() && y.NonNegative()) {
		return nil
	}
	if op == "FloorDiv" || op == "Div" || op == "TruncateDiv" {
		return x.Div(y)
	}
	return x.Mod(y)
}

func binaryLower(b *lower.Builder) error { return lowerBinary(b, b.Node.Op) }

// lowerBinary appends a call of the op's kernel for two operands that are broadcast. The parameter
// args holds additional arguments of the kernel, which follow all other arguments.
func lowerBinary(b *lower.Builder, op string, args ...any) error {
	fn, err := ElemKernel(op, b.InFact(0).DType)
	if err != nil {
		return err
	}
	if l, out, x, y, dims, same := kit.BroadcastLoop(b, op, fn, b.InShape(0), b.InShape(1)); l != nil {
		args = append([]any{out, x, y, dims}, args...)
		switch {
		case b.OutFact(0).DType != b.InFact(0).DType:
			l.Call(fn, args...)
		case mayOverwrite(b, 0, 1, same):
			l.CallInPlace(0, 0, fn, args...)
		case mayOverwrite(b, 1, 0, same):
			l.CallInPlace(0, 1, fn, args...)
		default:
			l.Call(fn, args...)
		}
		return nil
	}
	dims, same, err := kit.BroadcastDims(b, b.InShape(0), b.InShape(1))
	if err != nil {
		return err
	}
	args = append([]any{b.Out(0), b.In(0), b.In(1), dims}, args...)
	switch {
	case b.OutFact(0).DType != b.InFact(0).DType:
		b.Call(fn, args...)
	case mayOverwrite(b, 0, 1, same):
		b.CallInPlace(0, 0, fn, args...)
	case mayOverwrite(b, 1, 0, same):
		b.CallInPlace(0, 1, fn, args...)
	default:
		b.Call(fn, args...)
	}
	return nil
}

// mayOverwrite reports whether a kernel may store its result over input i. Input i must have the
// result's shape, and the other input j must be in another buffer or be read at the same places.
func mayOverwrite(b *lower.Builder, i, j int, same bool) bool {
	if !b.InFact(i).Shape.Equal(b.OutFact(0).Shape) {
		return false
	}
	return same || b.In(i).Buf.Root() != b.In(j).Buf.Root()
}
