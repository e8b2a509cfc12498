package quant

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/pool"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	imageops "github.com/graphc/graphc/ops/image"
	"github.com/graphc/graphc/ops/kit"
	linalgops "github.com/graphc/graphc/ops/linalg"
	nnops "github.com/graphc/graphc/ops/nn"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// typed returns a map for the field Types of a lower.Def, in which each attribute in attrs accepts
// the element types ds.
func typed(ds []tensor.DType, attrs ...string) map[string][]tensor.DType {
	m := map[string][]tensor.DType{}
	for _, a := range attrs {
		m[a] = ds
	}
	return m
}

var (
	quint8  = []tensor.DType{tensor.QUint8}
	qint32  = []tensor.DType{tensor.QInt32}
	qbytes  = []tensor.DType{tensor.QUint8, tensor.QInt8}
	qeither = []tensor.DType{tensor.QUint8, tensor.QInt32}
)

// quantNNDefs compute with integers that represent floats in a range. Two scalar inputs after the
// data give the range; results have a range, too.
var quantNNDefs = []*lower.Def{
	{Name: "QuantizedMatMul", Flags: lower.Expensive, Types: kit.WithTypes(typed(quint8, "T1", "T2"), "Toutput", qint32), Shape: quantMatMulShape, Lower: quantMatMulLower},
	{Name: "QuantizedConv2D", Flags: lower.Expensive, Types: kit.WithTypes(typed(quint8, "Tinput", "Tfilter"), "out_type", qint32),
		Shape: quantConvShape, Lower: quantConvLower},
	{Name: "QuantizedBiasAdd", Types: kit.WithTypes(typed(qbytes, "T1", "T2"), "out_type", qint32), Shape: quantBiasShape, Lower: quantBiasLower},
	{Name: "QuantizedAdd", Types: kit.WithTypes(typed(quint8, "T1", "T2"), "Toutput", qint32), Limits: "broadcasts only by repeating one operand as a whole",
		Shape: quantArithShape, Lower: quantArithLower},
	{Name: "QuantizedMul", Types: kit.WithTypes(typed(quint8, "T1", "T2"), "Toutput", qint32), Limits: "broadcasts only by repeating one operand as a whole",
		Shape: quantArithShape, Lower: quantArithLower},
	{Name: "QuantizedRelu", Types: typed(qeither, "Tinput", "out_type"), Shape: quantSameShape, Lower: quantReluLower},
	{Name: "QuantizedRelu6", Types: typed(qeither, "Tinput", "out_type"), Shape: quantSameShape, Lower: quantReluLower},
	{Name: "QuantizedMaxPool", Types: typed(qbytes, "T"), Shape: quantPoolShape, Lower: quantPoolLower},
	{Name: "QuantizedAvgPool", Types: typed(qbytes, "T"), Shape: quantPoolShape, Lower: quantPoolLower},
	{Name: "QuantizedReshape", Types: typed(qeither, "T"), Shape: quantReshapeShape, Lower: quantReshapeLower},
	{Name: "QuantizedConcat", Types: typed(qeither, "T"), Limits: "a constant axis", Shape: quantConcatShape, Lower: quantConcatLower},
	{Name: "QuantizeDownAndShrinkRange", Types: kit.WithTypes(typed(qint32, "Tinput"), "out_type", quint8), Shape: quantSameShape, Lower: quantShrinkLower},
	{Name: "Requantize", Types: kit.WithTypes(typed(qint32, "Tinput"), "out_type", qbytes), Shape: requantizeShape, Lower: requantizeLower},
	{Name: "RequantizationRange", Types: typed(qint32, "Tinput"), Shape: quantRangeShape, Lower: quantRangeLower},
	{Name: "RequantizePerChannel", Types: kit.WithTypes(typed(qint32, "T"), "out_type", qbytes), Shape: channelsShape, Lower: requantizeChannelsLower},
	{Name: "RequantizationRangePerChannel", Types: typed(qint32, "T"), Shape: channelsShape, Lower: rangeChannelsLower},
	{Name: "QuantizedInstanceNorm", Types: typed(quint8, "T"), Shape: quantInstanceShape, Lower: quantInstanceLower},
	{Name: "QuantizedBatchNormWithGlobalNormalization", Types: kit.WithTypes(typed(quint8, "Tinput"), "out_type", qint32),
		Shape: quantBatchShape, Lower: quantBatchLower},
	{Name: "QuantizedResizeBilinear", Types: typed(qeither, "T"), Shape: quantResizeShape, Lower: quantResizeLower},
}

