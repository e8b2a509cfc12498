package quant

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var qint8 = []tensor.DType{tensor.QInt8}

// uniformDefs compute with integers q that represent (q - zero) * scale. There is one scale and
// zero point for the whole tensor, or one for each slice along an axis.
var uniformDefs = []*lower.Def{
	{Name: "UniformQuantize", Types: map[string][]tensor.DType{"Tin": {tensor.Float32}, "Tout": {tensor.QInt8, tensor.QUint8, tensor.QInt32}},
		Shape: uniformShape, Lower: uniformQuantizeLower},
	{Name: "UniformDequantize", Types: map[string][]tensor.DType{"Tin": {tensor.QInt8, tensor.QUint8, tensor.QInt32}, "Tout": {tensor.Float32}},
		Shape: uniformShape, Lower: uniformDequantizeLower},
	{Name: "UniformRequantize", Types: map[string][]tensor.DType{"Tin": {tensor.QInt8, tensor.QInt32}, "Tout": qint8}, Shape: uniformShape, Lower: uniformRequantizeLower},
	{Name: "UniformQuantizedClipByValue", Types: typed(qint32, "T"), Shape: uniformShape, Lower: uniformClipLower},
	{Name: "UniformQuantizedDot", Flags: lower.Expensive, Types: kit.WithTypes(typed(qint8, "Tin"), "Tout", qint32), Shape: uniformDotShape, Lower: uniformDotLower},
	{Name: "UniformQuantizedDotHybrid", Flags: lower.Expensive, Types: map[string][]tensor.DType{"Tlhs": {tensor.Float32}, "Trhs": qint8, "Tout": {tensor.Float32}},
		Shape: uniformDotShape, Lower: uniformHybridLower},
}

// scaled checks that inputs i and i+1, scales and zero points, fit a tensor of shape s quantized
// along axis.
func scaled(c *lower.Shaper, s ir.Shape, i int, axis int) error {
	rank := 0
	if axis < -1 {
		return tensor.Errorf(tensor.InvalidArgument, "the quantization axis %d must be at least -1", axis)
	}
	if axis >= 0 {
		rank = 1
		if s.Known && axis >= len(s.Dims) {
			return tensor.Errorf(tensor.InvalidArgument, "the quantization axis %d is out of range for rank %d", axis, len(s.Dims))
		}
	}
	for j := i; j < i+2; j++ {
		v, err := c.WithRank(j, rank)
		if err != nil {
			return err
		}
		if rank == 1 && s.Known && v.Known && lower.Differ(v.Dims[0], s.Dims[axis]) {
			return tensor.Errorf(tensor.InvalidArgument, "input %d has %v values for %v slices", j, v.Dims[0], s.Dims[axis])
		}
	}
	return nil
}

// uniformAxes returns the quantization axis of each pair of inputs with scales and zero points. The
// key is the number of the pair's first input.
func uniformAxes(n *ir.Node) map[int]int {
	switch n.Op {
	case "UniformRequantize":
		return map[int]int{1: n.Int("input_quantization_axis"), 3: n.Int("output_quantization_axis")}
	case "UniformQuantizedClipByValue":
		return map[int]int{1: n.Int("quantization_axis"), 3: n.Int("quantization_axis")}
	}
	return map[int]int{1: n.Int("quantization_axis")}
}

func uniformShape(c *lower.Shaper) error {
	axes := uniformAxes(c.Node)
	if c.Node.Op == "UniformRequantize" && axes[1] >= 0 && axes[3] >= 0 && axes[1] != axes[3] {
		return tensor.Errorf(tensor.InvalidArgument, "the axes %d and %d must be the same", axes[1], axes[3])
	}
	for _, i := range []int{1, 3} {
		if axis, ok := axes[i]; ok {
			if err := scaled(c, c.Shape(0), i, axis); err != nil {
				return err
			}
		}
	}
	d := c.Node.DType("Tout")
	if d == tensor.Invalid {
		d = c.In(0).DType
	}
	c.Set(0, d, c.Shape(0))
	return nil
}

// uniform returns the kernel parameters of an op on uniformly quantized numbers. They divide input
// 0 into slices along the quantization axis. lo and hi are the names of the attributes that hold
// the lower and upper bound of the result; they are empty if there are no bounds.
func uniform(b *lower.Builder, lo, hi string) (plan.Struct, error) {
	s, axis := b.InShape(0), -1
	axes := uniformAxes(b.Node)
	for _, i := range []int{1, 3} {
		if a, ok := axes[i]; ok && a >= 0 {
			axis = a
			for j := i; j < i+2; j++ {
				if err := kit.RequireSame(b, b.InLen(j), s[a], "there must be one value for each slice"); err != nil {
					return plan.Struct{}, err
				}
			}
		}
	}
	p := quant.Uniform{}
	if lo != "" {
		p.Lo, p.Hi = b.Node.Int(lo), b.Node.Int(hi)
	}
	if axis < 0 {
		return plan.Lit(p, "Outer", sym.One, "Slices", sym.One, "Inner", sym.Product(s)), nil
	}
	return plan.Lit(p, "Outer", sym.Product(s[:axis]), "Slices", s[axis], "Inner", sym.Product(s[axis+1:])), nil
}

