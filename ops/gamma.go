package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var (
	halfFloats  = []tensor.DType{tensor.Half, tensor.Float32, tensor.Float64}
	rates       = []tensor.DType{tensor.Half, tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}
	doubleTypes = []tensor.DType{tensor.Float32, tensor.Float64}
)

const drawn = Stateful | NoFold

// gammaDefs are random gamma, Poisson, binomial and truncated normal numbers. They
// are computed in float64, whatever the types; truncated normal ones in their own.
var gammaDefs = []*Def{
	{Name: "RandomGamma", Level: Reads, Flags: drawn, Types: attrTypes("T", halfFloats), Shape: drawsOfShape, Lower: distributedLower(random.Gamma, random.Gamma)},
	{Name: "RandomPoisson", Level: Reads, Flags: drawn, Types: attrTypes("dtype", halfFloats), Shape: drawsOfShape, Lower: distributedLower(random.Poisson, random.PoissonWhole)},
	{Name: "RandomPoissonV2", Level: Reads, Flags: drawn, Types: map[string][]tensor.DType{"R": rates, "dtype": rates}, Shape: drawsOfShape, Lower: distributedLower(random.Poisson, random.PoissonWhole)},
	{Name: "StatelessRandomGammaV2", Types: attrTypes("dtype", floatTypes), Shape: drawsInShape, Lower: distributedLower(random.Gamma, random.Gamma)},
	{Name: "StatelessRandomGammaV3", Types: attrTypes("dtype", floatTypes), Limits: "Philox only", Shape: drawsInShape, Lower: distributedLower(random.Gamma, random.Gamma)},
	{Name: "StatelessRandomPoisson", Types: map[string][]tensor.DType{"Rtype": rates, "dtype": rates}, Shape: drawsInShape, Lower: distributedLower(random.Poisson, random.PoissonWhole)},
	{Name: "StatelessRandomBinomial", Types: map[string][]tensor.DType{"T": halfFloats, "dtype": rates}, Shape: drawsInShape, Lower: binomialLower},
	{Name: "StatefulRandomBinomial", Flags: changes, Types: map[string][]tensor.DType{"T": halfFloats, "dtype": rates}, Limits: "Philox only", Shape: drawsInShape, Lower: binomialLower},
	{Name: "ParameterizedTruncatedNormal", Level: Reads, Flags: drawn, Types: attrTypes("dtype", halfFloats), Shape: clippedRowsShape, Lower: clippedRowsLower},
	{Name: "StatelessParameterizedTruncatedNormal", Types: attrTypes("dtype", halfFloats), Shape: drawsInShape, Lower: clippedLower},
	{Name: "RandomGammaGrad", Types: attrTypes("T", doubleTypes), Shape: binaryShape, Lower: gammaGradLower},
	{Name: "IgammaGradA", Types: attrTypes("T", doubleTypes), Shape: binaryShape, Lower: gammaGradLower},
}

// drawing says where the inputs of an op of this family are: the shape, and the
// distributions' parameters.
type drawing struct {
	shape    int
	params   []int
	seeds    seeding
	resource bool
}

func drawingOf(n *ir.Node) drawing {
	switch n.Op {
	case "StatelessRandomGammaV2", "StatelessRandomPoisson":
		return drawing{params: []int{2}, seeds: seeding{at: 1}}
	case "StatelessRandomGammaV3":
		return drawing{params: []int{4}, seeds: seeding{at: 1, v2: true}}
	case "StatelessRandomBinomial":
		return drawing{params: []int{2, 3}, seeds: seeding{at: 1}}
	case "StatefulRandomBinomial":
		return drawing{shape: 2, params: []int{3, 4}, resource: true}
	case "StatelessParameterizedTruncatedNormal":
		return drawing{params: []int{2, 3, 4, 5}, seeds: seeding{at: 1}}
	case "ParameterizedTruncatedNormal":
		return drawing{params: []int{1, 2, 3, 4}, seeds: seeding{stateful: true}}
	}
	return drawing{params: []int{1}, seeds: seeding{stateful: true}}
}

// drawnType is the element type of what is drawn.
func drawnType(c *Shaper) tensor.DType {
	for _, key := range []string{"dtype", "T"} {
		if t := c.Node.DType(key); t != tensor.Invalid {
			return t
		}
	}
	return c.Node.Outs[0].DType
}

// vectorShape is shapeInput of an input that must be a vector.
func vectorShape(c *Shaper, i int) (ir.Shape, error) {
	if _, err := c.WithRank(i, 1); err != nil {
		return ir.Shape{}, err
	}
	return shapeInput(c, i)
}

// drawsOfShape: draws of input 0's shape for each parameter: shape + parameter.shape.
func drawsOfShape(c *Shaper) error {
	s, err := vectorShape(c, 0)
	if err != nil {
		return err
	}
	p := c.Shape(1)
	if !s.Known || !p.Known {
		c.unknownShape(0, drawnType(c))
		return nil
	}
	c.Set(0, drawnType(c), ir.ShapeOf(append(append([]*sym.Expr{}, s.Dims...), p.Dims...)...))
	return nil
}

