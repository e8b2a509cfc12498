package random

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	linalgops "github.com/graphc/graphc/ops/linalg"
	mathops "github.com/graphc/graphc/ops/math"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

const drawn = lower.Stateful | lower.NoFold

// gammaDefs draw gamma, Poisson, binomial and truncated normal numbers. They are computed in
// float64 for all types, except truncated normal numbers, which are computed in their own type.
var gammaDefs = []*lower.Def{
	{Name: "RandomGamma", Level: lower.Reads, Flags: drawn, Types: kit.AttrTypes("T", kit.HalfFloats), Shape: drawsOfShape, Lower: distributedLower(random.Gamma, random.Gamma)},
	{Name: "RandomPoisson", Level: lower.Reads, Flags: drawn, Types: kit.AttrTypes("dtype", kit.HalfFloats), Shape: drawsOfShape, Lower: distributedLower(random.Poisson, random.PoissonWhole)},
	{Name: "RandomPoissonV2", Level: lower.Reads, Flags: drawn, Types: map[string][]tensor.DType{"R": kit.RateTypes, "dtype": kit.RateTypes}, Shape: drawsOfShape, Lower: distributedLower(random.Poisson, random.PoissonWhole)},
	{Name: "StatelessRandomGammaV2", Types: kit.AttrTypes("dtype", kit.FloatTypes), Shape: drawsInShape, Lower: distributedLower(random.Gamma, random.Gamma)},
	{Name: "StatelessRandomGammaV3", Types: kit.AttrTypes("dtype", kit.FloatTypes), Limits: "Philox only", Shape: drawsInShape, Lower: distributedLower(random.Gamma, random.Gamma)},
	{Name: "StatelessRandomPoisson", Types: map[string][]tensor.DType{"Rtype": kit.RateTypes, "dtype": kit.RateTypes}, Shape: drawsInShape, Lower: distributedLower(random.Poisson, random.PoissonWhole)},
	{Name: "StatelessRandomBinomial", Types: map[string][]tensor.DType{"T": kit.HalfFloats, "dtype": kit.RateTypes}, Shape: drawsInShape, Lower: binomialLower},
	{Name: "StatefulRandomBinomial", Flags: kit.Changes, Types: map[string][]tensor.DType{"T": kit.HalfFloats, "dtype": kit.RateTypes}, Limits: "Philox only", Shape: drawsInShape, Lower: binomialLower},
	{Name: "ParameterizedTruncatedNormal", Level: lower.Reads, Flags: drawn, Types: kit.AttrTypes("dtype", kit.HalfFloats), Shape: clippedRowsShape, Lower: clippedRowsLower},
	{Name: "StatelessParameterizedTruncatedNormal", Types: kit.AttrTypes("dtype", kit.HalfFloats), Shape: drawsInShape, Lower: clippedLower},
	{Name: "RandomGammaGrad", Types: kit.AttrTypes("T", kit.DoubleTypes), Shape: mathops.BinaryShape, Lower: gammaGradLower},
	{Name: "IgammaGradA", Types: kit.AttrTypes("T", kit.DoubleTypes), Shape: mathops.BinaryShape, Lower: gammaGradLower},
}

// drawing describes the inputs of an op that draws numbers from parameterized distributions. shape
// is the number of the input with the result's shape, and params are the numbers of the inputs with
// the parameters.
type drawing struct {
	shape    int
	params   []int
	seeds    Seeding
	resource bool
}

func drawingOf(n *ir.Node) drawing {
	switch n.Op {
	case "StatelessRandomGammaV2", "StatelessRandomPoisson":
		return drawing{params: []int{2}, seeds: Seeding{At: 1}}
	case "StatelessRandomGammaV3":
		return drawing{params: []int{4}, seeds: Seeding{At: 1, v2: true}}
	case "StatelessRandomBinomial":
		return drawing{params: []int{2, 3}, seeds: Seeding{At: 1}}
	case "StatefulRandomBinomial":
		return drawing{shape: 2, params: []int{3, 4}, resource: true}
	case "StatelessParameterizedTruncatedNormal":
		return drawing{params: []int{2, 3, 4, 5}, seeds: Seeding{At: 1}}
	case "ParameterizedTruncatedNormal":
		return drawing{params: []int{1, 2, 3, 4}, seeds: Seeding{Stateful: true}}
	}
	return drawing{params: []int{1}, seeds: Seeding{Stateful: true}}
}