func uniformQuantizeLower(b *lower.Builder) error {
	p, err := uniform(b, "quantization_min_val", "quantization_max_val")
	if err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, quant.UniformQuantizeI8, quant.UniformQuantizeU8, quant.UniformQuantizeI32)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), p)
	return nil
}

func uniformDequantizeLower(b *lower.Builder) error {
	p, err := uniform(b, "", "")
	if err != nil {
		return err
	}
	fn, err := kit.KernelFrom(b, b.InFact(0).DType, quant.UniformDequantizeI8, quant.UniformDequantizeU8, quant.UniformDequantizeI32)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), p)
	return nil
}

func uniformRequantizeLower(b *lower.Builder) error {
	p, err := uniform(b, "output_quantization_min_val", "output_quantization_max_val")
	if err != nil {
		return err
	}
	fn, err := kit.KernelFrom(b, b.InFact(0).DType, quant.UniformRequantizeI8, quant.UniformRequantizeI32)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), p)
	return nil
}

func uniformClipLower(b *lower.Builder) error {
	p, err := uniform(b, "", "")
	if err != nil {
		return err
	}
	b.Call(quant.UniformClip, b.Out(0), b.In(0), b.In(1), b.In(2), p)
	return nil
}

// uniformDotShape infers the shape of the output of UniformQuantizedDot. lhs has a single scale.
// rhs and the result each have a single scale, or one scale for each column.
func uniformDotShape(c *lower.Shaper) error {
	a, err := c.WithRank(0, 2)
	if err != nil {
		return err
	}
	r, err := c.WithRank(1, 2)
	if err != nil {
		return err
	}
	out := ir.Shape{}
	if a.Known && r.Known {
		if lower.Differ(a.Dims[1], r.Dims[0]) {
			return tensor.Errorf(tensor.InvalidArgument, "inner dimensions differ: %v against %v", a, r)
		}
		out = ir.ShapeOf(a.Dims[0], r.Dims[1])
	}
	rhs := c.Node.Int("rhs_quantization_axis")
	if rhs != -1 && rhs != 1 {
		return tensor.Errorf(tensor.InvalidArgument, "rhs_quantization_axis is %d; it must be -1 or 1", rhs)
	}
	c.Set(0, c.Node.DType("Tout"), out)
	if c.Node.Op == "UniformQuantizedDotHybrid" {
		return scaled(c, r, 2, rhs)
	}
	if x := c.Node.Int("lhs_quantization_axis"); x != -1 {
		return tensor.Errorf(tensor.InvalidArgument, "lhs_quantization_axis is %d; it must be -1", x)
	}
	o := c.Node.Int("output_quantization_axis")
	if o != -1 && (o != 1 || rhs != 1) {
		return tensor.Errorf(tensor.InvalidArgument, "output_quantization_axis %d does not fit rhs_quantization_axis %d", o, rhs)
	}
	for _, x := range []struct {
		s       ir.Shape
		i, axis int
	}{{a, 2, -1}, {r, 4, rhs}, {out, 6, o}} {
		if err := scaled(c, x.s, x.i, x.axis); err != nil {
			return err
		}
	}
	return nil
}

// uniformDot returns the kernel arguments of a quantized matrix product: the right operand in panel
// layout, the sums of its columns, scratch memory, and the parameters. The parameter first is the
// number of the first input with scales or zero points; uniformDot checks the lengths of these
// inputs.
func uniformDot(b *lower.Builder, p quant.DotParams, first int) (packed, sums, scratch plan.View, q plan.Struct, err error) {
	x, y := b.InShape(0), b.InShape(1)
	if err = kit.RequireSame(b, x[1], y[0], "the inner dimensions of a product must be equal"); err != nil {
		return
	}
	for i := first; i < b.NumIn(); i++ {
		if b.InFact(i).Shape.Rank() == 1 {
			if err = kit.RequireSame(b, b.InLen(i), y[1], "there must be one value for each column"); err != nil {
				return
			}
		}
	}
	k, n := y[0], y[1]
	q = plan.Lit(p, "M", x[0], "N", n, "K", k)
	scratch = kit.Scratch(b, tensor.Uint8, quant.DotScratchLen, q, "M")
	packed, sums = packBytes(b, gemm.PackI8, 1, k, n, false)
	return
}

func uniformDotLower(b *lower.Builder) error {
	p := quant.DotParams{Lo: b.Node.Int("output_quantization_min_val"), Hi: b.Node.Int("output_quantization_max_val")}
	packed, sums, scratch, q, err := uniformDot(b, p, 4)
	if err != nil {
		return err
	}
	b.Call(quant.UniformDot, b.Out(0), b.In(0), packed, sums, b.In(2), b.In(3), b.In(4), b.In(5), b.In(6), b.In(7), scratch, q)
	return nil
}

func uniformHybridLower(b *lower.Builder) error {
	packed, sums, scratch, q, err := uniformDot(b, quant.DotParams{}, 2)
	if err != nil {
		return err
	}
	b.Call(quant.UniformDotHybrid, b.Out(0), b.In(0), packed, sums, b.In(2), b.In(3),
		b.Temp(tensor.Int8, b.InLen(0)), b.Temp(tensor.Int32, b.OutLen(0)), scratch, q)
	return nil
}