// setRange sets the shapes and types of outputs i and i+1, the minimum and maximum of the result's
// range. Both are scalars.
func setRange(c *lower.Shaper, i int) {
	c.Set(i, tensor.Float32, ir.ShapeOf())
	c.Set(i+1, tensor.Float32, ir.ShapeOf())
}

// packBytes returns input i in the panel layout that the function pack writes, and the sums of its
// columns. The input has the shape [k,n] or, if trans is true, [n,k]. Both results are constants if
// the input is known at compile time.
func packBytes[T int8 | uint8](b *lower.Builder, pack func(dst []int8, sums []int32, src []T, k, n int, trans bool), i int, k, n *sym.Expr, trans bool) (packed, sums plan.View) {
	if t := b.InConst(i); t != nil {
		kk, _ := k.IsInt()
		nn, _ := n.IsInt()
		if src := tensor.Data[T](t); len(src) == kk*nn {
			dst, s := make([]int8, gemm.Int8PackedLen(kk, nn)), make([]int32, nn)
			pack(dst, s, src, kk, nn, trans)
			return b.Const("bytes in panels of 16 columns", &tensor.Tensor{DType: tensor.Int8, Shape: tensor.Shape{len(dst)}, Data: dst}),
				b.Const("sums of columns", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{len(s)}, Data: s})
		}
	}
	size := n.CeilDiv(sym.Int(16)).MulInt(16).Mul(k.CeilDiv(sym.Int(4)).MulInt(4))
	packed, sums = kit.Reads(b.Temp(tensor.Int8, size)), kit.Reads(b.Temp(tensor.Int32, n))
	b.Call(pack, kit.Writes(packed), kit.Writes(sums), b.In(i), k, n, trans)
	return packed, sums
}

func quantMatMulShape(c *lower.Shaper) error {
	if err := linalgops.MatmulShape(c); err != nil {
		return err
	}
	c.Set(0, tensor.QInt32, c.Node.Outs[0].Shape)
	setRange(c, 1)
	return kit.Scalars(c, 2, 6)
}

func quantMatMulLower(b *lower.Builder) error {
	p, err := linalgops.MatmulProduct(b)
	if err != nil {
		return err
	}
	packed, sums := packBytes(b, gemm.PackU8, 1, p.K, p.N, p.TransB)
	ranges := [4]plan.View{b.In(2), b.In(3), b.In(4), b.In(5)}
	b.Call(quant.MatMulRange, b.Out(1), b.Out(2), ranges[0], ranges[1], ranges[2], ranges[3])
	q := plan.Lit(gemm.Int8Params{TransA: p.TransA, UnsignedB: true}, "M", p.M, "N", p.N, "K", p.K)
	out, left := b.Out(0), b.In(0)
	size, ok := kit.ScratchLen(gemm.Int8ScratchLen, q, "M")
	if !ok || p.TransA {
		b.Call(quant.MatMul, out, left, packed, sums, ranges[0], ranges[1], ranges[2], ranges[3], kit.Scratch(b, tensor.Uint8, gemm.Int8ScratchLen, q, "M"), q)
		return nil
	}
	l := b.Par(p.M, plan.Split{Grain: 14, Work: p.K.Mul(p.N).MulInt(byteOps)})
	l.Call(quant.MatMul, lower.Rows(out, p.N), lower.Rows(left, p.K), packed, sums, ranges[0], ranges[1], ranges[2], ranges[3],
		l.Temp(tensor.Uint8, sym.Int(size)), q.With("M", plan.Count))
	return nil
}

