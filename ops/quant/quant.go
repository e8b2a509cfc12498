package quant

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var quantTypes = map[string][]tensor.DType{"T": {tensor.QInt8, tensor.QUint8, tensor.QInt16, tensor.QUint16, tensor.QInt32}}

var quantDefs = []*lower.Def{
	{Name: "FakeQuantWithMinMaxArgs", Traits: lower.RoundsNumbers, Shape: fakeShape, Lower: fakeLower},
	{Name: "FakeQuantWithMinMaxVars", Traits: lower.RoundsNumbers, Shape: fakeShape, Lower: fakeLower},
	{Name: "FakeQuantWithMinMaxVarsPerChannel", Traits: lower.RoundsNumbers, Shape: fakeShape, Lower: fakeLower},
	{Name: "FakeQuantWithMinMaxArgsGradient", Traits: lower.NoGradient, Shape: fakeShape, Lower: fakeLower},
	{Name: "FakeQuantWithMinMaxVarsGradient", Traits: lower.NoGradient, Shape: fakeShape, Lower: fakeLower},
	{Name: "FakeQuantWithMinMaxVarsPerChannelGradient", Traits: lower.NoGradient, Shape: fakeShape, Lower: fakeLower},
	{Name: "QuantizeAndDequantizeV2", Traits: lower.RoundsNumbers, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: roundShape, Lower: roundLower},
	{Name: "QuantizeAndDequantizeV3", Traits: lower.RoundsNumbers, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: roundShape, Lower: roundLower},
	{Name: "QuantizeAndDequantizeV4", Traits: lower.RoundsNumbers, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: roundShape, Lower: roundLower},
	{Name: "QuantizeAndDequantizeV4Grad", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64}}, Shape: roundGradShape, Lower: roundGradLower},
	{Name: "Dequantize", Types: quantTypes, Shape: dequantizeShape, Lower: dequantizeLower},
	{Name: "QuantizeV2", Types: quantTypes, Shape: quantizeShape, Lower: quantizeLower},
}

// fakeKind describes an op of the FakeQuant family. grad reports whether input 0 is a gradient.
// vars reports whether the range is given by inputs and not by attributes. channel reports whether
// each channel has a separate range.
func fakeKind(op string) (grad, vars, channel bool) {
	switch op {
	case "FakeQuantWithMinMaxVars":
		return false, true, false
	case "FakeQuantWithMinMaxVarsPerChannel":
		return false, true, true
	case "FakeQuantWithMinMaxArgsGradient":
		return true, false, false
	case "FakeQuantWithMinMaxVarsGradient":
		return true, true, false
	case "FakeQuantWithMinMaxVarsPerChannelGradient":
		return true, true, true
	}
	return false, false, false
}

func fakeShape(c *lower.Shaper) error {
	grad, vars, channel := fakeKind(c.Node.Op)
	if n := c.Node.Int("num_bits"); n < 2 || n > 16 {
		return tensor.Errorf(tensor.InvalidArgument, "num_bits is %d; 2 to 16 are supported", n)
	}
	if lo, hi := c.Node.Float("min"), c.Node.Float("max"); !vars && !(lo < hi) {
		return tensor.Errorf(tensor.InvalidArgument, "min %v must be below max %v", lo, hi)
	}
	first := 1
	if grad {
		first = 2
	}
	rank := 0
	if channel {
		rank = 1
		if s := c.Shape(0); s.Known && len(s.Dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "a scalar has no channels")
		}
	}
	if vars {
		for i := first; i < first+2; i++ {
			v, err := c.WithRank(i, rank)
			if err != nil {
				return err
			}
			if s := c.Shape(0); channel && s.Known && v.Known && lower.Differ(v.Dims[0], s.Dims[len(s.Dims)-1]) {
				return tensor.Errorf(tensor.InvalidArgument, "the range has the shape %v, which does not fit data %v", v, s)
			}
		}
	}
	c.Set(0, tensor.Float32, c.Shape(first-1))
	for i := 1; i < len(c.Node.Outs); i++ {
		c.Set(i, tensor.Float32, c.Shape(first+i-1))
	}
	return nil
}

