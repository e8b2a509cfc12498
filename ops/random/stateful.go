package random

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// statefulRandomDefs describes the ops that draw numbers from a generator in a variable. The value
// of the variable consists of int64 numbers: the counter and the key. For StatefulStandardNormal,
// the number of the algorithm comes before the counter.
var statefulRandomDefs = []*lower.Def{
	{Name: "StatefulUniform", Flags: kit.Changes, Types: kit.AttrTypes("dtype", kit.FloatTypes), Limits: "Philox only", Shape: generatorShape, Lower: uniformLower},
	{Name: "StatefulUniformInt", Flags: kit.Changes, Types: kit.AttrTypes("dtype", intSeeds), Limits: "Philox only", Shape: generatorShape, Lower: uniformIntLower},
	{Name: "StatefulUniformFullInt", Flags: kit.Changes, Types: kit.AttrTypes("dtype", wideInts), Limits: "Philox only", Shape: generatorShape, Lower: fullIntLower},
	{Name: "StatefulStandardNormal", Flags: kit.Changes, Types: kit.AttrTypes("dtype", kit.FloatTypes), Limits: "Philox only", Shape: generatorShape, Lower: normalLower},
	{Name: "StatefulStandardNormalV2", Flags: kit.Changes, Types: kit.AttrTypes("dtype", kit.FloatTypes), Limits: "Philox only", Shape: generatorShape, Lower: normalLower},
	{Name: "StatefulTruncatedNormal", Flags: kit.Changes, Types: kit.AttrTypes("dtype", kit.FloatTypes), Limits: "Philox only", Shape: generatorShape, Lower: truncatedLower},
	{Name: "RngSkip", Flags: kit.Changes, Limits: "Philox only", Shape: rngSkipShape, Lower: rngSkipLower},
	{Name: "RngReadAndSkip", Flags: kit.Changes, Limits: "Philox only", Shape: rngSkipShape, Lower: rngSkipLower},
	{Name: "NonDeterministicInts", Level: lower.Reads, Flags: drawn, Types: kit.AttrTypes("dtype", wideInts), Shape: nonDeterministicShape, Lower: nonDeterministicLower},
	{Name: "RandomIndexShuffle", Types: map[string][]tensor.DType{"dtype": wideInts, "Tseed": wideInts}, Shape: indexShuffleShape, Lower: indexShuffleLower},
	{Name: "StochasticCastToInt", Types: map[string][]tensor.DType{"Tin": kit.FloatTypes, "Tout": {tensor.Int8, tensor.Int16, tensor.Int32}},
		Limits: "Philox only", Shape: stochasticShape, Lower: stochasticLower},
}

// tagged reports whether the op's variable also holds the algorithm.
func tagged(n *ir.Node) bool { return n.Op == "StatefulStandardNormal" }

// generatorShape infers the shape of the output of an op that draws from a generator in a variable.
// The first inputs are resource, algorithm and shape; StatefulStandardNormal does not have the
// input algorithm. All inputs after shape are scalars.
func generatorShape(c *lower.Shaper) error {
	at := 2
	if tagged(c.Node) {
		at = 1
	} else if _, err := c.WithRank(1, 0); err != nil {
		return err
	}
	for i := at + 1; i < c.NumIn(); i++ {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	s, err := shapeInput(c, at)
	if err != nil {
		return err
	}
	c.Set(0, drawnType(c), s)
	return nil
}

// fromState appends the call that starts the stream t from the generator in input 0 and advances
// the generator. If the op has a range, minval and maxval are checked before the generator
// advances.
func fromState(b *lower.Builder, t plan.View) error {
	if i, ok := rangeInputs(b.Node); ok {
		check := any(random.Increasing32)
		if b.OutFact(0).DType == tensor.Int64 {
			check = random.Increasing64
		}
		b.Call(check, b.In(i), b.In(i+1))
	}
	p := plan.Lit(random.StateParams{}, "Skip", b.OutLen(0))
	if !tagged(b.Node) {
		if err := kit.RequireSame(b, b.InLen(1), sym.One, "the algorithm must have 1 element"); err != nil {
			return err
		}
		p = p.With("Alg", b.In(1))
	}
	b.Call(random.FromState, t, b.In(0), p)
	return nil
}

// rngSkipShape infers the shapes of the outputs of RngSkip and RngReadAndSkip. The inputs are
// resource, algorithm and delta. RngReadAndSkip returns the counter and the key in one vector.
func rngSkipShape(c *lower.Shaper) error {
	for i := 1; i < 3; i++ {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	if len(c.Node.Outs) > 0 {
		c.Set(0, tensor.Int64, ir.StaticShape(random.StreamLen))
	}
	return nil
}

func rngSkipLower(b *lower.Builder) error {
	if len(b.Node.Outs) == 0 {
		b.Call(random.Skip, b.In(0), b.In(1), b.In(2))
		return nil
	}
	b.Call(random.ReadAndSkip, b.Out(0), b.In(0), b.In(1), b.In(2))
	return nil
}

func nonDeterministicShape(c *lower.Shaper) error {
	s, err := shapeInput(c, 0)
	if err != nil {
		return err
	}
	c.Set(0, drawnType(c), s)
	return nil
}

func nonDeterministicLower(b *lower.Builder) error {
	if err := sizes(b); err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, random.NonDeterministic32, random.NonDeterministicU32, random.NonDeterministic64, random.NonDeterministicU64)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0))
	return nil
}