// byteOps is the time in picoseconds that it takes to multiply two bytes and add the product.
const byteOps = 4

// quantConvGeometry is like nnops.ConvGeometryOf, with the checks of TensorFlow's kernel.
func quantConvGeometry(n *ir.Node, image, filter []*sym.Expr) (nnops.ConvGeometry, error) {
	g, err := nnops.ConvGeometryOf(n, image, filter, false)
	if err != nil {
		return g, err
	}
	switch {
	case g.Stride[0] != g.Stride[1]:
		return g, nnops.UnevenStrides(g.Stride[:])
	case g.Dil != [2]int{1, 1}:
		return g, tensor.Errorf(tensor.InvalidArgument, "a quantized convolution cannot have dilations: %v", g.Dil)
	case lower.Differ(g.C, g.Cg):
		return g, tensor.Errorf(tensor.InvalidArgument, "the image has %v channels, but the filter %v", g.C, g.Cg)
	}
	return g, nil
}

func quantConvShape(c *lower.Shaper) error {
	image, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	filter, err := c.WithRank(1, 4)
	if err != nil {
		return err
	}
	setRange(c, 1)
	if err := kit.Scalars(c, 2, 6); err != nil {
		return err
	}
	if !image.Known || !filter.Known {
		c.Set(0, tensor.QInt32, ir.Shape{})
		return nil
	}
	g, err := quantConvGeometry(c.Node, image.Dims, filter.Dims)
	if err != nil {
		return err
	}
	c.Set(0, tensor.QInt32, g.F.Shape(g.N, g.Oc, g.Out[0], g.Out[1]))
	return nil
}

func quantConvLower(b *lower.Builder) error {
	g, err := quantConvGeometry(b.Node, b.InShape(0), b.InShape(1))
	if err != nil {
		return err
	}
	if err := g.Checks(b, false); err != nil {
		return err
	}
	if err := kit.RequireSame(b, g.C, g.Cg, "the image and the filter must have the same channels"); err != nil {
		return err
	}
	b.Check(quant.CheckConv, g.N, g.Out[0], g.Out[1], g.Oc)
	packed, sums := packBytes(b, gemm.PackU8, 1, g.K[0].Mul(g.K[1]).Mul(g.C), g.Oc, false)
	p := plan.Lit(quant.ConvParams{Stride: g.Stride[0], Centred: b.Node.Str("padding") == "SAME"}, "N", g.N, "H", g.In[0], "W", g.In[1], "C", g.C,
		"KH", g.K[0], "KW", g.K[1], "OH", g.Out[0], "OW", g.Out[1], "OC", g.Oc)
	ranges := [4]plan.View{b.In(2), b.In(3), b.In(4), b.In(5)}
	b.Call(quant.ProductRange, b.Out(1), b.Out(2), ranges[0], ranges[1], ranges[2], ranges[3])
	size, ok := kit.ScratchLen(quant.ConvScratchLen, p, "N")
	if !ok {
		b.Call(quant.Conv, b.Out(0), b.In(0), packed, sums, ranges[0], ranges[1], ranges[2], ranges[3], kit.Scratch(b, tensor.Uint8, quant.ConvScratchLen, p, "N"), p)
		return nil
	}
	pixels := sym.Product([]*sym.Expr{g.N, g.Out[0], g.Out[1]})
	l := b.Par(pixels, plan.Split{Grain: 28, Work: g.K[0].Mul(g.K[1]).Mul(g.C).Mul(g.Oc).MulInt(byteOps)})
	l.Call(quant.Conv, lower.Rows(b.Out(0), g.Oc), b.In(0), packed, sums, ranges[0], ranges[1], ranges[2], ranges[3],
		l.Temp(tensor.Uint8, sym.Int(size)), p.With("First", plan.Lo, "Count", plan.Count))
	return nil
}

