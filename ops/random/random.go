package random

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var intSeeds = []tensor.DType{tensor.Int32, tensor.Int64}

var wideInts = []tensor.DType{tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64}

var randomDefs = []*lower.Def{
	{Name: "RandomUniform", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Traits: lower.NoGradient, Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Shape: randomShape, Lower: uniformLower},
	{Name: "RandomStandardNormal", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Shape: randomShape, Lower: normalLower},
	{Name: "TruncatedNormal", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Shape: randomShape, Lower: truncatedLower},
	{Name: "RandomUniformInt", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Types: map[string][]tensor.DType{"Tout": intSeeds}, Shape: randomShape, Lower: uniformIntLower},
	{Name: "RandomShuffle", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Shape: shuffleShape, Lower: shuffleLower},
	{Name: "Multinomial", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Shape: multinomialShape, Lower: multinomialLower},
	{Name: "StatelessMultinomial", Traits: lower.NoGradient, Shape: multinomialShape, Lower: multinomialLower},
	{Name: "StatelessShuffle", Shape: shuffleShape, Lower: shuffleLower},
	{Name: "StatelessRandomUniform", Traits: lower.NoGradient, Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Shape: randomShape, Lower: uniformLower},
	{Name: "StatelessRandomNormal", Traits: lower.NoGradient, Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Shape: randomShape, Lower: normalLower},
	{Name: "StatelessTruncatedNormal", Traits: lower.NoGradient, Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Shape: randomShape, Lower: truncatedLower},
	{Name: "StatelessRandomUniformInt", Types: map[string][]tensor.DType{"dtype": wideInts}, Shape: randomShape, Lower: uniformIntLower},
	{Name: "StatelessRandomUniformFullInt", Types: map[string][]tensor.DType{"dtype": wideInts}, Shape: randomShape, Lower: fullIntLower},
	{Name: "StatelessRandomUniformV2", Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Limits: "Philox only", Shape: randomShape, Lower: uniformLower},
	{Name: "StatelessRandomNormalV2", Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Limits: "Philox only", Shape: randomShape, Lower: normalLower},
	{Name: "StatelessTruncatedNormalV2", Types: map[string][]tensor.DType{"dtype": kit.FloatTypes}, Limits: "Philox only", Shape: randomShape, Lower: truncatedLower},
	{Name: "StatelessRandomUniformIntV2", Types: map[string][]tensor.DType{"dtype": wideInts}, Limits: "Philox only", Shape: randomShape, Lower: uniformIntLower},
	{Name: "StatelessRandomUniformFullIntV2", Types: map[string][]tensor.DType{"dtype": wideInts}, Limits: "Philox only", Shape: randomShape, Lower: fullIntLower},
	{Name: "StatelessRandomGetKeyCounter", Shape: keyCounterShape, Lower: keyCounterLower},
	{Name: "StatelessRandomGetKeyCounterAlg", Shape: keyCounterShape, Lower: keyCounterLower},
	{Name: "StatelessRandomGetAlg", Level: lower.Pure, Shape: algShape, Lower: kit.LowerNothing},
}

// Seeding describes how an op gets its stream of random numbers. There are four ways: from its
// attributes seed and seed2 (Stateful), from a generator in a variable, from a seed input, or from
// the inputs key, counter and algorithm (v2).
type Seeding struct {
	Stateful  bool
	generator bool
	At        int // the number of the first input that holds the seed, or of the input key
	v2        bool
	// always reports whether the input algorithm is checked even if no numbers are drawn.
	always bool
}

func seedingOf(n *ir.Node) Seeding {
	switch n.Op {
	case "RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt", "RandomShuffle", "Multinomial":
		return Seeding{Stateful: true}
	case "StatefulUniform", "StatefulUniformInt", "StatefulUniformFullInt", "StatefulStandardNormal",
		"StatefulStandardNormalV2", "StatefulTruncatedNormal":
		return Seeding{generator: true}
	case "StatelessMultinomial":
		return Seeding{At: 2}
	case "StatelessShuffle":
		return Seeding{At: 1, v2: true, always: true}
	case "StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2",
		"StatelessRandomUniformIntV2", "StatelessRandomUniformFullIntV2":
		return Seeding{At: 1, v2: true}
	}
	return Seeding{At: 1}
}

