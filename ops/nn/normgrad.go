package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var normGradDefs = []*lower.Def{
	{Name: "FusedBatchNormGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32}}, Shape: batchNormGradShape, Lower: batchNormGradLower},
	{Name: "FusedBatchNormGradV2", Types: map[string][]tensor.DType{"T": normTypes, "U": {tensor.Float32}}, Shape: batchNormGradShape, Lower: batchNormGradLower},
	{Name: "FusedBatchNormGradV3", Types: map[string][]tensor.DType{"T": normTypes, "U": {tensor.Float32}}, Shape: batchNormGradShape, Lower: batchNormGradLower},
	{Name: "LRNGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Half}}, Shape: lrnGradShape, Lower: lrnGradLower},
}

// batchNormGradShape infers the shapes of the outputs of FusedBatchNormGrad and its variants. The
// inputs are y_backprop, x, scale, and the statistics that the forward op has saved. The outputs
// are the gradients with respect to x, scale and offset, and two empty vectors.
func batchNormGradShape(c *lower.Shaper) error {
	x := c.Shape(1)
	if x.Known && len(x.Dims) != 4 && len(x.Dims) != 5 {
		return tensor.Errorf(tensor.InvalidArgument, "x has the shape %v; rank 4 or 5 is required", x)
	}
	for i := 2; i < 5; i++ {
		if _, err := c.WithRank(i, 1); err != nil {
			return err
		}
	}
	if dy := c.Shape(0); dy.Known && x.Known && len(dy.Dims) != len(x.Dims) {
		return tensor.Errorf(tensor.InvalidArgument, "x and y_backprop must have the same shape, but x has %v and y_backprop %v", x, dy)
	}
	u := c.In(2).DType
	c.Same(0, 1)
	channels := c.Shape(2)
	if x.Known {
		f, err := batchNormFormat(c.Node, len(x.Dims))
		if err != nil {
			return err
		}
		channels = ir.ShapeOf(x.Dims[f.Channels])
	}
	c.Set(1, u, channels)
	c.Set(2, u, channels)
	for i := 3; i < 5; i++ {
		zero, err := tensor.New(u, []int{0}, 1<<10)
		if err != nil {
			return err
		}
		c.Node.Outs[i] = ir.ConstFact(zero)
	}
	return nil
}

// batchNormGradParams returns the parameters of x and checks the other inputs.
func batchNormGradParams(b *lower.Builder) (plan.Struct, error) {
	q, err := channelParams(b, b.InShape(1))
	if err != nil {
		return q, err
	}
	if err := kit.RequireSame(b, b.InLen(0), b.InLen(1), "y_backprop must have the shape of x"); err != nil {
		return q, err
	}
	for i := 2; i < 5; i++ {
		if err := kit.RequireSame(b, b.InLen(i), q.Fields["C"][0], "scale and statistics must have one value for each channel"); err != nil {
			return q, err
		}
	}
	return q, nil
}

func batchNormGradLower(b *lower.Builder) error {
	q, err := batchNormGradParams(b)
	if err != nil {
		return err
	}
	dy, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	xs, err := kit.InF32(b, 1)
	if err != nil {
		return err
	}
	dx, done := kit.OutF32(b, 0)
	b.Call(norm.GradF32, dx, b.Out(1), b.Out(2), dy, xs, b.In(2), b.In(3), b.In(4), b.Node.Bool("is_training"), q)
	for i := 3; i < 5; i++ {
		if b.OutUsed(i) {
			out := b.Out(i)
			b.Copy(out, b.Const("", &tensor.Tensor{DType: out.Buf.DType, Shape: tensor.Shape{0}, Data: tensor.MakeSlice(out.Buf.DType, 0)}))
		}
	}
	return done()
}

func lrnGradShape(c *lower.Shaper) error {
	if err := lrnRadius(c.Node); err != nil {
		return err
	}
	for i := range 3 {
		if _, err := c.WithRank(i, 4); err != nil {
			return err
		}
	}
	c.Same(0, 0)
	return nil
}

// lrnGradLower lowers LRNGrad. The inputs are input_grads, input_image and output_image.
func lrnGradLower(b *lower.Builder) error {
	s := b.InShape(0)
	for i := 1; i < 3; i++ {
		if err := kit.RequireSame(b, b.InLen(i), b.InLen(0), "the inputs must have the same shape"); err != nil {
			return err
		}
	}
	var ins [3]plan.View
	for i := range ins {
		v, err := kit.InF32(b, i)
		if err != nil {
			return err
		}
		ins[i] = v
	}
	out, done := kit.OutF32(b, 0)
	b.Call(norm.LRNGradF32, out, ins[0], ins[1], ins[2], plan.Lit(norm.LRNParams{Radius: b.Node.Int("depth_radius"),
		Bias: b.Node.Float("bias"), Alpha: b.Node.Float("alpha"), Beta: b.Node.Float("beta")}, "Rows", sym.Product(s[:3]), "C", s[3]))
	return done()
}