func quantBiasShape(c *lower.Shaper) error {
	if s := c.Shape(0); s.Known && len(s.Dims) < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "the data has the shape %v; at least rank 2 is required", s)
	}
	bias, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if s := c.Shape(0); s.Known && bias.Known && lower.Differ(s.Dims[len(s.Dims)-1], bias.Dims[0]) {
		return tensor.Errorf(tensor.InvalidArgument, "the bias %v must have one value for each channel of %v", bias, s)
	}
	c.Set(0, tensor.QInt32, c.Shape(0))
	setRange(c, 1)
	return kit.Scalars(c, 2, 6)
}

func quantBiasLower(b *lower.Builder) error {
	s := b.InShape(0)
	if err := kit.RequireSame(b, s[len(s)-1], b.InLen(1), "the bias must have one value for each channel"); err != nil {
		return err
	}
	if d, e := b.InFact(0).DType, b.InFact(1).DType; d != e {
		return b.NoKernel("no CPU kernel adds %s to %s", e, d)
	}
	fn, err := kit.KernelAt(b, 3, b.InFact(0).DType, []any{quant.BiasAddU8, quant.BiasAddI8})
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), b.In(5))
	return nil
}

func quantArithShape(c *lower.Shaper) error {
	s, err := lower.BroadcastShapes(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	c.Set(0, tensor.QInt32, s)
	setRange(c, 1)
	return kit.Scalars(c, 2, 6)
}

// quantArithLower broadcasts as TensorFlow does. If the operands differ in shape, the smaller one
// is repeated as a whole; quant.ArithRule rejects shapes for which this is not possible.
func quantArithLower(b *lower.Builder) error {
	nx, ny, n := b.InLen(0), b.InLen(1), b.OutLen(0)
	x, y := b.InShape(0), b.InShape(1)
	var p plan.Struct
	sx, xok := b.InFact(0).Shape.Static()
	sy, yok := b.InFact(1).Shape.Static()
	switch {
	case xok && yok:
		cycle, first, err := quant.ArithRule(sx, sy)
		if err != nil {
			return err
		}
		p = plan.Lit(quant.Arith{Cycle: cycle, First: first})
	case nx.Is(1):
		p = plan.Lit(quant.Arith{First: 1, Cycle: 1})
	case nx.Equal(n) && (ny.Is(1) || ny.Equal(n)):
		p = plan.Lit(quant.Arith{}, "Cycle", ny)
	default:
		cycle, first := b.NewSizeK(0, lower.ExtraSize), b.NewSizeK(0, lower.ExtraSize+1)
		b.CallSizes(quant.ArithRule, []*sym.Expr{cycle, first}, x, y)
		p = plan.Lit(quant.Arith{}, "Cycle", cycle, "First", first)
	}
	fn := any(quant.Add)
	if b.Node.Op == "QuantizedMul" {
		fn = quant.Mul
	}
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), b.In(5), p)
	return nil
}

func quantSameShape(c *lower.Shaper) error {
	c.Set(0, c.Node.DType("out_type"), c.Shape(0))
	setRange(c, 1)
	return kit.Scalars(c, 1, 3)
}

func quantReluLower(b *lower.Builder) error {
	if b.InFact(0).DType != b.OutFact(0).DType {
		return b.NoKernel("no CPU kernel converts to %s from %s", b.OutFact(0).DType, b.InFact(0).DType)
	}
	fn, err := kit.KernelFor(b, b.InFact(0).DType, quant.ClampU8, quant.ClampI32)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), b.In(2), b.Node.Op == "QuantizedRelu6")
	return nil
}

