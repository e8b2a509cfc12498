package quant

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	linalgops "github.com/graphc/graphc/ops/linalg"
	nnops "github.com/graphc/graphc/ops/nn"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
	"google.golang.org/protobuf/encoding/protowire"
)

// quantFusedDefs are sums and convolutions of uniformly quantized integers. TensorFlow's other
// fused quantized products and convolutions (QuantizedConv2DWithBias and similar,
// QuantizedConcatV2) exist for oneDNN's kernels only: their plain kernels fail when they run.
var quantFusedDefs = []*lower.Def{
	{Name: "UniformQuantizedAdd", Types: typed(qint32, "T"), Limits: "at most 8 dimensions", Shape: uniformAddShape, Lower: uniformAddLower},
	{Name: "UniformQuantizedConvolution", Flags: lower.Expensive, Types: kit.WithTypes(typed(qint8, "Tin"), "Tout", qint32), Limits: "at most 4 dimensions of space",
		Shape: uniformConvShape, Lower: uniformConvLower},
	{Name: "UniformQuantizedConvolutionHybrid", Flags: lower.Expensive, Types: map[string][]tensor.DType{"Tlhs": {tensor.Float32}, "Trhs": qint8, "Tout": {tensor.Float32}},
		Limits: "at most 4 dimensions of space", Shape: uniformConvShape, Lower: uniformConvLower},
}

