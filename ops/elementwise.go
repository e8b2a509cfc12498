package ops

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/rt/tensor"
)

// elementwiseDefs are unary and binary arithmetic ops. Integers wrap around;
// integer division by zero is InvalidArgument at run.
var elementwiseDefs = []*Def{
	binaryDef("Add", Commutative),
	binaryDef("AddV2", Commutative),
	binaryDef("Sub", 0),
	binaryDef("Mul", Commutative),
	binaryDef("RealDiv", 0),
	binaryDef("Div", 0),
	binaryDef("DivNoNan", 0),
	binaryDef("FloorDiv", 0),
	binaryDef("FloorMod", 0),
	binaryDef("Mod", 0),
	binaryDef("TruncateDiv", 0),
	binaryDef("TruncateMod", 0),
	binaryDef("Maximum", Commutative),
	binaryDef("Minimum", Commutative),
	binaryDef("Pow", 0),
	binaryDef("SquaredDifference", Commutative),
	binaryDef("Atan2", 0),
	binaryDef("Xdivy", 0),
	binaryDef("Xlogy", 0),
	binaryDef("Xlog1py", 0),
	binaryDef("MulNoNan", 0),
	binaryDef("NextAfter", 0),
	binaryDef("BitwiseAnd", Commutative),
	binaryDef("BitwiseOr", Commutative),
	binaryDef("BitwiseXor", Commutative),
	binaryDef("LeftShift", 0),
	binaryDef("RightShift", 0),

	unaryDef("Neg"), unaryDef("Abs"), {Name: "Sign", Types: typesT("Sign"), Shape: unaryShape, Lower: signLower}, unaryDef("Square"), unaryDef("Sqrt"), unaryDef("Rsqrt"),
	unaryDef("Exp"), unaryDef("Expm1"), unaryDef("Log"), unaryDef("Log1p"), unaryDef("Tanh"), unaryDef("Sigmoid"),
	unaryDef("Relu"), unaryDef("Relu6"), unaryDef("Elu"), unaryDef("Selu"), unaryDef("Softplus"), unaryDef("Softsign"),
	unaryDef("Erf"), unaryDef("Erfc"), unaryDef("Floor"), unaryDef("Ceil"), {Name: "Round", Types: typesT("Round"), Shape: unaryShape, Lower: roundUnary}, unaryDef("Rint"),
	unaryDef("Reciprocal"), unaryDef("Inv"), unaryDef("Sin"), unaryDef("Cos"), unaryDef("Tan"), unaryDef("Asin"),
	unaryDef("Acos"), unaryDef("Atan"), unaryDef("Sinh"), unaryDef("Cosh"), unaryDef("Asinh"), unaryDef("Acosh"),
	unaryDef("Atanh"), unaryDef("Invert"), unaryDef("Conj"),
	{Name: "LeakyRelu", Types: typesT("LeakyRelu"), Shape: unaryShape, Lower: leakyReluLower},
}

// kernelTypes returns the element types that op has kernels for, sorted.
func kernelTypes(op string) []tensor.DType {
	var ds []tensor.DType
	for d := range elemKernels[op] {
		ds = append(ds, d)
	}
	slices.Sort(ds)
	return ds
}

func typesT(op string) map[string][]tensor.DType {
	return map[string][]tensor.DType{"T": kernelTypes(op)}
}

// elemKernel returns op's kernel for operands of type d: InvalidArgument where
// TensorFlow's CPU has none either.
func elemKernel(op string, d tensor.DType) (any, error) {
	if fn := elemKernels[op][plainType(d)]; fn != nil {
		return fn, nil
	}
	return nil, noKernel(op, d)
}

func noKernel(op string, d tensor.DType) error {
	return tensor.Errorf(tensor.InvalidArgument, "%s has no kernel for %s; it takes %v", op, d, kernelTypes(op))
}

// unaryDef describes an op of one input, computed element by element.
func unaryDef(name string) *Def {
	return &Def{Name: name, Types: typesT(name), Shape: unaryShape, Lower: unaryLower}
}

// binaryDef describes an op of two inputs that broadcast.
func binaryDef(name string, f Flags) *Def {
	return &Def{Name: name, Flags: f, Types: typesT(name), Shape: binaryShape, Lower: binaryLower}
}

func unaryShape(c *Shaper) error {
	c.Same(0, 0)
	c.unaryInts()
	return nil
}

