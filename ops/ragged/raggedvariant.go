package ragged

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/ragged"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// raggedVariantDefs describes the ops that convert between ragged tensors and variants. Loops over
// the rows of a ragged tensor use such variants.
var raggedVariantDefs = []*lower.Def{
	{Name: "RaggedTensorToVariant", Flags: lower.NoFold | lower.Effect, Makes: lower.Ragged, Types: map[string][]tensor.DType{"Tvalues": kit.DataTypes}, Shape: toVariantShape, Lower: toVariantLower},
	{Name: "RaggedTensorFromVariant", Flags: lower.NoFold, Wants: lower.Ragged, Holding: &lower.Holding{LooksInside: true}, Types: map[string][]tensor.DType{"Tvalues": kit.DataTypes},
		Limits: "the graph must determine the rank of the values", Shape: fromVariantShape, Lower: fromVariantLower},
	{Name: "RaggedTensorToVariantGradient", Flags: lower.NoFold, Types: map[string][]tensor.DType{"Tvalues": kit.DataTypes},
		Limits: "the rank of dense_values_shape must be known", Shape: variantGradShape, Lower: variantGradLower},
}

// toVariantShape infers the shape of the output of RaggedTensorToVariant(splits…, values). The
// output is a single variant or, if attribute batched_input is set, a vector with one variant for
// each row.
func toVariantShape(c *lower.Shaper) error {
	n := c.Node.Int("RAGGED_RANK")
	if n < 0 || c.NumIn() != n+1 {
		return tensor.Errorf(tensor.InvalidArgument, "RAGGED_RANK is %d, but the node has %d inputs", n, c.NumIn())
	}
	if err := partitions(c, 0, n); err != nil {
		return err
	}
	batched := c.Node.Bool("batched_input")
	if n > 0 || batched {
		if err := atLeastVector(c, n, "rt_dense_values"); err != nil {
			return err
		}
	}
	if !batched {
		c.Set(0, tensor.Variant, ir.ShapeOf())
		return nil
	}
	s := c.Shape(0)
	switch {
	case !s.Known:
		c.UnknownShape(0, tensor.Variant)
	case n == 0:
		c.Set(0, tensor.Variant, ir.ShapeOf(s.Dims[0]))
	case s.Dims[0].Is(0):
		return tensor.Errorf(tensor.InvalidArgument, "Invalid ragged splits: ragged splits must have at least one splits, but is empty")
	default:
		c.Set(0, tensor.Variant, ir.ShapeOf(s.Dims[0].AddInt(-1)))
	}
	return nil
}

func toVariantLower(b *lower.Builder) error {
	n := b.Node.Int("RAGGED_RANK")
	if err := kit.Ranked(b, n); err != nil {
		return err
	}
	d := b.InFact(n).DType
	p := ragged.VariantParams{Values: int(d), Splits: int(splitsType(b.Node, "Tsplits")), Batched: b.Node.Bool("batched_input")}
	splits, lens := arrayops.None(b, tensor.Int64), []*sym.Expr{}
	if n > 0 {
		if err := kit.AtLeast(b, b.InLen(0), 1, "the number of row splits"); err != nil {
			return err
		}
		splits, lens = wideIns(b, 0, n)
	}
	b.Call(lower.ByKind(d, ragged.ToVariantRaw, ragged.ToVariantStr, nil), b.Out(0), b.Raw(b.In(n)), splits, lens, append([]*sym.Expr{}, b.InShape(n)...), p)
	return nil
}

// raggedRank looks for the nodes that made the ragged tensors in the variants o. It returns the
// rank of the values of these tensors, or false if the graph does not determine the rank.
func raggedRank(t *lower.Table, o ir.Out) (int, bool) {
	rank, ok := -1, true
	t.WalkVariants(o, func(n *ir.Node) bool {
		if !ok || n.Op != "RaggedTensorToVariant" {
			return ok
		}
		r := n.Ins[len(n.Ins)-1].Fact().Shape.Rank()
		if len(n.Ins) == 1 && n.Bool("batched_input") {
			r--
		}
		ok = r >= 0 && (rank < 0 || rank == r)
		rank = r
		return false
	})
	return rank, ok && rank >= 0
}

// variantDepth returns the number of row splits of the ragged tensor in each variant. It returns an
// error if the attributes input_ragged_rank and output_ragged_rank do not fit the shape of the
// variants.
func variantDepth(n *ir.Node, variants ir.Shape) (int, error) {
	in, out := n.Int("input_ragged_rank"), n.Int("output_ragged_rank")
	if in == -1 {
		if in = out - len(variants.Dims); in < 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found %d", in)
		}
	}
	if out != len(variants.Dims)+in {
		return 0, tensor.Errorf(tensor.InvalidArgument, "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: %d, input_ragged_rank: %d, encoded_variant.dims(): %d.", out, in, len(variants.Dims))
	}
	return in, nil
}