// uniformAddShape infers the shape of the output of UniformQuantizedAdd. The operands lhs and rhs
// are broadcast. If both an operand and the result have scales along an axis, it must be the same
// axis, counted from the last one.
func uniformAddShape(c *lower.Shaper) error {
	out, err := lower.BroadcastShapes(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	axes := []int{c.Node.Int("lhs_quantization_axis"), c.Node.Int("rhs_quantization_axis"), c.Node.Int("output_quantization_axis")}
	for i, s := range []ir.Shape{c.Shape(0), c.Shape(1), out} {
		if err := scaled(c, s, 2+2*i, axes[i]); err != nil {
			return err
		}
		if s.Known && out.Known && axes[i] >= 0 && axes[2] >= 0 && len(s.Dims)-axes[i] != len(out.Dims)-axes[2] {
			return tensor.Errorf(tensor.InvalidArgument, "the axes of scales %v do not fit for the shapes %v, %v, %v", axes, c.Shape(0), c.Shape(1), out)
		}
	}
	c.Set(0, c.In(0).DType, out)
	return nil
}

// sliceParams returns the kernel parameters for a tensor of shape s that is divided into slices
// along an axis. If the axis is -1, the whole tensor is one slice.
func sliceParams(s []*sym.Expr, axis int) plan.Struct {
	if axis < 0 {
		return plan.Lit(quant.Uniform{}, "Outer", sym.One, "Slices", sym.One, "Inner", sym.Product(s))
	}
	return plan.Lit(quant.Uniform{}, "Outer", sym.Product(s[:axis]), "Slices", s[axis], "Inner", sym.Product(s[axis+1:]))
}

// uniformAddLower first converts both operands to the result's scale. If rhs has no quantization
// axis, the result's quantization axis is used for rhs, as in TensorFlow.
func uniformAddLower(b *lower.Builder) error {
	out := b.OutShape(0)
	if len(out) > quant.AddDims {
		return b.Errorf(tensor.Unimplemented, "%d dimensions; %d are supported", len(out), quant.AddDims)
	}
	axis := b.Node.Int("output_quantization_axis")
	axes := []int{b.Node.Int("lhs_quantization_axis"), b.Node.Int("rhs_quantization_axis"), axis}
	for i, s := range [][]*sym.Expr{b.InShape(0), b.InShape(1), out} {
		for k := 2 + 2*i; k < 4+2*i && axes[i] >= 0; k++ {
			if err := kit.RequireSame(b, b.InLen(k), s[axes[i]], "there must be one scale and zero point for each slice"); err != nil {
				return err
			}
		}
	}
	var operands [2]plan.View
	for i := range operands {
		s, a := b.InShape(i), axes[i]
		if i == 1 && a < 0 && axis >= 0 {
			if a = axis; a >= len(s) {
				return b.Errorf(tensor.InvalidArgument, "rhs has the shape %v and no axis %d", b.InFact(1).Shape, a)
			}
		}
		t := b.Temp(tensor.QInt32, b.InLen(i))
		b.Call(quant.UniformRescale, kit.Writes(t), b.In(i), b.In(2+2*i), b.In(3+2*i), b.In(6), sliceParams(s, a))
		operands[i] = kit.Reads(t)
	}
	steps := func(s []*sym.Expr) []*sym.Expr {
		r, step := make([]*sym.Expr, len(out)), sym.One
		for d := len(out) - 1; d >= 0; d-- {
			r[d] = sym.Zero
			if k := d - len(out) + len(s); k >= 0 {
				if r[d] = step; !s[k].Equal(out[d]) {
					r[d] = linalgops.BatchStride(s[k], out[d], step)
				}
				step = step.Mul(s[k])
			}
		}
		return r
	}
	for k, s := range [][]*sym.Expr{b.InShape(0), b.InShape(1)} {
		for i, d := range s {
			if o := out[len(out)-len(s)+i]; !d.Equal(o) && !d.Is(1) && k == 0 {
				b.Check(shape.Broadcastable, d, dimFromEnd(b, 1, len(s)-i))
			}
		}
	}
	q := plan.Lit(quant.UniformAddParams{Dims: len(out), Axis: axis, Lo: b.Node.Int("output_quantization_min_val"), Hi: b.Node.Int("output_quantization_max_val")},
		"D", out, "A", steps(b.InShape(0)), "B", steps(b.InShape(1)))
	b.Call(quant.UniformAdd, b.Out(0), operands[0], operands[1], b.In(7), q)
	return nil
}

// dimFromEnd returns the n-th dimension of input i from the end; n = 1 is the last dimension. It
// returns 1 if the input has fewer than n dimensions.
func dimFromEnd(b *lower.Builder, i, n int) *sym.Expr {
	if s := b.InShape(i); n <= len(s) {
		return s[len(s)-n]
	}
	return sym.One
}

// dimensionNumbers holds the positions of batch, channels and space in the image, the filter
// (output channels first) and the result.
type dimensionNumbers struct{ image, filter, out []int }

// dimensionNumbersOf parses attribute dimension_numbers, a
// UniformQuantizedConvolutionDimensionNumbersAttr. The default is batch, channels, space.
func dimensionNumbersOf(s string, rank int) (d dimensionNumbers, err error) {
	bad := func(what string) error {
		return tensor.Errorf(tensor.InvalidArgument, "dimension_numbers: %s (rank %d)", what, rank)
	}
	var n [10][]int
	for raw := []byte(s); len(raw) > 0; {
		num, typ, l := protowire.ConsumeTag(raw)
		if l < 0 {
			return d, bad("not a message")
		}
		raw = raw[l:]
		var values []uint64
		switch typ {
		case protowire.VarintType:
			v, l := protowire.ConsumeVarint(raw)
			if l < 0 {
				return d, bad("not a message")
			}
			values, raw = append(values, v), raw[l:]
		case protowire.BytesType:
			packed, l := protowire.ConsumeBytes(raw)
			if l < 0 {
				return d, bad("not a message")
			}
			raw = raw[l:]
			for num == 3 || num == 6 || num == 9 {
				v, l := protowire.ConsumeVarint(packed)
				if l < 0 {
					break
				}
				values, packed = append(values, v), packed[l:]
			}
		default:
			if l = protowire.ConsumeFieldValue(num, typ, raw); l < 0 {
				return d, bad("not a message")
			}
			raw = raw[l:]
		}
		for _, v := range values {
			switch {
			case num < 1 || num > 9:
			case num%3 == 0:
				if n[num] = append(n[num], int(int64(v))); len(n[num]) > rank {
					return d, bad("too many dimensions of space")
				}
			default:
				n[num] = []int{int(int64(v))}
			}
		}
	}
	if len(n[3]) == 0 {
		all := make([]int, rank)
		for i := range all {
			all[i] = i
		}
		return dimensionNumbers{all, all, all}, nil
	}
	one := func(num int) int {
		if len(n[num]) == 0 {
			return 0
		}
		return n[num][0]
	}
	d.image = append([]int{one(1), one(2)}, n[3]...)
	d.filter = append([]int{one(5), one(4)}, n[6]...)
	d.out = append([]int{one(7), one(8)}, n[9]...)
	for _, l := range [][]int{d.image, d.filter, d.out} {
		seen := make([]bool, rank)
		for _, v := range l {
			if v < 0 || v >= rank || seen[v] || len(l) != rank {
				return d, bad("they must be a permutation of all dimensions")
			}
			seen[v] = true
		}
	}
	return d, nil
}

// uniformConv describes a uniform convolution.
type uniformConv struct {
	dimensionNumbers
	p quant.UniformConvParams
	// The dimensions of the image (in) and of the result (o) are in the order batch, channels,
	// space. The dimensions of the filter (k) are in the order output channels, input channels,
	// space.
	in, k, o []*sym.Expr
	pad      []*sym.Expr
	result   []*sym.Expr
}

// uniformConvOf reads the sizes; ok is false if a shape is unknown.
func uniformConvOf(n *ir.Node) (u uniformConv, ok bool, err error) {
	image, filter := n.Ins[0].Fact().Shape, n.Ins[1].Fact().Shape
	padding := n.Str("padding")
	explicit := n.Ints("explicit_padding")
	switch {
	case padding != "SAME" && padding != "VALID" && padding != "EXPLICIT":
		return u, false, tensor.Errorf(tensor.InvalidArgument, "unknown padding %q", padding)
	case padding != "EXPLICIT" && len(explicit) != 0:
		return u, false, tensor.Errorf(tensor.InvalidArgument, "explicit_padding must be empty when padding is %s", padding)
	}
	if !image.Known || !filter.Known {
		return u, false, nil
	}
	rank := len(image.Dims)
	if rank != len(filter.Dims) || rank < 3 {
		return u, false, tensor.Errorf(tensor.InvalidArgument, "lhs %v and rhs %v must have the same rank, at least 3", image, filter)
	}
	space := rank - 2
	if space > quant.ConvDims {
		return u, false, tensor.Errorf(tensor.Unimplemented, "%d dimensions of space; %d are supported", space, quant.ConvDims)
	}
	if u.dimensionNumbers, err = dimensionNumbersOf(n.Str("dimension_numbers"), rank); err != nil {
		return u, false, err
	}
	for _, a := range []struct {
		name string
		to   *[quant.ConvDims]int
	}{{"window_strides", &u.p.Stride}, {"lhs_dilation", &u.p.DilIn}, {"rhs_dilation", &u.p.DilK}} {
		v := n.Ints(a.name)
		for i := range a.to {
			a.to[i] = 1
		}
		if len(v) == 0 {
			continue
		}
		if len(v) != space {
			return u, false, tensor.Errorf(tensor.InvalidArgument, "%s must have %d values, not %v", a.name, space, v)
		}
		if err := nnops.WindowInts(a.name, v); err != nil {
			return u, false, err
		}
		copy(a.to[:], v)
	}
	if padding == "EXPLICIT" && len(explicit) != 2*space {
		return u, false, tensor.Errorf(tensor.InvalidArgument, "explicit_padding must have %d values, not %v", 2*space, explicit)
	}
	for i := range u.image {
		u.in, u.k = append(u.in, image.Dims[u.image[i]]), append(u.k, filter.Dims[u.filter[i]])
	}
	u.p.ChannelGroups, u.p.BatchGroups, u.p.Dims = n.Int("feature_group_count"), n.Int("batch_group_count"), space
	if u.p.ChannelGroups < 1 || u.p.BatchGroups < 1 {
		return u, false, tensor.Errorf(tensor.InvalidArgument, "feature_group_count %d and batch_group_count %d must be positive", u.p.ChannelGroups, u.p.BatchGroups)
	}
	for _, c := range u.groups() {
		if lower.Differ(c.is, c.want) {
			return u, false, tensor.Errorf(tensor.InvalidArgument, "%s: lhs %v, rhs %v, %d and %d groups", c.what, image, filter, u.p.ChannelGroups, u.p.BatchGroups)
		}
	}
	u.o = []*sym.Expr{u.in[0].Div(sym.Int(u.p.BatchGroups)), u.k[0]}
	for i := range space {
		size := func(e *sym.Expr, dil int) *sym.Expr { return sym.Max(e.AddInt(-1).MulInt(dil).AddInt(1), sym.Zero) }
		in, k, s := size(u.in[2+i], u.p.DilIn[i]), size(u.k[2+i], u.p.DilK[i]), u.p.Stride[i]
		before, after := sym.Zero, sym.Zero
		switch padding {
		case "SAME":
			total := sym.Max(in.CeilDiv(sym.Int(s)).AddInt(-1).MulInt(s).Add(k).Sub(in), sym.Zero)
			before = total.Div(sym.Int(2))
			after = total.Sub(before)
		case "EXPLICIT":
			if v := explicit[2*i : 2*i+2]; v[0] < 0 || v[1] < 0 || nnops.WindowInts("explicit_padding", []int{v[0] + 1, v[1] + 1}) != nil {
				return u, false, tensor.Errorf(tensor.InvalidArgument, "explicit_padding must not be negative and fit 32 bits: %v", explicit)
			}
			before, after = sym.Int(explicit[2*i]), sym.Int(explicit[2*i+1])
		}
		out := in.Add(before).Add(after).Sub(k).AddInt(s).Div(sym.Int(s))
		if v, ok := out.IsInt(); ok && v < 0 {
			return u, false, tensor.Errorf(tensor.InvalidArgument, "the filter %v is larger than the image %v with its padding", filter, image)
		}
		u.o, u.pad = append(u.o, out), append(u.pad, before)
	}
	u.result = make([]*sym.Expr, rank)
	for i, at := range u.out {
		u.result[at] = u.o[i]
	}
	return u, true, nil
}

type sameSize struct {
	is, want *sym.Expr
	what     string
}

// groups returns the conditions for dividing channels or batch into groups. Each condition is a
// pair of sizes that must be equal.
func (u *uniformConv) groups() []sameSize {
	cg, bg := sym.Int(u.p.ChannelGroups), sym.Int(u.p.BatchGroups)
	return []sameSize{
		{u.in[1], u.k[1].Mul(cg), "the channels must be the filter's times the groups"},
		{u.k[0].Mod(cg), sym.Zero, "the output channels must be a multiple of the groups"},
		{u.in[0].Mod(bg), sym.Zero, "the batch must be a multiple of its groups"},
		{u.k[0].Mod(bg), sym.Zero, "the output channels must be a multiple of the batch's groups"},
	}
}

func uniformConvShape(c *lower.Shaper) error {
	u, ok, err := uniformConvOf(c.Node)
	if err != nil {
		return err
	}
	rhs, out := c.Node.Int("rhs_quantization_axis"), -1
	hybrid := c.Node.Op == "UniformQuantizedConvolutionHybrid"
	if !hybrid {
		out = c.Node.Int("output_quantization_axis")
		if x := c.Node.Int("lhs_quantization_axis"); x != -1 {
			return tensor.Errorf(tensor.InvalidArgument, "lhs_quantization_axis is %d; it must be -1", x)
		}
	}
	c.Set(0, c.Node.DType("Tout"), ir.Shape{})
	if !ok {
		return nil
	}
	if rhs != -1 && rhs != u.filter[0] || out != -1 && (out != u.out[1] || rhs == -1) {
		return tensor.Errorf(tensor.InvalidArgument, "rhs_quantization_axis is %d, output_quantization_axis %d: they must be -1 or the output channels, %d and %d, the latter only with the former",
			rhs, out, u.filter[0], u.out[1])
	}
	if u.k[1].Is(0) {
		return tensor.Errorf(tensor.InvalidArgument, "the filter %v has no input channels", c.Shape(1))
	}
	result := ir.ShapeOf(u.result...)
	c.Set(0, c.Node.DType("Tout"), result)
	if hybrid {
		return scaled(c, c.Shape(1), 2, rhs)
	}
	for i, x := range []struct {
		s    ir.Shape
		axis int
	}{{c.Shape(0), -1}, {c.Shape(1), rhs}, {result, out}} {
		if err := scaled(c, x.s, 2+2*i, x.axis); err != nil {
			return err
		}
	}
	return nil
}

func uniformConvLower(b *lower.Builder) error {
	u, ok, err := uniformConvOf(b.Node)
	if err != nil {
		return err
	}
	if !ok {
		return lower.UnknownRank(b.Node, 0)
	}
	if err := kit.AtLeast(b, u.k[1], 1, "the filter's input channels"); err != nil {
		return err
	}
	for _, c := range u.groups() {
		if err := kit.RequireSame(b, c.is, c.want, c.what); err != nil {
			return err
		}
	}
	for _, o := range u.o[2:] {
		if err := kit.AtLeast(b, o, 0, "the size of the result"); err != nil {
			return err
		}
	}
	hybrid := b.Node.Op == "UniformQuantizedConvolutionHybrid"
	for i := 2; i < b.NumIn(); i++ {
		if b.InFact(i).Shape.Rank() == 1 {
			if err := kit.RequireSame(b, b.InLen(i), u.k[0], "there must be one value for each output channel"); err != nil {
				return err
			}
		}
	}
	steps := func(s []*sym.Expr, order []int) []*sym.Expr {
		at := make([]*sym.Expr, len(s))
		step := sym.One
		for d := len(s) - 1; d >= 0; d-- {
			at[d] = step
			step = step.Mul(s[d])
		}
		r := make([]*sym.Expr, len(order))
		for i, d := range order {
			r[i] = at[d]
		}
		return r
	}
	u.p.Lo, u.p.Hi = b.Node.Int("output_quantization_min_val"), b.Node.Int("output_quantization_max_val")
	q := plan.Lit(u.p, "Batch", u.in[0], "OutBatch", u.o[0], "Channels", u.k[1], "OC", u.k[0], "In", u.in[2:], "K", u.k[2:], "Out", u.o[2:], "Pad", u.pad,
		"StepIn", steps(b.InShape(0), u.image), "StepK", steps(b.InShape(1), u.filter), "StepOut", steps(u.result, u.out))
	if hybrid {
		b.Call(quant.UniformConvHybrid, b.Out(0), b.In(0), b.In(1), b.In(2), b.In(3), b.Temp(tensor.Int8, b.InLen(0)),
			b.Temp(tensor.Float32, u.in[0].MulInt(2)), b.Temp(tensor.Int32, u.in[0]), q)
		return nil
	}
	b.Call(quant.UniformConv, b.Out(0), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), b.In(5), b.In(6), b.In(7), q)
	return nil
}