// fakeParams returns the kernel parameters. first is the number of the input after the data. This
// input is the lower bound of the range, unless attributes hold the range. fakeParams adds checks
// of sizes known only at run time.
func fakeParams(b *lower.Builder) (first int, p plan.Struct, err error) {
	grad, _, channel := fakeKind(b.Node.Op)
	first = 1
	if grad {
		first = 2
		x, y := b.InShape(0), b.InShape(1)
		if len(x) != len(y) {
			return 0, p, b.Errorf(tensor.InvalidArgument, "gradients have rank %d, inputs rank %d", len(x), len(y))
		}
		for k := range x {
			if err := kit.RequireSame(b, x[k], y[k], "gradients and inputs must have the same shape"); err != nil {
				return 0, p, err
			}
		}
	}
	c := sym.One
	if s := b.InShape(0); channel {
		c = s[len(s)-1]
		for i := first; i < first+2; i++ {
			if err := kit.RequireSame(b, b.InLen(i), c, "the range must have one value for each channel"); err != nil {
				return 0, p, err
			}
		}
	}
	return first, plan.Lit(quant.FakeParams{Bits: b.Node.Int("num_bits"), Narrow: b.Node.Bool("narrow_range")}, "Rows", b.InLen(0).Div(c), "C", c), nil
}

func fakeLower(b *lower.Builder) error {
	first, p, err := fakeParams(b)
	if err != nil {
		return err
	}
	grad, vars, _ := fakeKind(b.Node.Op)
	var lo, hi plan.View
	if vars {
		lo, hi = b.In(first), b.In(first+1)
	} else {
		scalar := func(name string) plan.View {
			return b.Const("", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{1}, Data: []float32{b.Node.Float(name)}})
		}
		lo, hi = scalar("min"), scalar("max")
	}
	if !grad {
		b.Call(quant.Fake, b.Out(0), b.In(0), lo, hi, p)
		return nil
	}
	if vars {
		p = p.With("Below", b.Out(1), "Above", b.Out(2))
	}
	b.Call(quant.FakeGrad, b.Out(0), b.In(0), b.In(1), lo, hi, p)
	return nil
}

// axisOf returns attribute axis. ok is false without the attribute, and if it is -1, which means no axis.
func axisOf(n *ir.Node) (axis int, ok bool) {
	a, ok := n.Attrs["axis"].(int64)
	return int(a), ok && a != -1
}

// sliced divides the dimensions s at attribute axis: outer is the product of those before the axis,
// slices the length of the axis, and inner the product of those after it. Without an axis, there is
// one slice.
func sliced(n *ir.Node, s []*sym.Expr) (outer, slices, inner *sym.Expr, err error) {
	axis, ok := axisOf(n)
	if !ok {
		return sym.One, sym.One, sym.Product(s), nil
	}
	k, err := lower.Axis(axis, len(s))
	if err != nil || axis < 0 {
		return nil, nil, nil, tensor.Errorf(tensor.InvalidArgument, "axis %d is out of range for rank %d", axis, len(s))
	}
	return sym.Product(s[:k]), s[k], sym.Product(s[k+1:]), nil
}

func roundShape(c *lower.Shaper) error {
	if s := c.Shape(0); s.Known {
		if c.Node.Op == "QuantizeAndDequantizeV3" && len(s.Dims) == 0 { // only this op rejects scalars here
			return tensor.Errorf(tensor.InvalidArgument, "the axis -1 is out of range for a scalar")
		}
		if _, _, _, err := sliced(c.Node, s.Dims); err != nil {
			return err
		}
	}
	if c.Node.Op == "QuantizeAndDequantizeV3" {
		if _, err := c.WithRank(3, 0); err != nil {
			return err
		}
	}
	if axis, ok := axisOf(c.Node); c.NumIn() > 2 && !ok {
		for i := 1; i < 3; i++ {
			if _, err := c.WithRank(i, 0); err != nil {
				return err
			}
		}
	} else if c.NumIn() > 2 {
		for i := 1; i < 3; i++ {
			r, err := c.WithRank(i, 1)
			if err != nil {
				return err
			}
			if s := c.Shape(0); s.Known && r.Known && lower.Differ(r.Dims[0], s.Dims[axis]) {
				return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; one value for each slice of %v along axis %d is required", i, r, s, axis)
			}
		}
	}
	if lo, hi := c.Const(1), c.Const(2); c.Node.Bool("range_given") && lo != nil && hi != nil {
		a, b := tensor.Data[float32](lo), tensor.Data[float32](hi)
		if len(a) == 1 && len(b) == 1 && !anyOrder(c.Node) && a[0] > b[0] {
			return tensor.Errorf(tensor.InvalidArgument, "min %v must not be above max %v", a[0], b[0])
		}
	}
	c.Same(0, 0)
	return nil
}