// drawsInShape: all draws have the shape that an input states; it must end with the
// shape to which the parameters broadcast.
func drawsInShape(c *Shaper) error {
	d := drawingOf(c.Node)
	s, err := vectorShape(c, d.shape)
	if err != nil {
		return err
	}
	if d.resource {
		if _, err := c.WithRank(1, 0); err != nil {
			return err
		}
	} else if err := d.seeds.shapes(c); err != nil {
		return err
	}
	c.Set(0, drawnType(c), s)
	return nil
}

// joint is the shape to which the parameters broadcast.
func (d *drawing) joint(b *Builder) ([]*sym.Expr, error) {
	s := b.InFact(d.params[0]).Shape
	for _, i := range d.params {
		if err := b.ranked(i); err != nil {
			return nil, err
		}
		var err error
		if s, err = BroadcastShapes(s, b.InFact(i).Shape); err != nil {
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

// endsWith requires the output's shape to end with s.
func (b *Builder) endsWith(s []*sym.Expr) error {
	out := b.OutShape(0)
	if len(s) > len(out) {
		return b.Errorf(tensor.InvalidArgument, "the shape %v must end with that of the parameters, %v", ir.ShapeOf(out...), ir.ShapeOf(s...))
	}
	for k, e := range s {
		if err := b.sameDim(out[len(out)-len(s)+k], e, "the shape must end with that of the parameters"); err != nil {
			return err
		}
	}
	return nil
}

// inF64 is input i in float64.
func (b *Builder) inF64(i int) (plan.View, error) {
	d := b.InFact(i).DType
	if d == tensor.Float64 {
		return b.In(i), nil
	}
	fn := castKernels[d][tensor.Float64]
	if fn == nil {
		return plan.View{}, b.Errorf(tensor.Unimplemented, "numbers of %v as parameters", d)
	}
	t := b.Temp(tensor.Float64, b.InLen(i))
	b.Call(fn, writes(t), b.In(i))
	return reads(t), nil
}

// outF64 is where float64 results go, and what converts them to output 0.
func (b *Builder) outF64() (plan.View, func() error) {
	d := b.OutFact(0).DType
	if d == tensor.Float64 {
		return b.Out(0), func() error { return nil }
	}
	t := b.Temp(tensor.Float64, b.OutLen(0))
	return writes(t), func() error {
		fn := castKernels[tensor.Float64][d]
		if fn == nil {
			return b.Errorf(tensor.Unimplemented, "draws of %v", d)
		}
		b.Call(fn, b.Out(0), reads(t))
		return nil
	}
}

// expanded is input i in float64, with its elements repeated so that it has the dimensions dims.
func (b *Builder) expanded(i int, dims []*sym.Expr) (plan.View, error) {
	v, err := b.inF64(i)
	if err != nil {
		return v, err
	}
	s := b.InShape(i)
	if ir.ShapeOf(s...).Equal(ir.ShapeOf(dims...)) {
		return v, nil
	}
	x, dst, src := newBox(), strides(dims), strides(s)
	for k, n := range dims {
		from := sym.Zero
		if j := k - (len(dims) - len(s)); j >= 0 {
			from = batchStride(s[j], n, src[j])
		}
		x.add(n, dst[k], from)
	}
	t := b.Temp(tensor.Float64, sym.Product(dims))
	if err := b.move(writes(t), v, x); err != nil {
		return v, err
	}
	return reads(t), nil
}

// sizes requires the dimensions of the output to be known in number and not to be negative.
func (b *Builder) sizes() error {
	if !b.OutFact(0).Shape.Known {
		return unknownRank(b.Node, 0)
	}
	for i, d := range b.OutShape(0) {
		if err := b.atLeast(d, 0, "dimension "+string(rune('0'+i%10))+" of the shape"); err != nil {
			return err
		}
	}
	return nil
}

// layout returns how many distributions there are, and how many draws of each; the
// number of distributions is at least 1, so that the other is a quotient.
func (b *Builder) layout(d *drawing) (params, samples *sym.Expr, err error) {
	if err := b.sizes(); err != nil {
		return nil, nil, err
	}
	params = b.InLen(d.params[0])
	if d.shape == 0 && d.seeds.stateful {
		return params, sym.Product(b.OutShape(0)[:len(b.OutShape(0))-len(b.InShape(d.params[0]))]), nil
	}
	s, err := d.joint(b)
	if err != nil {
		return nil, nil, err
	}
	out := b.OutShape(0)
	if n := b.OutLen(0); len(d.params) == 1 && (!isInt(n) || n.Is(0)) { // if there is none TensorFlow looks no further
		if len(s) > len(out) {
			b.Check(random.EndsIn, n, 0, 1)
			return sym.Zero, sym.Zero, nil
		}
		for k, e := range s {
			if to := out[len(out)-len(s)+k]; !to.Equal(e) {
				b.Check(random.EndsIn, n, to, e)
			}
		}
	} else if err := b.endsWith(s); err != nil {
		return nil, nil, err
	}
	return sym.Product(s), sym.Product(out[:len(out)-len(s)]), nil
}

// distributedLower draws from distributions of one parameter each, with a kernel for real
// numbers and one for whole ones.
func distributedLower(real, whole any) func(*Builder) error {
	return func(b *Builder) error {
		d := drawingOf(b.Node)
		params, samples, err := b.layout(&d)
		if err != nil {
			return err
		}
		param, err := b.inF64(d.params[0])
		if err != nil {
			return err
		}
		t, err := d.seeds.stream(b, b.OutLen(0).MulInt(256))
		if err != nil {
			return err
		}
		out, done := b.outF64()
		kernel := real
		if b.OutFact(0).DType.IsInteger() {
			kernel = whole
		}
		b.Call(kernel, out, param, t, plan.Lit(random.Draws{}, "Params", params, "Samples", samples))
		return done()
	}
}

// parameters returns the parameters, each for all distributions.
func (d *drawing) parameters(b *Builder) ([]any, error) {
	s, err := d.joint(b)
	if err != nil {
		return nil, err
	}
	var vs []any
	for _, i := range d.params {
		v, err := b.expanded(i, s)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

func binomialLower(b *Builder) error {
	d := drawingOf(b.Node)
	params, samples, err := b.layout(&d)
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
		b.Call(random.FromState, t, b.In(0), b.In(1),
			plan.Lit(random.StateParams{Exact: true}, "Skip", params.MulInt(200).Mul(samples.AddInt(3)).Div(sym.Int(4))))
	} else if t, err = d.seeds.stream(b, sym.Zero); err != nil {
		return err
	}
	out, done := b.outF64()
	p := random.BinomialParams{Bits: random.Bits(b.InFact(d.params[0]).DType), Whole: b.OutFact(0).DType.IsInteger()}
	b.Call(random.Binomial, append(append([]any{out}, vs...), t, plan.Lit(p, "Params", params, "Samples", samples))...)
	return done()
}

func clippedLower(b *Builder) error {
	d := drawingOf(b.Node)
	params, samples, err := b.layout(&d)
	if err != nil {
		return err
	}
	vs, err := d.parameters(b)
	if err != nil {
		return err
	}
	t, err := d.seeds.stream(b, sym.Zero)
	if err != nil {
		return err
	}
	out, done := b.outF64()
	p := plan.Lit(random.ClippedParams{Bits: random.Bits(b.OutFact(0).DType)}, "Params", params, "Samples", samples)
	b.Call(random.Clipped, append(append([]any{out}, vs...), t, p)...)
	return done()
}

// clippedRowsShape: ParameterizedTruncatedNormal(shape, means, stdevs, minvals, maxvals), which
// are scalars or vectors with an element for each of the first axis.
func clippedRowsShape(c *Shaper) error {
	s, err := vectorShape(c, 0)
	if err != nil {
		return err
	}
	for i := 1; i < 5; i++ {
		if p := c.Shape(i); p.Known && len(p.Dims) > 1 {
			return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v, a scalar or a vector is required", i, p)
		}
	}
	if s.Known && len(s.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Shape tensor must not be empty")
	}
	c.Set(0, drawnType(c), s)
	return nil
}

func clippedRowsLower(b *Builder) error {
	if err := b.sizes(); err != nil {
		return err
	}
	if err := b.ranked(1, 2, 3, 4); err != nil {
		return err
	}
	out, done := b.outF64()
	args := []any{out}
	for i := 1; i < 5; i++ {
		v, err := b.inF64(i)
		if err != nil {
			return err
		}
		args = append(args, v)
	}
	s := b.OutShape(0)
	p := random.ClippedRowsParams{Bits: random.Bits(b.OutFact(0).DType), Shared: len(b.InShape(3)) == 0 && len(b.InShape(4)) == 0}
	args = append(args, b.Temp(tensor.Uint64, sym.Int(random.StreamLen)), b.State(tensor.Uint64, 1),
		random.Params{Seed: int64(b.Node.Int("seed")), Seed2: int64(b.Node.Int("seed2"))}, plan.Lit(p, "Rows", s[0], "Row", sym.Product(s[1:])))
	b.Call(random.ClippedRows, args...)
	return done()
}

// gammaGradLower: RandomGammaGrad(alpha, sample) and IgammaGradA(a, x).
func gammaGradLower(b *Builder) error {
	kernels := []any{elem.GammaGradF32, elem.GammaGradF64}
	if b.Node.Op == "IgammaGradA" {
		kernels = []any{elem.IgammaGradAF32, elem.IgammaGradAF64}
	}
	fn, err := b.kernelFor(b.OutFact(0).DType, kernels...)
	if err != nil {
		return err
	}
	dims, _, err := b.broadcastDims(b.InShape(0), b.InShape(1))
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), dims)
	return nil
}
