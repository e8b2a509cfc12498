package nn

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var normTypes = []tensor.DType{tensor.Float32, tensor.Half, tensor.BFloat16}

var normDefs = []*lower.Def{
	{Name: "FusedBatchNorm", Types: map[string][]tensor.DType{"T": {tensor.Float32}}, Shape: batchNormShape, Lower: batchNormLower},
	{Name: "FusedBatchNormV2", Types: map[string][]tensor.DType{"T": normTypes, "U": {tensor.Float32}}, Shape: batchNormShape, Lower: batchNormLower},
	{Name: "FusedBatchNormV3", Types: map[string][]tensor.DType{"T": normTypes, "U": {tensor.Float32}},
		Shape: batchNormShape, Lower: batchNormLower},
	{Name: "_FusedBatchNormEx", Types: map[string][]tensor.DType{"T": normTypes, "U": {tensor.Float32}}, Limits: "is_training must be false",
		Shape: batchNormShape, Lower: batchNormLower},
	{Name: "BatchNormWithGlobalNormalization", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: globalNormShape, Lower: globalNormLower},
	{Name: "BatchNormWithGlobalNormalizationGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half}},
		Shape: globalNormGradShape, Lower: globalNormGradLower},
	{Name: "LRN", Types: map[string][]tensor.DType{"T": normTypes}, Shape: lrnShape, Lower: lrnLower},
}

// batchNormFormat returns the format of x, which has rank 4 or 5.
func batchNormFormat(n *ir.Node, rank int) (kit.Format, error) { return formatOf(n, rank-2) }

// batchNormShape infers the shapes of the outputs of FusedBatchNorm and its variants. Output 0 is
// the normalised x. The next outputs are statistics with one value for each channel.
func batchNormShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if x.Known && len(x.Dims) != 4 && len(x.Dims) != 5 {
		return tensor.Errorf(tensor.InvalidArgument, "x has the shape %v; rank 4 or 5 is required", x)
	}
	u := c.In(1).DType
	channels := (*sym.Expr)(nil)
	if x.Known {
		f, err := batchNormFormat(c.Node, len(x.Dims))
		if err != nil {
			return err
		}
		channels = x.Dims[f.Channels]
	}
	for i := 1; i < min(c.NumIn(), 5); i++ {
		s, err := c.WithRank(i, 1)
		if err != nil {
			return err
		}
		if !s.Known || i > 2 && c.Node.Bool("is_training") {
			continue // in training, the inputs mean and variance may be empty, or are ignored
		}
		if channels == nil {
			channels = s.Dims[0]
		}
		if lower.Differ(channels, s.Dims[0]) {
			return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v, but x has %v channels", i, s, channels)
		}
	}
	c.Same(0, 0)
	for i := 1; i < len(c.Node.Outs); i++ {
		switch {
		case i == 5:
			c.Set(i, u, ir.ShapeOf())
		case channels == nil:
			c.Set(i, u, ir.Shape{})
		default:
			c.Set(i, u, ir.ShapeOf(channels))
		}
	}
	return nil
}

// channelParams returns the kernel parameters of a batch normalisation whose input has the
// dimensions x. The node's attributes epsilon and exponential_avg_factor are among them.
func channelParams(b *lower.Builder, x []*sym.Expr) (plan.Struct, error) {
	f, err := batchNormFormat(b.Node, len(x))
	if err != nil {
		return plan.Struct{}, err
	}
	outer, inner := sym.Product(x[:len(x)-1]), sym.One
	if f.First() {
		outer, inner = x[0], sym.Product(x[2:])
	}
	p := norm.Params{Epsilon: b.Node.Float("epsilon"), Factor: 1}
	if v, ok := b.Node.Attrs["exponential_avg_factor"].(float32); ok {
		p.Factor = v
	}
	return plan.Lit(p, "Outer", outer, "C", x[f.Channels], "Inner", inner), nil
}

// batchNormParams returns the kernel parameters of a batch normalisation. It checks that scale and
// offset, and mean and variance if they are used, have one value for each channel.
func batchNormParams(b *lower.Builder) (plan.Struct, error) {
	q, err := channelParams(b, b.InShape(0))
	if err != nil {
		return q, err
	}
	for i := 1; i < 5; i++ {
		if i > 2 && b.Node.Bool("is_training") && q.V.(norm.Params).Factor == 1 {
			continue
		}
		if err := kit.RequireSame(b, b.InLen(i), q.Fields["C"][0], "scale, offset, mean and variance must have one value for each channel"); err != nil {
			return q, err
		}
	}
	return q, nil
}