// roundParams returns the kernel parameters from a node's attributes.
func roundParams[T float32 | float64](n *ir.Node) quant.RoundParams[T] {
	return quant.RoundParams[T]{Bits: n.Int("num_bits"), Signed: n.Bool("signed_input"), HalfUp: n.Str("round_mode") == "HALF_UP", Narrow: n.Bool("narrow_range"),
		AnyOrder: anyOrder(n)}
}

// anyOrder reports whether the minimum of a given range may be larger than the maximum. This is so
// for QuantizeAndDequantizeV3 with an axis, because TensorFlow's kernel for several ranges does not
// check their order.
func anyOrder(n *ir.Node) bool {
	_, ok := axisOf(n)
	return n.Op == "QuantizeAndDequantizeV3" && ok
}

// roundSizes divides the dimensions of input 0 into outer, slices and inner, as the function sliced
// does. The result named given is true if inputs 1 and 2 specify the range (attribute range_given).
// roundSizes adds checks of sizes known only at run time.
func roundSizes(b *lower.Builder) (outer, slices, inner *sym.Expr, given bool, err error) {
	if outer, slices, inner, err = sliced(b.Node, b.InShape(0)); err != nil {
		return nil, nil, nil, false, err
	}
	given = b.Node.Bool("range_given")
	for i := 1; given && i < 3; i++ {
		if err := kit.RequireSame(b, b.InLen(i), slices, "the range must have one value for each slice"); err != nil {
			return nil, nil, nil, false, err
		}
		if b.Node.Op == "QuantizeAndDequantizeV3" {
			continue
		}
		// For all ops but QuantizeAndDequantizeV3, TensorFlow's CPU kernel reads a single value
		// even if there is an axis.
		if err := kit.RequireSame(b, b.InLen(i), sym.One, "the range must be a scalar"); err != nil {
			return nil, nil, nil, false, err
		}
	}
	return outer, slices, inner, given, nil
}

func roundLower(b *lower.Builder) error {
	outer, slices, inner, given, err := roundSizes(b)
	if err != nil {
		return err
	}
	wide := b.InFact(0).DType == tensor.Float64
	in := func(i int) (plan.View, error) {
		if wide {
			return b.In(i), nil
		}
		return kit.InF32(b, i)
	}
	x, err := in(0)
	if err != nil {
		return err
	}
	p := any(roundParams[float32](b.Node))
	if wide {
		p = roundParams[float64](b.Node)
	}
	q := plan.Lit(p, "Outer", outer, "Slices", slices, "Inner", inner)
	if given {
		lo, err := in(1)
		if err != nil {
			return err
		}
		hi, err := in(2)
		if err != nil {
			return err
		}
		q = q.With("Lo", lo, "Hi", hi)
	}
	if b.Node.Op == "QuantizeAndDequantizeV3" {
		q = q.With("BitsIn", b.In(3))
	}
	if wide {
		b.Call(quant.Round64, b.Out(0), x, q)
		return nil
	}
	y, done := kit.OutF32(b, 0)
	b.Call(quant.Round, y, x, q)
	return done()
}

// roundGradShape infers the shapes of the outputs of QuantizeAndDequantizeV4Grad. The inputs are
// gradients, input, input_min and input_max. The last two are scalars or, if there is an axis,
// vectors with one value for each slice.
func roundGradShape(c *lower.Shaper) error {
	s, err := kit.MergeShapes(c.Shape(0), c.Shape(1))
	if err != nil {
		return tensor.Errorf(tensor.InvalidArgument, "gradients %v and input %v must have the same shape", c.Shape(0), c.Shape(1))
	}
	rank := 0
	if _, ok := axisOf(c.Node); ok {
		rank = 1
	}
	if s.Known {
		if _, _, _, err := sliced(c.Node, s.Dims); err != nil {
			return err
		}
	}
	d := c.In(1).DType
	c.Set(0, d, s)
	for i := 2; i < 4; i++ {
		v, err := c.WithRank(i, rank)
		if err != nil {
			return err
		}
		c.Set(i-1, d, v)
	}
	return nil
}