func quantPoolShape(c *lower.Shaper) error {
	if err := nnops.PoolShape(c); err != nil {
		return err
	}
	setRange(c, 1)
	return kit.Scalars(c, 1, 3)
}

func quantPoolLower(b *lower.Builder) error {
	var err error
	if b.Node.Op == "QuantizedMaxPool" {
		err = nnops.PoolLower(b, pool.MaxU8, pool.MaxI8)
	} else {
		err = nnops.PoolLower(b, quant.AvgU8, quant.AvgI8)
	}
	b.Call(quant.CopyRange, b.Out(1), b.Out(2), b.In(1), b.In(2))
	return err
}

func quantReshapeShape(c *lower.Shaper) error {
	if err := arrayops.ReshapeShape(c); err != nil {
		return err
	}
	setRange(c, 1)
	return kit.Scalars(c, 2, 4)
}

func quantReshapeLower(b *lower.Builder) error {
	if err := arrayops.ReshapeLower(b); err != nil {
		return err
	}
	b.Call(quant.CopyRange, b.Out(1), b.Out(2), b.In(2), b.In(3))
	return nil
}

// quantConcatShape infers the shapes of the outputs of QuantizedConcat. The inputs are concat_dim,
// then N values, then their N minima, and then their N maxima.
func quantConcatShape(c *lower.Shaper) error {
	n := (c.NumIn() - 1) / 3
	if err := arrayops.ConcatShape(c, 1, 1+n, 0); err != nil {
		return err
	}
	setRange(c, 1)
	return kit.Scalars(c, 1+n, c.NumIn())
}

func quantConcatLower(b *lower.Builder) error {
	n := (b.NumIn() - 1) / 3
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, quant.JoinU8, quant.JoinI32)
	if err != nil {
		return err
	}
	split, err := quantConcatSplit(b, n)
	if err != nil {
		return err
	}
	los, his := b.Temp(tensor.Float32, sym.Int(n)), b.Temp(tensor.Float32, sym.Int(n))
	for i := range n {
		b.Call(quant.Gather1, los, b.In(1+n+i), i)
		b.Call(quant.Gather1, his, b.In(1+2*n+i), i)
	}
	b.Call(quant.JoinRanges, b.Out(1), b.Out(2), los, his, b.OutFact(0).DType == tensor.QInt32)
	_, total, at := split(-1)
	for i := range n {
		outer, width, _ := split(i)
		lo, hi := b.Out(1), b.Out(2)
		lo.Mode, hi.Mode = plan.Read, plan.Read
		b.Call(fn, b.Out(0), b.In(1+i), b.In(1+n+i), b.In(1+2*n+i), lo, hi, outer, width, total, at)
		at = at.Add(width)
	}
	return nil
}

// quantConcatSplit adds the checks of a concatenation of n tensors. It returns a function that
// describes these tensors and the result as matrices: each row of the result consists of one row of
// each of the n tensors. The function's argument i is the number of one of the n tensors, or -1 for
// the result. outer is the number of rows, width is the number of elements in a row, and zero is
// the constant 0.
func quantConcatSplit(b *lower.Builder, n int) (func(i int) (outer, width, zero *sym.Expr), error) {
	out := b.OutShape(0)
	if static, ok := b.StaticInts(0); ok && len(static) == 1 {
		a, err := lower.Axis(static[0], len(out))
		if err != nil {
			return nil, err
		}
		if static[0] < 0 {
			return nil, b.Errorf(tensor.InvalidArgument, "the axis %d must not be negative", static[0])
		}
		for i := range n {
			for k, d := range b.InShape(1 + i) {
				if k != a {
					if err := kit.RequireSame(b, d, out[k], "the sizes of other axes must be equal"); err != nil {
						return nil, err
					}
				}
			}
		}
		return func(i int) (outer, width, zero *sym.Expr) {
			s := out
			if i >= 0 {
				s = b.InShape(1 + i)
			}
			return sym.Product(s[:a]), sym.Product(s[a:]), sym.Zero
		}, nil
	}
	es, ok := b.Ints(0)
	if !ok || len(es) != 1 {
		return nil, b.Errorf(tensor.InvalidArgument, "the axis must be a scalar, not of the shape %v", b.InFact(0).Shape)
	}
	b.Check(shape.AtLeast, es[0], 0, "the axis")
	for k := range out {
		var ds []*sym.Expr
		for i := range n {
			ds = append(ds, b.InShape(1 + i)[k])
		}
		b.CallSizes(array.ConcatDim, []*sym.Expr{b.NewSizeK(0, k)}, es[0], len(out), k, ds)
	}
	return func(i int) (outer, width, zero *sym.Expr) {
		s, k := out, lower.ExtraSize
		if i >= 0 {
			s, k = b.InShape(1+i), lower.ExtraSize+3*(i+1)
		}
		r := []*sym.Expr{b.NewSizeK(0, k), b.NewSizeK(0, k+1), b.NewSizeK(0, k+2)}
		b.CallSizes(array.AxisSplit, r, es[0], s)
		return r[0], r[1].Mul(r[2]), sym.Zero
	}, nil
}