// batchNormLower lowers FusedBatchNorm and its variants. In training, outputs 1 and 2 are mean and
// variance of the batch; if exponential_avg_factor is not 1, they are averages with the previous
// mean and variance, which are inputs 3 and 4. In inference, outputs 1 and 2 are equal to inputs 3
// and 4. Outputs 3 and 4 hold the statistics that the gradient op needs.
func batchNormLower(b *lower.Builder) error {
	q, err := batchNormParams(b)
	if err != nil {
		return err
	}
	c, training := q.Fields["C"][0], b.Node.Bool("is_training")
	d, u := b.InFact(0).DType, b.InFact(1).DType
	if !training {
		if b.OutUsed(0) {
			fn, err := kit.KernelFor(b, d, norm.InferF32, norm.InferF16, norm.InferBF16)
			if err != nil {
				return err
			}
			kit.Normalise(b, fn, b.Out(0), b.In(0), [4]plan.View{b.In(1), b.In(2), b.In(3), b.In(4)}, u, q)
			if b.Node.Op == "_FusedBatchNormEx" {
				if err := batchNormEx(b, d, c); err != nil {
					return err
				}
			}
		}
		for i := 1; i < 5; i++ {
			if b.OutUsed(i) {
				b.Alias(i, 3+(i-1)%2)
			}
		}
		reserve3(b)
		return nil
	}
	if b.Node.Op == "_FusedBatchNormEx" {
		return b.Errorf(tensor.Unimplemented, "is_training must be false")
	}
	fn, err := kit.KernelFor(b, d, norm.TrainF32, norm.TrainF16, norm.TrainBF16)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), b.Out(1), b.Out(2), b.Out(3), b.Out(4), b.Temp(u, c), q)
	reserve3(b)
	return nil
}

// reserve3 sets output 5, reserve_space_3, to zero. Only TensorFlow's GPU kernels use this output.
func reserve3(b *lower.Builder) {
	if len(b.Node.Outs) > 5 && b.OutUsed(5) {
		out := b.Out(5)
		b.Copy(out, b.Const("", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{}, Data: []float32{0}}).At(sym.Zero, out.Len))
	}
}

// batchNormEx appends the calls that _FusedBatchNormEx makes after the normalisation: they add the
// side input, if there is one, and apply the activation function.
func batchNormEx(b *lower.Builder, d tensor.DType, c *sym.Expr) error {
	var e kit.Epilogue
	if err := batchNormExtra(b, &e); err != nil {
		return err
	}
	return e.Separate(b, b.Out(0), d, c)
}

// batchNormExtra sets two fields of e: Res to the side input, if the node has one, and After to the
// activation function in attribute activation_mode.
func batchNormExtra(b *lower.Builder, e *kit.Epilogue) error {
	if b.Node.Int("num_side_inputs") > 0 {
		v := b.Source(5)
		if err := kit.RequireSame(b, v.Len, b.OutLen(0), "the side input must have the shape of x"); err != nil {
			return err
		}
		e.Res = &v
	}
	switch a := b.Node.Str("activation_mode"); a {
	case "", "Identity":
	case "Relu":
		e.After = norm.Relu
	default:
		return b.Errorf(tensor.Unimplemented, "activation_mode %q", a)
	}
	return nil
}

func globalNormShape(c *lower.Shaper) error {
	if _, err := globalNorm(c, 5); err != nil {
		return err
	}
	c.Same(0, 0)
	return nil
}

// globalNorm checks t, which has rank 4, and the vectors in inputs [1, end), which have one value
// for each channel.
func globalNorm(c *lower.Shaper, end int) (ir.Shape, error) {
	if c.Graph.Producer >= 9 {
		return ir.Shape{}, tensor.Errorf(tensor.Unimplemented, "%s is deprecated since GraphDef version 9, but the graph has version %d", c.Node.Op, c.Graph.Producer)
	}
	s, err := c.WithRank(0, 4)
	if err != nil {
		return s, err
	}
	for i := 1; i < end; i++ {
		v, err := c.WithRank(i, 1)
		if err != nil {
			return s, err
		}
		if s.Known && v.Known && lower.Differ(v.Dims[0], s.Dims[3]) {
			return s, tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v, but t has %v channels", i, v, s.Dims[3])
		}
	}
	return s, nil
}