// Shapes checks the shapes of the seed inputs.
func (s Seeding) Shapes(c *lower.Shaper) error {
	if s.Stateful {
		return nil
	}
	want := []int{2}
	if s.v2 {
		want = []int{1, 2}
	}
	if s.v2 {
		if _, err := c.WithRank(s.At+2, 0); err != nil {
			return err
		}
	}
	for k, n := range want {
		v, err := c.WithRank(s.At+k, 1)
		if err != nil {
			return err
		}
		if v.Known && (lower.Differ(v.Dims[0], sym.Int(n)) && k == 0 || k == 1 && kit.IsInt(v.Dims[0]) && kit.KnownLess(v.Dims[0], n)) {
			return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; %d elements are required", s.At+k, v, n)
		}
	}
	return nil
}

// startParams returns the parameters of random.Start, which starts the stream of an op that is
// seeded by attributes. Field State refers to memory that the model keeps: it counts the blocks of
// numbers that earlier runs have used.
func startParams(b *lower.Builder) plan.Struct {
	p := random.Params{Seed: int64(b.Node.Int("seed")), Seed2: int64(b.Node.Int("seed2"))}
	return plan.Lit(p, "State", b.State(tensor.Uint64, 1))
}

// Stream appends the call that starts the op's stream of random numbers, and returns the state of
// the stream. skip is the number of blocks of four numbers that a run may use.
func (s Seeding) Stream(b *lower.Builder, skip *sym.Expr) (plan.View, error) {
	t := b.Temp(tensor.Uint64, sym.Int(random.StreamLen))
	switch {
	case s.Stateful:
		b.Call(random.Start, t, startParams(b).With("Skip", skip))
	case s.generator:
		return t, fromState(b, t)
	case s.v2:
		if err := kit.RequireSame(b, b.InLen(s.At), sym.One, "the key must have 1 element"); err != nil {
			return t, err
		}
		if err := kit.AtLeast(b, b.InLen(s.At+1), 2, "the number of elements of the counter"); err != nil {
			return t, err
		}
		if err := kit.RequireSame(b, b.InLen(s.At+2), sym.One, "the algorithm must have 1 element"); err != nil {
			return t, err
		}
		if n := b.OutLen(0); !s.always && (!kit.IsInt(n) || n.Is(0)) {
			b.Call(random.KeyCounterFor, t, b.In(s.At), b.In(s.At+1), b.In(s.At+2), n)
		} else {
			b.Call(random.KeyCounter, t, b.In(s.At), b.In(s.At+1), b.In(s.At+2))
		}
	default:
		if err := kit.RequireSame(b, b.InLen(s.At), sym.Int(2), "the seed must have 2 elements"); err != nil {
			return t, err
		}
		switch d := b.InFact(s.At).DType; d {
		case tensor.Int32:
			b.Call(random.SeedI32, t, b.In(s.At))
		case tensor.Int64:
			b.Call(random.SeedI64, t, b.In(s.At))
		default: // TensorFlow's kernel rejects a seed of any other type, but only if it draws numbers
			if err := kit.RequireSame(b, b.OutLen(0), sym.Zero, "numbers drawn with a seed that is neither i32 nor i64"); err != nil {
				return t, err
			}
		}
	}
	return t, nil
}

// shapeInput returns the shape given by the elements of input i.
func shapeInput(c *lower.Shaper, i int) (ir.Shape, error) {
	s := c.Shape(i)
	if s.Known && len(s.Dims) != 1 {
		return ir.Shape{}, tensor.Errorf(tensor.InvalidArgument, "the shape input has the shape %v; a vector is required", s)
	}
	es, ok := c.Ints(i)
	if !ok {
		return ir.Shape{}, nil
	}
	for _, e := range es {
		if kit.KnownLess(e, 0) {
			return ir.Shape{}, tensor.Errorf(tensor.InvalidArgument, "the dimension %v is negative", e)
		}
	}
	return ir.ShapeOf(es...), nil
}