func quantShrinkLower(b *lower.Builder) error {
	b.Call(quant.Shrink, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), b.In(2))
	return nil
}

func requantizeShape(c *lower.Shaper) error {
	c.Set(0, c.Node.DType("out_type"), c.Shape(0))
	setRange(c, 1)
	return kit.Scalars(c, 1, 5)
}

func requantizeLower(b *lower.Builder) error {
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, quant.RequantizeU8, quant.RequantizeI8)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4))
	return nil
}

func quantRangeShape(c *lower.Shaper) error {
	setRange(c, 0)
	return kit.Scalars(c, 1, 3)
}

func quantRangeLower(b *lower.Builder) error {
	b.Call(quant.Range, b.Out(0), b.Out(1), b.In(0), b.In(1), b.In(2))
	return nil
}

// channelsShape infers the shapes of the outputs of RequantizePerChannel and
// RequantizationRangePerChannel. The data has the layout NHWC; each channel has one minimum and one
// maximum.
func channelsShape(c *lower.Shaper) error {
	s, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		v, err := c.WithRank(i, 1)
		if err != nil {
			return err
		}
		if s.Known && v.Known && lower.Differ(s.Dims[3], v.Dims[0]) {
			return tensor.Errorf(tensor.InvalidArgument, "%v values for %v channels", v.Dims[0], s.Dims[3])
		}
	}
	if c.Node.Op == "RequantizationRangePerChannel" {
		setRange(c, 0)
		return nil
	}
	c.Set(0, c.Node.DType("out_type"), s)
	setRange(c, 1)
	return kit.Scalars(c, 3, 5)
}

// channels returns the kernel parameters of an op on data in which each channel has a separate
// range.
func channels(b *lower.Builder, clip float32) (plan.Struct, error) {
	c := b.InShape(0)[3]
	for i := 1; i < 3; i++ {
		if err := kit.RequireSame(b, b.InLen(i), c, "there must be one value for each channel"); err != nil {
			return plan.Struct{}, err
		}
	}
	return plan.Lit(quant.ChannelParams{Clip: clip}, "C", c), nil
}

func requantizeChannelsLower(b *lower.Builder) error {
	p, err := channels(b, 0)
	if err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, quant.RequantizePerChannelU8, quant.RequantizePerChannelI8)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), p)
	return nil
}

func rangeChannelsLower(b *lower.Builder) error {
	p, err := channels(b, b.Node.Float("clip_value_max"))
	if err != nil {
		return err
	}
	b.Call(quant.RangePerChannel, b.Out(0), b.Out(1), b.In(0), b.In(1), b.In(2), p)
	return nil
}

