package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/pool"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var fractionalTypes = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}}

// fractionalDefs describes max and average pooling over regions of uneven sizes, and the gradients
// of these ops.
var fractionalDefs = []*lower.Def{
	{Name: "FractionalMaxPool", Flags: lower.NoFold, Types: fractionalTypes, Shape: fractionalShape, Lower: fractionalLower},
	{Name: "FractionalAvgPool", Flags: lower.NoFold, Types: fractionalTypes, Shape: fractionalShape, Lower: fractionalLower},
	{Name: "FractionalMaxPoolGrad", Types: fractionalTypes, Shape: fractionalMaxGradShape, Lower: fractionalMaxGradLower},
	{Name: "FractionalAvgPoolGrad", Types: fractionalTypes, Shape: fractionalAvgGradShape, Lower: fractionalAvgGradLower},
}

// ratios returns the four values of attribute pooling_ratio. Each must be at least 1; those for
// batch and channels must be 1. Only a deterministic op may have a seed.
func ratios(n *ir.Node) ([4]float32, error) {
	var r [4]float32
	l, _ := n.Attrs["pooling_ratio"].([]float32)
	if len(l) != 4 {
		return r, tensor.Errorf(tensor.InvalidArgument, "pooling_ratio has %d elements; 4 are required", len(l))
	}
	for i, v := range l {
		if !(v >= 1) {
			return r, tensor.Errorf(tensor.InvalidArgument, "pooling_ratio[%d] is %v; at least 1 is required", i, v)
		}
	}
	if l[0] != 1 || l[3] != 1 {
		return r, tensor.Errorf(tensor.Unimplemented, "pooling over the batch or the channels: pooling_ratio %v", l)
	}
	if !n.Bool("deterministic") && (n.Int("seed") != 0 || n.Int("seed2") != 0) {
		return r, tensor.Errorf(tensor.InvalidArgument, "seed and seed2 must be 0 if deterministic is false")
	}
	return [4]float32(l), nil
}

// fractionalShape infers the shapes of the outputs of FractionalMaxPool and FractionalAvgPool. The
// outputs are the pooled image, row_pooling_sequence and col_pooling_sequence. The last two are
// vectors with the boundaries of the regions.
func fractionalShape(c *lower.Shaper) error {
	in, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	ratio, err := ratios(c.Node)
	if err != nil {
		return err
	}
	out := ir.Shape{Known: true, Dims: make([]*sym.Expr, 4)}
	for i := range out.Dims {
		if in.Known && (i == 0 || i == 3) {
			out.Dims[i] = in.Dims[i]
			continue
		}
		out.Dims[i] = c.NewSizeK(0, i)
		if !in.Known {
			continue
		}
		if v, ok := in.Dims[i].IsInt(); ok {
			n, err := pool.FractionalSize(v, ratio[i])
			if err != nil {
				return err
			}
			out.Dims[i] = sym.Int(n)
		}
	}
	if in.Known && (in.Dims[0].Is(0) || in.Dims[3].Is(0)) {
		return tensor.Errorf(tensor.InvalidArgument, "the image has the shape %v, which is empty", in)
	}
	if !in.Known {
		out = ir.Shape{}
		c.Set(1, tensor.Int64, ir.ShapeOf(c.NewSize(1)))
		c.Set(2, tensor.Int64, ir.ShapeOf(c.NewSize(2)))
	} else {
		c.Set(1, tensor.Int64, ir.ShapeOf(out.Dims[1].AddInt(1)))
		c.Set(2, tensor.Int64, ir.ShapeOf(out.Dims[2].AddInt(1)))
	}
	c.Set(0, c.In(0).DType, out)
	return nil
}