// roundGradSizes returns the sizes that sliced returns for input 1, and adds checks of sizes that
// are known only at run time.
func roundGradSizes(b *lower.Builder) (outer, slices, inner *sym.Expr, err error) {
	if err := kit.CheckSame(b, b.InShape(0), b.InShape(1)); err != nil {
		return nil, nil, nil, err
	}
	if outer, slices, inner, err = sliced(b.Node, b.InShape(1)); err != nil {
		return nil, nil, nil, err
	}
	for i := 2; i < 4; i++ {
		if err := kit.RequireSame(b, b.InLen(i), slices, "the range must have one value for each slice"); err != nil {
			return nil, nil, nil, err
		}
	}
	return outer, slices, inner, nil
}

func roundGradLower(b *lower.Builder) error {
	outer, slices, inner, err := roundGradSizes(b)
	if err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, quant.RoundGradF32, quant.RoundGradF64)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), b.In(2), b.In(3), plan.Lit(quant.Params{}, "Outer", outer, "Slices", slices, "Inner", inner))
	return nil
}

// quantParams returns the kernel parameters of a quantization. They are the values of attributes,
// such as mode and axis.
func quantParams(b *lower.Builder) (plan.Struct, error) {
	p := quant.Params{Narrow: b.Node.Bool("narrow_range"), HalfToEven: b.Node.Str("round_mode") == "HALF_TO_EVEN"}
	p.Least = 0.01
	if v, ok := b.Node.Attrs["ensure_minimum_range"].(float32); ok {
		p.Least = v
	}
	switch m := b.Node.Str("mode"); m {
	case "MIN_COMBINED":
	case "MIN_FIRST":
		p.Mode = quant.MinFirst
	case "SCALED":
		p.Mode = quant.Scaled
	default:
		return plan.Struct{}, b.Errorf(tensor.InvalidArgument, "unknown mode %q", m)
	}
	if p.HalfToEven && p.Mode != quant.Scaled {
		return plan.Struct{}, b.Errorf(tensor.InvalidArgument, "round_mode HALF_TO_EVEN is for mode SCALED only")
	}
	outer, slices, inner, err := sliced(b.Node, b.InShape(0))
	if err != nil {
		return plan.Struct{}, err
	}
	for i := 1; i < 3; i++ {
		if err := kit.RequireSame(b, b.InLen(i), slices, "the range must have one value for each slice"); err != nil {
			return plan.Struct{}, err
		}
	}
	return plan.Lit(p, "Outer", outer, "Slices", slices, "Inner", inner), nil
}

func dequantizeShape(c *lower.Shaper) error {
	if m := c.Node.Str("mode"); c.Node.DType("dtype") == tensor.BFloat16 && m != "MIN_COMBINED" && m != "" {
		return tensor.Errorf(tensor.InvalidArgument, "to bf16 the mode must be MIN_COMBINED, not %s", m)
	}
	rank := 0
	if _, ok := axisOf(c.Node); ok {
		rank = 1
	}
	for i := 1; i < 3; i++ {
		if _, err := c.WithRank(i, rank); err != nil {
			return err
		}
	}
	d := tensor.Float32
	if t := c.Node.DType("dtype"); t != tensor.Invalid {
		d = t
	}
	c.Set(0, d, c.Shape(0))
	return nil
}

func dequantizeLower(b *lower.Builder) error {
	p, err := quantParams(b)
	if err != nil {
		return err
	}
	fn, err := kit.KernelFrom(b, b.InFact(0).DType, quant.DequantizeI8, quant.DequantizeU8, quant.DequantizeI16, quant.DequantizeU16, quant.DequantizeI32)
	if err != nil {
		return err
	}
	out, done := kit.OutF32(b, 0)
	b.Call(fn, out, b.In(0), b.In(1), b.In(2), p)
	return done()
}

func quantizeShape(c *lower.Shaper) error {
	c.Set(0, c.Node.DType("T"), c.Shape(0))
	c.Set(1, tensor.Float32, c.Shape(1))
	c.Set(2, tensor.Float32, c.Shape(2))
	return nil
}

func quantizeLower(b *lower.Builder) error {
	p, err := quantParams(b)
	if err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, quant.QuantizeI8, quant.QuantizeU8, quant.QuantizeI16, quant.QuantizeU16, quant.QuantizeI32)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), b.In(2), p)
	return nil
}