func quantInstanceShape(c *lower.Shaper) error {
	if lo, hi := c.Node.Float("given_y_min"), c.Node.Float("given_y_max"); c.Node.Bool("output_range_given") && !(lo < hi) {
		return tensor.Errorf(tensor.InvalidArgument, "given_y_min %v must be less than given_y_max %v", lo, hi)
	}
	s, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	c.Set(0, tensor.QUint8, s)
	setRange(c, 1)
	return kit.Scalars(c, 1, 3)
}

func quantInstanceLower(b *lower.Builder) error {
	s := b.InShape(0)
	p := plan.Lit(quant.InstanceParams{Epsilon: b.Node.Float("variance_epsilon"), Least: b.Node.Float("min_separation"),
		Given: b.Node.Bool("output_range_given"), GivenLo: b.Node.Float("given_y_min"), GivenHi: b.Node.Float("given_y_max")},
		"N", s[0], "Pixels", s[1].Mul(s[2]), "C", s[3])
	b.Call(quant.InstanceNorm, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1), b.In(2),
		kit.Scratch(b, tensor.Float32, quant.InstanceScratchLen, p), p)
	return nil
}

// quantBatchShape infers the shapes of the outputs of QuantizedBatchNormWithGlobalNormalization.
// The inputs are t, m, v, beta and gamma; each is followed by the minimum and the maximum of its
// range.
func quantBatchShape(c *lower.Shaper) error {
	s, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	for i := range 5 {
		if i > 0 {
			v, err := c.WithRank(3*i, 1)
			if err != nil {
				return err
			}
			if s.Known && v.Known && lower.Differ(s.Dims[3], v.Dims[0]) {
				return tensor.Errorf(tensor.InvalidArgument, "%v values for %v channels", v.Dims[0], s.Dims[3])
			}
		}
		if err := kit.Scalars(c, 3*i+1, 3*i+3); err != nil {
			return err
		}
	}
	c.Set(0, tensor.QInt32, s)
	setRange(c, 1)
	return nil
}

func quantBatchLower(b *lower.Builder) error {
	c := b.InShape(0)[3]
	ranges := b.Temp(tensor.Float32, sym.Int(10))
	for i := range 5 {
		if i > 0 {
			if err := kit.RequireSame(b, b.InLen(3*i), c, "there must be one value for each channel"); err != nil {
				return err
			}
		}
		b.Call(quant.Gather1, ranges, b.In(3*i+1), 2*i)
		b.Call(quant.Gather1, ranges, b.In(3*i+2), 2*i+1)
	}
	if err := kit.AtLeast(b, c, 2, "the number of channels"); err != nil {
		return err
	}
	p := plan.Lit(quant.BatchParams{Epsilon: b.Node.Float("variance_epsilon"), Scale: b.Node.Bool("scale_after_normalization")}, "C", c)
	b.Call(quant.BatchNorm, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(3), b.In(6), b.In(9), b.In(12), ranges,
		b.Temp(tensor.Int32, c.MulInt(2)), p)
	return nil
}

func quantResizeShape(c *lower.Shaper) error {
	if err := imageops.ResizeShape(c); err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, c.Node.Outs[0].Shape)
	setRange(c, 1)
	return kit.Scalars(c, 2, 4)
}

func quantResizeLower(b *lower.Builder) error {
	if _, err := imageops.Resize(b); err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.InFact(0).DType, quant.ResizeU8, quant.ResizeI32)
	if err != nil {
		return err
	}
	in, out := b.InShape(0), b.OutShape(0)
	b.Call(fn, b.Out(0), b.In(0), plan.Lit(quant.ResizeParams{AlignCorners: b.Node.Bool("align_corners"), HalfPixels: b.Node.Bool("half_pixel_centers")},
		"N", in[0], "H", in[1], "W", in[2], "C", in[3], "OH", out[1], "OW", out[2]))
	b.Call(quant.CopyRange, b.Out(1), b.Out(2), b.In(2), b.In(3))
	return nil
}