// indexShuffleShape infers the shape of the output of RandomIndexShuffle(index, seed, max_index).
// The inputs index and max_index are scalars or vectors of n elements. The seed is a vector of 3
// elements or a matrix of n rows. If none of them has n elements or rows, the result is a scalar,
// otherwise a vector of n elements.
func indexShuffleShape(c *lower.Shaper) error {
	d := c.Node.DType("dtype")
	index, seed, top := c.Shape(0), c.Shape(1), c.Shape(2)
	if !index.Known || !seed.Known || !top.Known {
		c.UnknownShape(0, d)
		return nil
	}
	r := len(seed.Dims)
	if len(index.Dims) > 1 || len(top.Dims) > 1 || r < 1 || r > 2 {
		return tensor.Errorf(tensor.InvalidArgument, "index and max_index must be scalars or vectors, seed a vector of 3 elements or a matrix with 3 columns, not %v, %v and %v", index, top, seed)
	}
	if lower.Differ(seed.Dims[r-1], sym.Int(3)) {
		return tensor.Errorf(tensor.InvalidArgument, "seed has the shape %v; 3 columns are required", seed)
	}
	n, err := indexCount(index, seed, top)
	if err != nil {
		return err
	}
	if n == nil {
		c.Set(0, d, ir.ShapeOf())
		return nil
	}
	c.Set(0, d, ir.ShapeOf(n))
	return nil
}

// indexCount returns the number of elements in the result of RandomIndexShuffle, or nil if the
// result is a scalar.
func indexCount(index, seed, top ir.Shape) (n *sym.Expr, err error) {
	for _, s := range []ir.Shape{index, top, ir.ShapeOf(seed.Dims[:len(seed.Dims)-1]...)} {
		switch {
		case len(s.Dims) == 0:
		case n == nil || kit.IsInt(s.Dims[0]) && !kit.IsInt(n):
			n = s.Dims[0]
		case lower.Differ(n, s.Dims[0]):
			return nil, tensor.Errorf(tensor.InvalidArgument, "index, seed and max_index must have equally many elements or rows, not %v and %v", n, s.Dims[0])
		}
	}
	return n, nil
}

func indexShuffleLower(b *lower.Builder) error {
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, random.IndexShuffleI32, random.IndexShuffleI64, random.IndexShuffleU32, random.IndexShuffleU64)
	if err != nil {
		return err
	}
	seed := b.In(1)
	if d := b.InFact(1).DType; d != tensor.Uint32 {
		seed = b.Temp(tensor.Uint32, b.InLen(1))
		b.Call(bytype.Cast[d][tensor.Uint32], kit.Writes(seed), b.In(1))
		seed = kit.Reads(seed)
	}
	s := b.InShape(1)
	if err := kit.RequireSame(b, s[len(s)-1], sym.Int(3), "seed must have 3 columns"); err != nil {
		return err
	}
	steps := [3]int{}
	for i := range steps {
		dims := b.InShape(i)
		if i == 1 {
			dims = dims[:len(dims)-1]
		}
		if len(dims) == 0 {
			continue
		}
		steps[i] = 1
		if err := kit.RequireSame(b, dims[0], b.OutLen(0), "index, seed and max_index must have equally many elements or rows"); err != nil {
			return err
		}
	}
	p := random.IndexParams{Index: steps[0], Seed: steps[1], Max: steps[2], Rounds: b.Node.Int("rounds")}
	if _, given := b.Node.Attrs["rounds"]; !given {
		p.Rounds = 4
	}
	b.Call(fn, b.Out(0), b.In(0), seed, b.In(2), plan.Lit(p, "N", b.OutLen(0)))
	return nil
}

var stochasticSeeds = Seeding{At: 1, v2: true, always: true}

// stochasticShape infers the shape of the output of StochasticCastToInt(input, key, counter, alg),
// which is that of input.
func stochasticShape(c *lower.Shaper) error {
	if err := stochasticSeeds.Shapes(c); err != nil {
		return err
	}
	c.Set(0, c.Node.DType("Tout"), c.Shape(0))
	return nil
}

func stochasticLower(b *lower.Builder) error {
	x, err := inF64(b, 0)
	if err != nil {
		return err
	}
	t, err := stochasticSeeds.Stream(b, sym.Zero)
	if err != nil {
		return err
	}
	from, to := b.InFact(0).DType, b.OutFact(0).DType
	p := random.RoundParams{Bits: random.Bits(from), Whole: 8 * to.Size()}
	if to == tensor.Int32 && (from == tensor.Float32 || from == tensor.Float64) {
		p.Group = 8 // TensorFlow converts 8 elements in one step
	}
	if to == tensor.Int32 {
		b.Call(random.StochasticRound, b.Out(0), x, t, p)
		return nil
	}
	wide := b.Temp(tensor.Int32, b.OutLen(0))
	b.Call(random.StochasticRound, kit.Writes(wide), x, t, p)
	b.Call(bytype.Cast[tensor.Int32][to], b.Out(0), kit.Reads(wide))
	return nil
}
