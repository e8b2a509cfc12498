package train

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/cluster"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// clusterDefs describes isotonic regression, the search for nearest neighbours, and ops that choose
// the initial centres for k-means.
var clusterDefs = []*lower.Def{
	{Name: "IsotonicRegression", Types: map[string][]tensor.DType{"T": {tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Int8, tensor.Int16,
		tensor.Int32, tensor.Int64}, "output_dtype": kit.FloatTypes}, Shape: isotonicShape, Lower: isotonicLower},
	{Name: "NearestNeighbors", Shape: neighborsShape, Lower: neighborsLower},
	{Name: "KmeansPlusPlusInitialization", Shape: kmeansShape, Lower: kmeansLower},
	{Name: "KMC2ChainInitialization", Shape: kmc2Shape, Lower: kmc2Lower},
}

// isotonicShape infers the shapes of the outputs of IsotonicRegression. If the input has a float
// type, output 0 has the same type. Output 0 is float32 for an int8 or int16 input, and float64 for
// an int32 or int64 input.
func isotonicShape(c *lower.Shaper) error {
	out := c.Node.DType("output_dtype")
	want := c.In(0).DType
	switch want {
	case tensor.Int8, tensor.Int16:
		want = tensor.Float32
	case tensor.Int32, tensor.Int64:
		want = tensor.Float64
	}
	if out != want {
		return tensor.Errorf(tensor.InvalidArgument, "no CPU kernel accepts %s with output_dtype %s: it must be %s", c.In(0).DType, out, want)
	}
	c.Set(0, out, c.Shape(0))
	c.Set(1, tensor.Int32, c.Shape(0))
	return nil
}

func isotonicLower(b *lower.Builder) error {
	s := b.InShape(0)
	n := sym.One
	if len(s) > 0 {
		n = s[len(s)-1]
	}
	fn, err := kit.KernelThird(b, b.InFact(0).DType, cluster.IsotonicF32, cluster.IsotonicF64, cluster.IsotonicF16, cluster.IsotonicBF16,
		cluster.IsotonicI8, cluster.IsotonicI16, cluster.IsotonicI32, cluster.IsotonicI64)
	if err != nil {
		return err
	}
	work := tensor.Float32
	if b.OutFact(0).DType == tensor.Float64 {
		work = tensor.Float64
	}
	b.Call(fn, b.Out(0), b.Out(1), b.In(0), b.Temp(work, n.MulInt(2)), b.Temp(tensor.Int32, n), n)
	return nil
}

// matrices returns an error unless inputs 0 to n-1 are matrices and all later inputs are scalars.
func matrices(c *lower.Shaper, n int) error {
	for i := range c.NumIn() {
		rank := 2
		if i >= n {
			rank = 0
		}
		if _, err := c.WithRank(i, rank); err != nil {
			return err
		}
	}
	return nil
}

// neighborsShape infers the shapes of the outputs of NearestNeighbors. The inputs are points,
// centers and k.
func neighborsShape(c *lower.Shaper) error {
	if err := matrices(c, 2); err != nil {
		return err
	}
	out, p := ir.Shape{}, c.Shape(0)
	if q := c.Shape(1); p.Known && q.Known && lower.Differ(p.Dims[1], q.Dims[1]) {
		return tensor.Errorf(tensor.InvalidArgument, "the points %v and the centers %v have different dimensions", p, q)
	}
	if p.Known {
		if p.Dims[0].Is(0) {
			return tensor.Errorf(tensor.InvalidArgument, "the points are empty: %v", p)
		}
		out = ir.ShapeOf(p.Dims[0], c.NewSize(0))
	}
	c.Set(0, tensor.Int64, out)
	c.Set(1, tensor.Float32, out)
	return nil
}

func neighborsLower(b *lower.Builder) error {
	p, q := b.InShape(0), b.InShape(1)
	if err := kit.RequireSame(b, p[1], q[1], "points and centers must have the same dimensions"); err != nil {
		return err
	}
	if err := kit.AtLeast(b, p[0], 1, "the number of points"); err != nil {
		return err
	}
	k := b.NewSize(0)
	b.CallSizes(cluster.Neighbors, []*sym.Expr{k}, b.In(2), q[0])
	b.Call(cluster.Nearest, b.Out(0), b.Out(1), b.In(0), b.In(1), b.Temp(tensor.Float32, q[0]), b.Temp(tensor.Int32, q[0]),
		plan.Lit(cluster.NeighborParams{}, "Points", p[0], "Centers", q[0], "Dims", p[1], "K", k))
	return nil
}

// kmeansShape infers the shape of the output of KmeansPlusPlusInitialization. The inputs are
// points, num_to_sample, seed and num_retries_per_sample.
func kmeansShape(c *lower.Shaper) error {
	if err := matrices(c, 1); err != nil {
		return err
	}
	out := ir.Shape{}
	if p := c.Shape(0); p.Known {
		out = ir.ShapeOf(c.NewSize(0), p.Dims[1])
	}
	c.Set(0, tensor.Float32, out)
	return nil
}

func kmeansLower(b *lower.Builder) error {
	p, n := b.InShape(0), b.NewSize(0)
	b.CallSizes(random.Samples, []*sym.Expr{n}, b.In(1), p[0])
	q := plan.Lit(random.KMeansParams{}, "Points", p[0], "Dims", p[1], "Samples", n)
	b.Call(random.KMeansPlusPlus, b.Out(0), b.In(0), b.In(2), b.In(3), b.Temp(tensor.Float32, p[0].MulInt(5)), b.Temp(tensor.Bool, p[0]), q)
	return nil
}

// kmc2Shape infers the shape of the output of KMC2ChainInitialization, which is a scalar. The
// inputs are distances and a seed.
func kmc2Shape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 1); err != nil {
		return err
	}
	if _, err := c.WithRank(1, 0); err != nil {
		return err
	}
	c.Set(0, tensor.Int64, ir.ShapeOf())
	return nil
}

func kmc2Lower(b *lower.Builder) error {
	b.Call(random.ChainKMC2, b.Out(0), b.In(0), b.In(1))
	return nil
}