// randomShape infers the shape of the output of an op that draws random numbers. Input 0 is this
// shape.
func randomShape(c *lower.Shaper) error {
	s, err := shapeInput(c, 0)
	if err != nil {
		return err
	}
	sd := seedingOf(c.Node)
	if err := sd.Shapes(c); err != nil {
		return err
	}
	if r, ok := rangeInputs(c.Node); ok {
		for i := r; i < r+2; i++ {
			if _, err := c.WithRank(i, 0); err != nil {
				return err
			}
		}
	}
	d := c.Node.Outs[0].DType
	if t := c.Node.DType("dtype"); t != tensor.Invalid {
		d = t
	} else if t := c.Node.DType("Tout"); t != tensor.Invalid {
		d = t
	}
	c.Set(0, d, s)
	return nil
}

// rangeInputs returns the number of the input minval; the next input is maxval. It returns false if
// the op does not have these inputs.
func rangeInputs(n *ir.Node) (int, bool) {
	switch n.Op {
	case "RandomUniformInt":
		return 1, true
	case "StatelessRandomUniformInt":
		return 2, true
	case "StatelessRandomUniformIntV2":
		return 4, true
	case "StatefulUniformInt":
		return 3, true
	}
	return 0, false
}

// draw appends two calls: one starts the stream of random numbers, the other draws numbers from a
// distribution. Each of the given kernels is for one element type; draw uses the kernel for the
// type of output 0.
func draw(b *lower.Builder, kernels ...any) error {
	if err := sizes(b); err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, kernels...)
	if err != nil {
		return err
	}
	t, err := seedingOf(b.Node).Stream(b, b.OutLen(0).MulInt(256))
	if err != nil {
		return err
	}
	if r, ok := rangeInputs(b.Node); ok {
		b.Call(fn, b.Out(0), b.In(r), b.In(r+1), t)
		return nil
	}
	b.Call(fn, b.Out(0), t)
	return nil
}

func uniformLower(b *lower.Builder) error {
	return draw(b, random.UniformF32, random.UniformF64, random.UniformF16, random.UniformBF16)
}

func normalLower(b *lower.Builder) error {
	return draw(b, random.NormalF32, random.NormalF64, random.NormalF16, random.NormalBF16)
}

func truncatedLower(b *lower.Builder) error {
	return draw(b, random.TruncatedF32, random.TruncatedF64, random.TruncatedF16, random.TruncatedBF16)
}

func uniformIntLower(b *lower.Builder) error {
	return draw(b, random.UniformI32, random.UniformI64, random.UniformU32, random.UniformU64)
}

func fullIntLower(b *lower.Builder) error {
	return draw(b, random.FullI32, random.FullI64, random.FullU32, random.FullU64)
}

func shuffleShape(c *lower.Shaper) error {
	if err := seedingOf(c.Node).Shapes(c); err != nil {
		return err
	}
	c.Same(0, 0)
	return nil
}

// shuffleLower lowers RandomShuffle and StatelessShuffle, which return the rows of input 0 in a
// random order. If there is a single row, or if input 0 is a scalar, the output is equal to the
// input.
func shuffleLower(b *lower.Builder) error {
	s := b.InShape(0)
	if len(s) == 0 || s[0].Is(1) {
		if s := seedingOf(b.Node); s.v2 { // key, counter and algorithm are checked even if no numbers are drawn
			if _, err := s.Stream(b, sym.Zero); err != nil {
				return err
			}
		}
		b.Alias(0, 0)
		return nil
	}
	fn, err := kit.KernelFor(b, b.InFact(0).DType, random.ShuffleF32, random.ShuffleF64, random.ShuffleF16, random.ShuffleBF16,
		random.ShuffleI8, random.ShuffleI16, random.ShuffleI32, random.ShuffleI64, random.ShuffleU8, random.ShuffleU16,
		random.ShuffleU32, random.ShuffleU64, random.ShuffleBool, random.ShuffleString, random.ShuffleC64, random.ShuffleC128)
	if err != nil {
		return err
	}
	// drawn is 1 if numbers are drawn, else 0. A shuffle draws a number for each row but one, and
	// none if the tensor is empty.
	drawn := sym.Min(sym.One, sym.Max(sym.Zero, s[0].AddInt(-1))).Mul(sym.Min(sym.One, b.InLen(0)))
	t, err := seedingOf(b.Node).Stream(b, s[0].AddInt(-1).CeilDiv(sym.Int(4)).Mul(drawn))
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.Temp(tensor.Int64, s[0]), t, sym.Product(s[1:]))
	return nil
}

