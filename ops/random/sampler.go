package random

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// samplerDefs are candidate samplers. They draw a few classes that represent all classes in a loss,
// and return how often each class is expected to be drawn. Samplers that learn the frequencies of
// classes keep their counts from run to run.
var samplerDefs = []*lower.Def{
	{Name: "UniformCandidateSampler", Level: lower.Reads, Flags: drawn, Shape: samplerShape, Lower: samplerLower},
	{Name: "LogUniformCandidateSampler", Level: lower.Reads, Flags: drawn, Shape: samplerShape, Lower: samplerLower},
	{Name: "LearnedUnigramCandidateSampler", Level: lower.Reads, Flags: drawn, Shape: samplerShape, Lower: samplerLower},
	{Name: "ThreadUnsafeUnigramCandidateSampler", Level: lower.Reads, Flags: drawn, Shape: samplerShape, Lower: samplerLower},
	{Name: "FixedUnigramCandidateSampler", Level: lower.Reads, Flags: drawn, Shape: samplerShape, Lower: samplerLower},
	{Name: "AllCandidateSampler", Level: lower.Reads, Flags: drawn, Shape: samplerShape, Lower: samplerLower},
	{Name: "SobolSample", Types: kit.AttrTypes("dtype", kit.DoubleTypes), Shape: sobolShape, Lower: sobolLower},
	{Name: "ComputeAccidentalHits", Shape: hitsShape, Lower: hitsLower},
	{Name: "Skipgram", Flags: drawn, Limits: "refused: it reads a file at run time", Shape: skipgramShape, Lower: skipgramLower},
}

// samplerRange returns the number of classes, or InvalidArgument for invalid attributes.
func samplerRange(n *ir.Node) (int, error) {
	if n.Op == "AllCandidateSampler" {
		return n.Int("num_sampled"), nil
	}
	r := n.Int("range_max")
	switch {
	case r <= 0:
		return 0, tensor.Errorf(tensor.InvalidArgument, "range_max must be positive, not %d", r)
	case strings.Contains(n.Op, "Unigram") && r >= math.MaxInt32:
		return 0, tensor.Errorf(tensor.InvalidArgument, "range_max must be less than %d, not %d", math.MaxInt32, r)
	}
	return r, nil
}

// samplerShape infers the shapes of the outputs of a candidate sampler. The input is true_classes
// [batch, num_true]. Output 0 holds num_sampled classes. Outputs 1 and 2 say how often each true
// class and each sampled class is expected to be drawn.
func samplerShape(c *lower.Shaper) error {
	n := c.Node
	sampled, columns := n.Int("num_sampled"), n.Int("num_true")
	if sampled < 1 || columns < 1 {
		return tensor.Errorf(tensor.InvalidArgument, "num_sampled and num_true must be positive, not %d and %d", sampled, columns)
	}
	size, err := samplerRange(n)
	if err != nil {
		return err
	}
	s, err := trueClasses(c)
	if err != nil {
		return err
	}
	if n.Bool("unique") && sampled > size {
		return tensor.Errorf(tensor.InvalidArgument, "Sampler's range is too small: %d distinct classes out of %d", sampled, size)
	}
	c.Set(0, tensor.Int64, ir.StaticShape(sampled))
	c.Set(1, tensor.Float32, s)
	c.Set(2, tensor.Float32, ir.StaticShape(sampled))
	return nil
}

// trueClasses checks input 0, [batch, num_true], and returns its shape.
func trueClasses(c *lower.Shaper) (ir.Shape, error) {
	s, err := c.WithRank(0, 2)
	if err != nil || !s.Known {
		return s, err
	}
	columns := sym.Int(c.Node.Int("num_true"))
	if lower.Differ(s.Dims[1], columns) {
		return s, tensor.Errorf(tensor.InvalidArgument, "true_classes has the shape %v; %v columns are required", s, columns)
	}
	return ir.ShapeOf(s.Dims[0], columns), nil
}

func samplerLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0); err != nil {
		return err
	}
	n := b.Node
	sampled := n.Int("num_sampled")
	size, err := samplerRange(n)
	if err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(0)[1], sym.Int(n.Int("num_true")), "true_classes must have num_true columns"); err != nil {
		return err
	}
	p := random.CandidateParams{Range: size, Reachable: size, Unique: n.Bool("unique")}
	out := []any{b.Out(0), b.Out(1), b.Out(2), b.In(0)}
	if n.Op == "AllCandidateSampler" {
		b.Call(random.AllCandidates, append(out, p)...)
		return nil
	}
	set := 0
	if p.Unique {
		set = 1 << bits.Len(uint(2*sampled-1))
	}
	var more []any
	fn := any(random.UniformCandidates)
	switch n.Op {
	case "LogUniformCandidateSampler":
		fn = random.LogUniformCandidates
	case "LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler":
		fn = random.UnigramCandidates
		more = []any{b.Kept("unigrams@"+n.Name, random.NewUnigram, size)}
	case "FixedUnigramCandidateSampler":
		fn = random.FixedCandidates
		weights, total, err := unigrams(b, size)
		if err != nil {
			return err
		}
		keep, other, reachable := random.Alias(weights)
		p.Reachable = reachable
		vector := func(d tensor.DType, data any) plan.View {
			return b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{size}, Data: data})
		}
		more = []any{vector(tensor.Float32, weights), vector(tensor.Float32, keep), vector(tensor.Int32, other), total}
	}
	t, err := Seeding{Stateful: true}.Stream(b, sym.Int(512*sampled))
	if err != nil {
		return err
	}
	args := append(append(out, b.Temp(tensor.Int64, sym.Int(set)), t), more...)
	b.Call(fn, append(args, p)...)
	return nil
}

// unigrams returns the weight of each class, raised to the power of distortion, and the sum of
// these weights. The weights are the value of attribute unigrams or, if attribute vocab_file is
// set, the last columns of the lines of that file. Reserved classes have the weight 0. If there are
// several shards, only the classes of the node's shard are returned.
func unigrams(b *lower.Builder, size int) (weights []float32, total float32, err error) {
	n := b.Node
	file := n.Str("vocab_file")
	given, _ := n.Attrs["unigrams"].([]float32)
	shards, shard := n.Int("num_shards"), n.Int("shard")
	switch {
	case file == "" && len(given) == 0:
		return nil, 0, tensor.Errorf(tensor.InvalidArgument, "Must provide either vocab_file or unigrams.")
	case file != "" && len(given) > 0:
		return nil, 0, tensor.Errorf(tensor.InvalidArgument, "Must only provide one of vocab_file and unigrams.")
	case shards < 1:
		return nil, 0, tensor.Errorf(tensor.InvalidArgument, "num_shards must be positive, not %d", shards)
	}
	if file != "" {
		text, err := b.File(file)
		if err != nil {
			return nil, 0, err
		}
		if given, err = lastColumns(string(text)); err != nil {
			return nil, 0, err
		}
	}
	for id := 0; id < n.Int("num_reserved_ids") && len(weights) <= size; id++ {
		if id%shards == shard {
			weights = append(weights, 0)
		}
	}
	id := len(weights)
	for _, w := range given {
		if id%shards == shard {
			w = float32(math.Pow(float64(w), float64(n.Float("distortion"))))
			total += w
			weights = append(weights, w)
		}
		id++
	}
	if len(weights) != size {
		return nil, 0, tensor.Errorf(tensor.InvalidArgument, "range is %d, must be equal to weights size %d", size, len(weights))
	}
	return weights, total, nil
}

// lastColumns parses the number after the last comma of every nonempty line.
func lastColumns(text string) ([]float32, error) {
	var r []float32
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "")) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndex(line, ",")+1:]), 32)
		if err != nil && !math.IsInf(v, 0) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Wrong vocabulary format at line: %s", line)
		}
		r = append(r, float32(v))
	}
	return r, nil
}

// hitsShape infers the shapes of the outputs of ComputeAccidentalHits(true_classes,
// sampled_candidates): three vectors of equal length.
func hitsShape(c *lower.Shaper) error {
	if _, err := trueClasses(c); err != nil {
		return err
	}
	if _, err := c.WithRank(1, 1); err != nil {
		return err
	}
	n := c.NewSize(0)
	c.Set(0, tensor.Int32, ir.ShapeOf(n))
	c.Set(1, tensor.Int64, ir.ShapeOf(n))
	c.Set(2, tensor.Float32, ir.ShapeOf(n))
	return nil
}

func hitsLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	columns := b.Node.Int("num_true")
	if err := kit.RequireSame(b, b.InShape(0)[1], sym.Int(columns), "true_classes must have num_true columns"); err != nil {
		return err
	}
	most := b.InLen(0)
	b.CallSizes(random.Hits, []*sym.Expr{b.NewSize(0)}, b.OutCap(0, most), b.OutCap(1, most), b.OutCap(2, most),
		b.In(0), b.In(1), b.Temp(tensor.Int64, b.InLen(1)), columns)
	return nil
}

func skipgramShape(c *lower.Shaper) error {
	return tensor.Errorf(tensor.PermissionDenied, "Skipgram reads the file %q at run time, but programs cannot open files for it", c.Node.Str("filename"))
}

func skipgramLower(b *lower.Builder) error { return skipgramShape(b.Shaper()) }