// globalNormGradShape infers the shapes of the outputs of BatchNormWithGlobalNormalizationGrad. The
// inputs are t, m, v, gamma and backprop. The outputs are dx, dm, dv, db and dg, the gradients with
// respect to t, m, v, beta and gamma.
func globalNormGradShape(c *lower.Shaper) error {
	s, err := globalNorm(c, 4)
	if err != nil {
		return err
	}
	dy, err := c.WithRank(4, 4)
	if err != nil {
		return err
	}
	for k := 0; s.Known && dy.Known && k < 4; k++ {
		if lower.Differ(s.Dims[k], dy.Dims[k]) {
			return tensor.Errorf(tensor.InvalidArgument, "backprop has the shape %v, but t %v", dy, s)
		}
	}
	c.Same(0, 0)
	for i := 1; i < 5; i++ {
		if c.UnknownShape(i, c.In(0).DType); s.Known {
			c.Set(i, c.In(0).DType, ir.ShapeOf(s.Dims[3]))
		}
	}
	return nil
}

// globalNormGradParams returns the kernel parameters for input t, and checks the other inputs.
func globalNormGradParams(b *lower.Builder) (plan.Struct, error) {
	x, dy := b.InShape(0), b.InShape(4)
	for k := range x {
		if err := kit.RequireSame(b, dy[k], x[k], "backprop must have t's shape"); err != nil {
			return plan.Struct{}, err
		}
	}
	for i := 1; i < 4; i++ {
		if err := kit.RequireSame(b, b.InLen(i), x[3], "m, v and gamma must have one value for each channel"); err != nil {
			return plan.Struct{}, err
		}
	}
	return globalParams(b, x), nil
}

func globalNormGradLower(b *lower.Builder) error {
	p, err := globalNormGradParams(b)
	if err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.InFact(0).DType, norm.GlobalGradF32, norm.GlobalGradF64, norm.GlobalGradF16)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.Out(3), b.Out(4), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4),
		kit.Writes(b.Temp(tensor.Float64, p.Fields["C"][0].MulInt(2))), p)
	return nil
}

// globalParams returns the parameters for images of shape x.
func globalParams(b *lower.Builder, x []*sym.Expr) plan.Struct {
	return plan.Lit(norm.GlobalParams{Epsilon: b.Node.Float("variance_epsilon"), Scale: b.Node.Bool("scale_after_normalization")},
		"Rows", sym.Product(x[:3]), "C", x[3])
}

// globalNormParams returns the kernel parameters for input t, and checks the other inputs.
func globalNormParams(b *lower.Builder) (plan.Struct, error) {
	x := b.InShape(0)
	for i := 1; i < 5; i++ {
		if err := kit.RequireSame(b, b.InLen(i), x[3], "m, v, beta and gamma must have one value for each channel"); err != nil {
			return plan.Struct{}, err
		}
	}
	return globalParams(b, x), nil
}

// globalNormLower lowers BatchNormWithGlobalNormalization. The inputs are t, m, v, beta and gamma.
// The values of gamma are used only if attribute scale_after_normalization is set.
func globalNormLower(b *lower.Builder) error {
	p, err := globalNormParams(b)
	if err != nil {
		return err
	}
	d := b.InFact(0).DType
	fn, err := kit.KernelFor(b, d, norm.GlobalF32, norm.GlobalF64, norm.GlobalF16, norm.GlobalBF16)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), p)
	return nil
}

func lrnShape(c *lower.Shaper) error {
	if err := lrnRadius(c.Node); err != nil {
		return err
	}
	s, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, s)
	return nil
}

// lrnRadius checks attribute depth_radius.
func lrnRadius(n *ir.Node) error {
	if r := n.Int("depth_radius"); r < 0 || r >= math.MaxInt32 {
		return tensor.Errorf(tensor.InvalidArgument, "depth_radius is %d; 0 to %d is required", r, math.MaxInt32-1)
	}
	return nil
}

// lrnLower lowers LRN. Each element is divided by (bias + alpha·s)^beta, where s is the sum of the
// squares of 2·depth_radius+1 neighbouring channels, with the element's channel in the middle.
func lrnLower(b *lower.Builder) error {
	s := b.InShape(0)
	fn, err := kit.KernelFor(b, b.InFact(0).DType, norm.LRNF32, norm.LRNF16, norm.LRNBF16)
	if err != nil {
		return err
	}
	q := plan.Lit(norm.LRNParams{Radius: b.Node.Int("depth_radius"), Bias: b.Node.Float("bias"), Alpha: b.Node.Float("alpha"), Beta: b.Node.Float("beta")},
		"Rows", plan.Count, "C", s[3])
	l := b.Par(sym.Product(s[:3]), lower.RowSplit(s[3], lower.CostExpensive))
	l.Call(fn, lower.Rows(b.Out(0), s[3]), lower.Rows(b.In(0), s[3]), q)
	return nil
}