// drawnType returns the element type of the drawn numbers.
func drawnType(c *lower.Shaper) tensor.DType {
	for _, key := range []string{"dtype", "T"} {
		if t := c.Node.DType(key); t != tensor.Invalid {
			return t
		}
	}
	return c.Node.Outs[0].DType
}

// vectorShape is like shapeInput, for an input that must be a vector.
func vectorShape(c *lower.Shaper, i int) (ir.Shape, error) {
	if _, err := c.WithRank(i, 1); err != nil {
		return ir.Shape{}, err
	}
	return shapeInput(c, i)
}

// drawsOfShape infers the shape of the output of RandomGamma and RandomPoisson. For each element of
// input 1, the parameter of the distribution, the op draws as many numbers as the shape in input 0
// says. The result has the dimensions in input 0, followed by those of input 1.
func drawsOfShape(c *lower.Shaper) error {
	s, err := vectorShape(c, 0)
	if err != nil {
		return err
	}
	p := c.Shape(1)
	if !s.Known || !p.Known {
		c.UnknownShape(0, drawnType(c))
		return nil
	}
	c.Set(0, drawnType(c), ir.ShapeOf(append(append([]*sym.Expr{}, s.Dims...), p.Dims...)...))
	return nil
}

// drawsInShape infers the shape of the output of an op that has the result's shape as an input. The
// parameters of the distribution are broadcast; the last dimensions of the result must be equal to
// the shape after broadcasting.
func drawsInShape(c *lower.Shaper) error {
	d := drawingOf(c.Node)
	s, err := vectorShape(c, d.shape)
	if err != nil {
		return err
	}
	if d.resource {
		if _, err := c.WithRank(1, 0); err != nil {
			return err
		}
	} else if err := d.seeds.Shapes(c); err != nil {
		return err
	}
	c.Set(0, drawnType(c), s)
	return nil
}

// joint returns the shape to which the parameters of the distributions are broadcast.
func (d *drawing) joint(b *lower.Builder) ([]*sym.Expr, error) {
	s := b.InFact(d.params[0]).Shape
	for _, i := range d.params {
		if err := kit.Ranked(b, i); err != nil {
			return nil, err
		}
		var err error
		if s, err = lower.BroadcastShapes(s, b.InFact(i).Shape); err != nil {
			return nil, err
		}
	}
	for _, i := range d.params {
		for k, e := range b.InShape(i) {
			if to := s.Dims[len(s.Dims)-len(b.InShape(i))+k]; !e.Equal(to) && !e.Is(1) {
				b.Check(random.Broadcasts, e, to)
			}
		}
	}
	return s.Dims, nil
}

// endsWith checks that the last dimensions of the output are the dimensions s.
func endsWith(b *lower.Builder, s []*sym.Expr) error {
	out := b.OutShape(0)
	if len(s) > len(out) {
		return b.Errorf(tensor.InvalidArgument, "the shape %v must end with that of the parameters, %v", ir.ShapeOf(out...), ir.ShapeOf(s...))
	}
	for k, e := range s {
		if err := kit.RequireSame(b, out[len(out)-len(s)+k], e, "the shape must end with that of the parameters"); err != nil {
			return err
		}
	}
	return nil
}

// inF64 returns input i in float64.
func inF64(b *lower.Builder, i int) (plan.View, error) {
	d := b.InFact(i).DType
	if d == tensor.Float64 {
		return b.In(i), nil
	}
	fn := bytype.Cast[d][tensor.Float64]
	if fn == nil {
		return plan.View{}, b.Errorf(tensor.Unimplemented, "parameters of type %v", d)
	}
	t := b.Temp(tensor.Float64, b.InLen(i))
	b.Call(fn, kit.Writes(t), b.In(i))
	return kit.Reads(t), nil
}