// multinomialShape infers the shape of the output of Multinomial and StatelessMultinomial. Input 0
// is logits [rows, classes]; input 1 is num_samples.
func multinomialShape(c *lower.Shaper) error {
	d := c.Node.DType("output_dtype")
	s, err := c.WithRank(0, 2)
	if err != nil {
		return err
	}
	if _, err := c.WithRank(1, 0); err != nil {
		return err
	}
	n, ok := c.Ints(1)
	if !s.Known || !ok {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	if kit.KnownLess(n[0], 0) {
		return tensor.Errorf(tensor.InvalidArgument, "num_samples is negative: %v", n[0])
	}
	if err := seedingOf(c.Node).Shapes(c); err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(s.Dims[0], n[0]))
	return nil
}

// multinomialParams returns the kernel parameters, and how many blocks of four numbers a run takes
// from the stream.
func multinomialParams(b *lower.Builder) (p plan.Struct, skip *sym.Expr, err error) {
	s, n := b.InShape(0), b.OutShape(0)[1]
	if err := kit.AtLeast(b, n, 0, "num_samples"); err != nil {
		return p, nil, err
	}
	if err := kit.AtLeast(b, s[1], 1, "the number of classes"); err != nil {
		return p, nil, err
	}
	return plan.Lit(random.MultinomialParams{}, "Rows", s[0], "Classes", s[1], "Samples", n), s[0].Mul(n.CeilDiv(sym.Int(4)).MulInt(4)).MulInt(2 * 256), nil
}

func multinomialLower(b *lower.Builder) error {
	p, skip, err := multinomialParams(b)
	if err != nil {
		return err
	}
	logits, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	t, err := seedingOf(b.Node).Stream(b, skip)
	if err != nil {
		return err
	}
	cdf := b.Temp(tensor.Float64, p.Fields["Classes"][0])
	if b.OutFact(0).DType == tensor.Int64 {
		b.Call(random.Multinomial, b.Out(0), logits, cdf, t, p)
		return nil
	}
	wide := b.Temp(tensor.Int64, b.OutLen(0))
	b.Call(random.Multinomial, wide, logits, cdf, t, p)
	b.Call(random.NarrowI64, b.Out(0), wide)
	return nil
}

// keyCounterShape infers the shapes of the outputs of StatelessRandomGetKeyCounter and
// StatelessRandomGetKeyCounterAlg. The outputs are a key [1] and a counter [2]. The second op also
// returns the number of the algorithm, which is 1 for Philox.
func keyCounterShape(c *lower.Shaper) error {
	s, err := c.WithRank(0, 1)
	if err != nil {
		return err
	}
	if s.Known && lower.Differ(s.Dims[0], sym.Int(2)) {
		return tensor.Errorf(tensor.InvalidArgument, "the seed has the shape %v; 2 elements are required", s)
	}
	c.Set(0, tensor.Uint64, ir.StaticShape(1))
	c.Set(1, tensor.Uint64, ir.StaticShape(2))
	if len(c.Node.Outs) > 2 {
		c.Node.Outs[2] = ir.ConstFact(philoxAlg())
	}
	return nil
}

func philoxAlg() *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{1}}
}

func keyCounterLower(b *lower.Builder) error {
	if err := kit.RequireSame(b, b.InLen(0), sym.Int(2), "the seed must have 2 elements"); err != nil {
		return err
	}
	if b.InFact(0).DType == tensor.Int32 {
		b.Call(random.SplitI32, b.Out(0), b.Out(1), b.In(0))
	} else {
		b.Call(random.SplitI64, b.Out(0), b.Out(1), b.In(0))
	}
	return nil
}

func algShape(c *lower.Shaper) error {
	c.Node.Outs[0] = ir.ConstFact(philoxAlg())
	return nil
}