// fractionalLower draws new regions in each run. With attribute deterministic, the seed gives the
// same regions in all runs.
func fractionalLower(b *lower.Builder) error {
	in, out := b.InShape(0), b.OutShape(0)
	ratio, err := ratios(b.Node)
	if err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if !kit.IsInt(out[i]) {
			b.CallSizes(pool.FractionalSize, []*sym.Expr{out[i]}, in[i], ratio[i])
		}
	}
	for _, i := range []int{0, 3} {
		if err := kit.AtLeast(b, in[i], 1, "the size of the batch and of the channels"); err != nil {
			return err
		}
	}
	stream := b.Temp(tensor.Uint64, sym.Int(random.StreamLen))
	b.Call(random.Start, stream, random.Params{Seed: int64(b.Node.Int("seed")), Seed2: int64(b.Node.Int("seed2"))})
	p := random.RegionParams{Pseudo: b.Node.Bool("pseudo_random")}
	b.Call(random.Regions, b.Out(1), stream, plan.Lit(p, "Input", in[1]))
	b.Call(random.Regions, b.Out(2), stream, plan.Lit(p, "Input", in[2]))
	kernels := []any{pool.FractionalMaxF32, pool.FractionalMaxF64, pool.FractionalMaxI32, pool.FractionalMaxI64}
	if b.Node.Op == "FractionalAvgPool" {
		kernels = []any{pool.FractionalAvgF32, pool.FractionalAvgF64, pool.FractionalAvgI32, pool.FractionalAvgI64}
	}
	fn, err := kit.KernelFor(b, b.InFact(0).DType, kernels...)
	if err != nil {
		return err
	}
	rows, cols := b.Out(1), b.Out(2)
	b.Call(fn, b.Out(0), b.In(0), kit.Reads(rows), kit.Reads(cols), fractional(b, in, out))
	return nil
}

func fractional(b *lower.Builder, in, out []*sym.Expr) plan.Struct {
	return plan.Lit(pool.FractionalParams{Overlap: b.Node.Bool("overlapping")}, "N", in[0], "H", in[1], "W", in[2], "C", in[3],
		"ON", out[0], "OH", out[1], "OW", out[2], "OC", out[3])
}

// fractionalMaxGradShape infers the shape of the output of FractionalMaxPoolGrad. The inputs are
// orig_input, orig_output, out_backprop and the two vectors with the boundaries of the regions.
func fractionalMaxGradShape(c *lower.Shaper) error {
	for i, rank := range []int{4, 4, 4, 1, 1} {
		if _, err := c.WithRank(i, rank); err != nil {
			return err
		}
	}
	c.Same(0, 0)
	return nil
}

func fractionalMaxGradLower(b *lower.Builder) error {
	fn, err := kit.KernelFor(b, b.InFact(0).DType, pool.FractionalMaxGradF32, pool.FractionalMaxGradF64, pool.FractionalMaxGradI32, pool.FractionalMaxGradI64)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), b.Temp(tensor.Int64, b.InLen(1)), fractional(b, b.InShape(0), b.InShape(1)))
	return nil
}

// fractionalAvgGradShape infers the shape of the output of FractionalAvgPoolGrad. The inputs are
// the shape of the original input as a vector, out_backprop, and the two vectors with the
// boundaries of the regions.
func fractionalAvgGradShape(c *lower.Shaper) error {
	sizes, err := c.WithRank(0, 1)
	if err != nil {
		return err
	}
	if _, err := c.WithRank(1, 4); err != nil {
		return err
	}
	if sizes.Known && lower.Differ(sizes.Dims[0], sym.Int(4)) {
		return tensor.Errorf(tensor.InvalidArgument, "the original input's shape has %v elements; 4 are required", sizes.Dims[0])
	}
	out := ir.Shape{}
	if es := imageSizes(c.Graph, c.Node, 4); len(es) == 4 {
		for _, e := range es {
			if v, ok := e.IsInt(); ok && v < 0 {
				return tensor.Errorf(tensor.InvalidArgument, "the original input's shape has the dimension %d", v)
			}
		}
		out = ir.ShapeOf(es...)
	}
	c.Set(0, c.In(1).DType, out)
	return nil
}

func fractionalAvgGradLower(b *lower.Builder) error {
	if err := kit.RequireSame(b, b.InLen(0), sym.Int(4), "the original input's shape must have 4 elements"); err != nil {
		return err
	}
	out := b.OutShape(0)
	for _, d := range out {
		if err := kit.AtLeast(b, d, 0, "a dimension of the original input"); err != nil {
			return err
		}
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, pool.FractionalAvgGradF32, pool.FractionalAvgGradF64, pool.FractionalAvgGradI32, pool.FractionalAvgGradI64)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(1), b.In(2), b.In(3), b.Temp(tensor.Float64, b.OutLen(0)), fractional(b, out, b.InShape(1)))
	return nil
}