// outF64 returns a float64 buffer for output 0, and a function to be called after the kernel call
// that fills the buffer. If the output has another type than float64, this function appends the
// conversion.
func outF64(b *lower.Builder) (plan.View, func() error) {
	d := b.OutFact(0).DType
	if d == tensor.Float64 {
		return b.Out(0), func() error { return nil }
	}
	t := b.Temp(tensor.Float64, b.OutLen(0))
	return kit.Writes(t), func() error {
		fn := bytype.Cast[tensor.Float64][d]
		if fn == nil {
			return b.Errorf(tensor.Unimplemented, "draws of %v", d)
		}
		b.Call(fn, b.Out(0), kit.Reads(t))
		return nil
	}
}

// expanded returns input i in float64, broadcast to the dimensions dims.
func expanded(b *lower.Builder, i int, dims []*sym.Expr) (plan.View, error) {
	v, err := inF64(b, i)
	if err != nil {
		return v, err
	}
	s := b.InShape(i)
	if ir.ShapeOf(s...).Equal(ir.ShapeOf(dims...)) {
		return v, nil
	}
	x, dst, src := kit.NewBox(), kit.Strides(dims), kit.Strides(s)
	for k, n := range dims {
		from := sym.Zero
		if j := k - (len(dims) - len(s)); j >= 0 {
			from = linalgops.BatchStride(s[j], n, src[j])
		}
		x.Add(n, dst[k], from)
	}
	t := b.Temp(tensor.Float64, sym.Product(dims))
	if err := kit.Move(b, kit.Writes(t), v, x); err != nil {
		return v, err
	}
	return kit.Reads(t), nil
}

// sizes returns an error if the rank of the output is unknown. It checks that no dimension of the
// output is negative.
func sizes(b *lower.Builder) error {
	if !b.OutFact(0).Shape.Known {
		return lower.UnknownRank(b.Node, 0)
	}
	for i, d := range b.OutShape(0) {
		if err := kit.AtLeast(b, d, 0, "dimension "+string(rune('0'+i%10))+" of the shape"); err != nil {
			return err
		}
	}
	return nil
}

// layout returns the number of distributions, and the number of draws from each. It checks that the
// result's shape ends with the shape to which the parameters broadcast.
func layout(b *lower.Builder, d *drawing) (params, samples *sym.Expr, err error) {
	if err := sizes(b); err != nil {
		return nil, nil, err
	}
	params = b.InLen(d.params[0])
	if d.shape == 0 && d.seeds.Stateful {
		return params, sym.Product(b.OutShape(0)[:len(b.OutShape(0))-len(b.InShape(d.params[0]))]), nil
	}
	s, err := d.joint(b)
	if err != nil {
		return nil, nil, err
	}
	out := b.OutShape(0)
	// As in TensorFlow, an empty result may have any shape if the distribution has a single
	// parameter.
	if n := b.OutLen(0); len(d.params) == 1 && (!kit.IsInt(n) || n.Is(0)) {
		if len(s) > len(out) {
			b.Check(random.EndsIn, n, 0, 1)
			return sym.Zero, sym.Zero, nil
		}
		for k, e := range s {
			if to := out[len(out)-len(s)+k]; !to.Equal(e) {
				b.Check(random.EndsIn, n, to, e)
			}
		}
	} else if err := endsWith(b, s); err != nil {
		return nil, nil, err
	}
	return sym.Product(s), sym.Product(out[:len(out)-len(s)]), nil
}

// distributedLower returns the lowering of an op that draws from distributions with a single
// parameter. Its first argument is the kernel that draws floats, and its second argument is the
// kernel that draws integers.
func distributedLower(real, whole any) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		d := drawingOf(b.Node)
		params, samples, err := layout(b, &d)
		if err != nil {
			return err
		}
		param, err := inF64(b, d.params[0])
		if err != nil {
			return err
		}
		t, err := d.seeds.Stream(b, b.OutLen(0).MulInt(256))
		if err != nil {
			return err
		}
		out, done := outF64(b)
		kernel := real
		if b.OutFact(0).DType.IsInteger() {
			kernel = whole
		}
		b.Call(kernel, out, param, t, plan.Lit(random.Draws{}, "Params", params, "Samples", samples))
		return done()
	}
}