// unaryInts computes the elements of small integer results.
func (c *Shaper) unaryInts() {
	es := c.In(0).Ints
	if es == nil || !isIndex(c.Node.Outs[0].DType) {
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

func isIndex(d tensor.DType) bool { return d == tensor.Int32 || d == tensor.Int64 }

// wrapInts wraps constants around as the element type does.
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

// roundUnary: TensorFlow's kernels make zeros of integers, which are whole
// numbers already; its Python functions never call them.
func roundUnary(b *Builder) error {
	if d := b.InFact(0).DType; isIndex(d) {
		fn, err := elemKernel("ZerosLike", d)
		if err != nil {
			return err
		}
		b.Call(fn, b.Out(0))
		return nil
	}
	return unaryLower(b)
}

// signLower: how a complex number is rounded depends on its place in the tensor, so
// that one call does all of them.
func signLower(b *Builder) error {
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

func unaryLower(b *Builder) error { return b.lowerUnary(b.Node.Op) }

// lowerUnary appends the unary kernel listed under op, with further arguments.
func (b *Builder) lowerUnary(op string, args ...any) error {
	d := b.InFact(0).DType
	fn, err := elemKernel(op, d)
	if err != nil {
		return err
	}
	if !loopable(fn, d, b.OutFact(0).DType) {
		b.Call(fn, append([]any{b.Out(0), b.In(0)}, args...)...)
		return nil
	}
	l := b.Par(b.OutLen(0), rowSplit(sym.One, elementCost(op, d)))
	args = append([]any{rows(b.Out(0), sym.One), rows(b.In(0), sym.One)}, args...)
	if b.OutFact(0).DType.Size() == d.Size() && b.OutFact(0).DType.IsComplex() == d.IsComplex() {
		l.CallInPlace(0, 0, fn, args...)
	} else {
		l.Call(fn, args...)
	}
	return nil
}

// leakyReluLower: attribute alpha is the slope below 0.
func leakyReluLower(b *Builder) error {
	return b.lowerUnary("LeakyRelu", leakyAlpha(b))
}

// leakyAlpha is attribute alpha as an element of the operand's type, which is how
// TensorFlow's kernels hold it.
func leakyAlpha(b *Builder) float32 {
	alpha := b.Node.Float("alpha")
	switch b.InFact(0).DType {
	case tensor.Half:
		return tensor.ToF16(alpha).Float32()
	case tensor.BFloat16:
		return tensor.ToBF16(alpha).Float32()
	}
	return alpha
}

func binaryShape(c *Shaper) error {
	s, err := BroadcastShapes(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, s)
	c.binaryInts()
	return nil
}

// binaryInts computes the elements of small integer results of broadcasting ops.
func (c *Shaper) binaryInts() {
	x, y := c.In(0).Ints, c.In(1).Ints
	out := &c.Node.Outs[0]
	if x == nil || y == nil || !isIndex(out.DType) || out.Shape.Rank() < 0 || out.Shape.Rank() > 1 {
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

// binaryInt is one element of an integer op, nil when no expression says it.
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
	// A symbolic divisor may be 0, which is an error of the run, unless it cancels.
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

func binaryLower(b *Builder) error { return b.lowerBinary(b.Node.Op) }

// lowerBinary appends the broadcasting kernel listed under op, with further arguments.
func (b *Builder) lowerBinary(op string, args ...any) error {
	fn, err := elemKernel(op, b.InFact(0).DType)
	if err != nil {
		return err
	}
	if l, out, x, y, dims, same := b.broadcastLoop(op, fn, b.InShape(0), b.InShape(1)); l != nil {
		args = append([]any{out, x, y, dims}, args...)
		switch {
		case b.OutFact(0).DType != b.InFact(0).DType:
			l.Call(fn, args...)
		case b.mayOverwrite(0, 1, same):
			l.CallInPlace(0, 0, fn, args...)
		case b.mayOverwrite(1, 0, same):
			l.CallInPlace(0, 1, fn, args...)
		default:
			l.Call(fn, args...)
		}
		return nil
	}
	dims, same, err := b.broadcastDims(b.InShape(0), b.InShape(1))
	if err != nil {
		return err
	}
	args = append([]any{b.Out(0), b.In(0), b.In(1), dims}, args...)
	switch {
	case b.OutFact(0).DType != b.InFact(0).DType:
		b.Call(fn, args...)
	case b.mayOverwrite(0, 1, same):
		b.CallInPlace(0, 0, fn, args...)
	case b.mayOverwrite(1, 0, same):
		b.CallInPlace(0, 1, fn, args...)
	default:
		b.Call(fn, args...)
	}
	return nil
}

// mayOverwrite reports that a kernel may store its result over input i: it has
// the result's shape, and the other input is elsewhere or read in step with it.
func (b *Builder) mayOverwrite(i, j int, same bool) bool {
	if !b.InFact(i).Shape.Equal(b.OutFact(0).Shape) {
		return false
	}
	return same || b.In(i).Buf.Root() != b.In(j).Buf.Root()
}