// fromVariantShape infers the shapes of the outputs of RaggedTensorFromVariant(encoded), which
// joins the ragged tensors in all variants into one. The outputs are the row splits for the
// dimensions of encoded, then the row splits of the joined tensors, and then the values.
func fromVariantShape(c *lower.Shaper) error {
	out := c.Node.Int("output_ragged_rank")
	if len(c.Node.Outs) != out+1 {
		return tensor.Errorf(tensor.InvalidArgument, "output_ragged_rank is %d, but the node has %d outputs", out, len(c.Node.Outs))
	}
	s := c.Shape(0)
	d, st := c.Node.DType("Tvalues"), splitsType(c.Node, "Tsplits")
	for k := range out {
		c.Set(k, st, ir.ShapeOf(c.NewSize(k)))
	}
	c.UnknownShape(out, d)
	if !s.Known {
		return nil
	}
	if _, err := variantDepth(c.Node, s); err != nil {
		return err
	}
	for k := range len(s.Dims) {
		c.Set(k, st, ir.ShapeOf(sym.Product(s.Dims[:k+1]).AddInt(1)))
	}
	rank, ok := raggedRank(c.Table, c.Node.Ins[0])
	if s.Len().Is(0) {
		rank, ok = 1, true // the rank that TensorFlow uses if there are no variants
	}
	if !ok {
		return nil
	}
	dims := make([]*sym.Expr, rank)
	for k := range dims {
		dims[k] = c.NewSizeK(out, k)
	}
	c.Set(out, d, ir.ShapeOf(dims...))
	return nil
}

func fromVariantLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0); err != nil {
		return err
	}
	s := b.InShape(0)
	depth, err := variantDepth(b.Node, ir.ShapeOf(s...))
	if err != nil {
		return err
	}
	out := len(s) + depth
	d := b.OutFact(out).DType
	p := ragged.VariantParams{Values: int(d), Splits: int(splitsType(b.Node, "Tsplits")), Depth: depth}
	src := b.In(0)
	b.Call(ragged.Decode, src, append([]*sym.Expr{}, s...), p)
	for k := range out {
		level := k - len(s)
		if level >= 0 {
			b.CallSizes(ragged.SplitsLen, []*sym.Expr{b.NewSize(k)}, src, level)
		}
		if !b.OutUsed(k) {
			continue
		}
		dst, done := SplitsOut(b, k)
		switch {
		case level >= 0:
			b.Call(ragged.Splits, kit.Writes(dst), src, level)
		case level == -1:
			b.Call(ragged.RowLengths, kit.Writes(dst), src)
		default:
			b.Call(ragged.RegularSplits, kit.Writes(dst), s[k+1])
		}
		done()
	}
	if !b.OutFact(out).Shape.Known {
		if b.OutUsed(out) {
			return lower.UnknownRank(b.Node, out)
		}
		return nil
	}
	rank := len(b.OutShape(out))
	for k := range rank {
		b.CallSizes(ragged.ValuesDim, []*sym.Expr{b.NewSizeK(out, k)}, src, k, rank)
	}
	if b.OutUsed(out) {
		b.Call(lower.ByKind(d, ragged.ValuesRaw, ragged.ValuesStr, nil), b.Raw(b.Out(out)), int(d), src)
	}
	return nil
}

// variantGradShape infers the shape of the output of RaggedTensorToVariantGradient(variants,
// row_splits, dense_values_shape). The output holds the values of all variants, one after the
// other.
func variantGradShape(c *lower.Shaper) error {
	dims, err := kit.DimsOf(c, 2)
	if err != nil {
		return err
	}
	d := c.Node.DType("Tvalues")
	if dims == nil {
		c.UnknownShape(0, d)
		return nil
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	return nil
}

func variantGradLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2); err != nil {
		return err
	}
	kit.BindDims(b, 2)
	d := b.OutFact(0).DType
	p := ragged.VariantParams{Values: int(d), Splits: int(b.InFact(1).DType)}
	out := b.OutShape(0)
	b.Call(lower.ByKind(d, ragged.GradRaw, ragged.GradStr, nil), b.Raw(b.Out(0)), b.OutLen(0), b.In(0), kit.AsInt64(b, b.In(1)), sym.Product(out[min(1, len(out)):]), p)
	return nil
}