// parameters returns the parameters of the distributions in float64, each broadcast to the shape
// that joint returns.
func (d *drawing) parameters(b *lower.Builder) ([]any, error) {
	s, err := d.joint(b)
	if err != nil {
		return nil, err
	}
	var vs []any
	for _, i := range d.params {
		v, err := expanded(b, i, s)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

func binomialLower(b *lower.Builder) error {
	d := drawingOf(b.Node)
	params, samples, err := layout(b, &d)
	if err != nil {
		return err
	}
	vs, err := d.parameters(b)
	if err != nil {
		return err
	}
	var t plan.View
	if d.resource {
		t = b.Temp(tensor.Uint64, sym.Int(random.StreamLen))
		b.Call(random.FromState, t, b.In(0),
			plan.Lit(random.StateParams{Exact: true}, "Skip", params.MulInt(200).Mul(samples.AddInt(3)).Div(sym.Int(4)), "Alg", b.In(1)))
	} else if t, err = d.seeds.Stream(b, sym.Zero); err != nil {
		return err
	}
	out, done := outF64(b)
	p := random.BinomialParams{Bits: random.Bits(b.InFact(d.params[0]).DType), Whole: b.OutFact(0).DType.IsInteger()}
	b.Call(random.Binomial, append(append([]any{out}, vs...), t, plan.Lit(p, "Params", params, "Samples", samples))...)
	return done()
}

func clippedLower(b *lower.Builder) error {
	d := drawingOf(b.Node)
	params, samples, err := layout(b, &d)
	if err != nil {
		return err
	}
	vs, err := d.parameters(b)
	if err != nil {
		return err
	}
	t, err := d.seeds.Stream(b, sym.Zero)
	if err != nil {
		return err
	}
	out, done := outF64(b)
	p := plan.Lit(random.ClippedParams{Bits: random.Bits(b.OutFact(0).DType)}, "Params", params, "Samples", samples)
	b.Call(random.Clipped, append(append([]any{out}, vs...), t, p)...)
	return done()
}

// clippedRowsShape infers the shape of the output of ParameterizedTruncatedNormal(shape, means,
// stdevs, minvals, maxvals). Each of the last four inputs is a scalar, or a vector with one element
// for each row of the result.
func clippedRowsShape(c *lower.Shaper) error {
	s, err := vectorShape(c, 0)
	if err != nil {
		return err
	}
	for i := 1; i < 5; i++ {
		if p := c.Shape(i); p.Known && len(p.Dims) > 1 {
			return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; a scalar or a vector is required", i, p)
		}
	}
	if s.Known && len(s.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Shape tensor must not be empty")
	}
	c.Set(0, drawnType(c), s)
	return nil
}

func clippedRowsLower(b *lower.Builder) error {
	if err := sizes(b); err != nil {
		return err
	}
	if err := kit.Ranked(b, 1, 2, 3, 4); err != nil {
		return err
	}
	out, done := outF64(b)
	args := []any{out}
	for i := 1; i < 5; i++ {
		v, err := inF64(b, i)
		if err != nil {
			return err
		}
		args = append(args, v)
	}
	s := b.OutShape(0)
	p := random.ClippedRowsParams{Bits: random.Bits(b.OutFact(0).DType), Shared: len(b.InShape(3)) == 0 && len(b.InShape(4)) == 0}
	args = append(args, b.Temp(tensor.Uint64, sym.Int(random.StreamLen)),
		startParams(b), plan.Lit(p, "Rows", s[0], "Row", sym.Product(s[1:])))
	b.Call(random.ClippedRows, args...)
	return done()
}

// gammaGradLower lowers RandomGammaGrad(alpha, sample) and IgammaGradA(a, x). Their operands are
// broadcast.
func gammaGradLower(b *lower.Builder) error {
	kernels := []any{elem.GammaGradF32, elem.GammaGradF64}
	if b.Node.Op == "IgammaGradA" {
		kernels = []any{elem.IgammaGradAF32, elem.IgammaGradAF64}
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, kernels...)
	if err != nil {
		return err
	}
	dims, _, err := kit.BroadcastDims(b, b.InShape(0), b.InShape(1))
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), dims)
	return nil
}
