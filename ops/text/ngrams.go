package text

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sets"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/kernels/strs"
	"github.com/graphc/graphc/lower"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	raggedops "github.com/graphc/graphc/ops/ragged"
	sparseops "github.com/graphc/graphc/ops/sparse"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// ngramDefs are n-grams, fingerprints and edit distance.
var ngramDefs = []*lower.Def{
	{Name: "StringNGrams", Limits: "at most 512 MiB of n-grams", Shape: stringNGramsShape, Lower: stringNGramsLower},
	{Name: "UnsortedSegmentJoin", Shape: segmentJoinShape, Lower: segmentJoinLower},
	{Name: "UnicodeScript", Shape: eachString(tensor.Int32), Lower: unicodeScriptLower},
	{Name: "Fingerprint", Types: kit.Moves, Shape: fingerprintShape, Lower: fingerprintLower},
	{Name: "SdcaFprint", Shape: sdcaFprintShape, Lower: sdcaFprintLower},
	{Name: "EditDistance", Traits: lower.NoGradient, Types: map[string][]tensor.DType{"T": kit.DistanceTypes}, Shape: editDistanceShape, Lower: editDistanceLower},
}

// stringNGramsShape infers the shapes of the outputs of StringNGrams(data, splits): the n-grams of
// all rows, and the row splits of the n-grams.
func stringNGramsShape(c *lower.Shaper) error {
	for _, w := range c.Node.Ints("ngram_widths") {
		if w < 1 || w > math.MaxInt32 {
			return tensor.Errorf(tensor.InvalidArgument, "ngram_widths must contain positive values, not %d", w)
		}
	}
	if w := c.Node.Int("pad_width"); w < math.MinInt32 || w > math.MaxInt32 {
		return tensor.Errorf(tensor.InvalidArgument, "pad_width is %d, which does not fit int32", w)
	}
	if _, err := c.WithRank(0, 1); err != nil {
		return err
	}
	s, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf(c.NewSize(0)))
	c.Set(1, c.In(1).DType, s)
	return nil
}

func stringNGramsLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	n := b.Node
	p := strs.NGramParams{Separator: n.Str("separator"), Left: n.Str("left_pad"), Right: n.Str("right_pad"),
		Pad: int(n.Int("pad_width")), Short: n.Bool("preserve_short_sequences")}
	var widths []*sym.Expr
	for _, w := range n.Ints("ngram_widths") {
		widths = append(widths, sym.Int(int(w)))
	}
	splits := kit.AsInt64(b, b.In(1))
	dst, done := raggedops.SplitsOut(b, 1)
	b.CallSizes(strs.NGramSplits, []*sym.Expr{b.NewSize(0)}, kit.Writes(dst), b.In(0), splits, widths, p)
	done()
	b.Call(strs.NGrams, b.Out(0), b.In(0), splits, widths, p)
	return nil
}

// segmentJoinShape infers the shape of the output of UnsortedSegmentJoin(inputs, segment_ids,
// num_segments), which joins the strings of each segment. The first dimensions of inputs are the
// dimensions of segment_ids.
func segmentJoinShape(c *lower.Shaper) error {
	if c.Shape(1).Rank() == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Segment_id cannot have rank 0")
	}
	if err := c.ScalarOr(2, "num_segments"); err != nil {
		return err
	}
	return indexops.UnsortedShape(c)
}

func segmentJoinLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	x, ids := b.InShape(0), b.InShape(1)
	for k, e := range ids {
		if !e.Equal(x[k]) {
			b.Check(shape.Equal, e, x[k], "data.shape must start with segment_ids.shape")
		}
	}
	n, _, err := kit.OneInt(b.Shaper(), 2, "num_segments")
	if err != nil {
		return err
	}
	kit.BindSize(b, 0, 0, n, "num_segments")
	count := b.InLen(1)
	b.Call(strs.SegmentJoin, b.Out(0), b.In(0), kit.AsInt64(b, b.In(1)), sym.Product(x[len(ids):]), b.Node.Str("separator"),
		b.Temp(tensor.Int32, b.OutShape(0)[0]), b.Temp(tensor.Int32, count))
	return nil
}

func unicodeScriptLower(b *lower.Builder) error {
	b.Call(strs.Script, b.Out(0), b.In(0))
	return nil
}

// fingerprintShape infers the shape of the output of Fingerprint(data, method): a matrix with a
// fingerprint of 8 bytes for each row of data.
func fingerprintShape(c *lower.Shaper) error {
	if err := c.ScalarOr(1, "method"); err != nil {
		return err
	}
	x := c.Shape(0)
	if x.Rank() == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "`data` should have at least one dimension: %v", x)
	}
	if t := c.Const(1); t != nil && t.DType == tensor.String {
		if err := strs.FingerprintMethod(tensor.Data[string](t)); err != nil {
			return err
		}
	}
	if !x.Known {
		c.UnknownShape(0, tensor.Uint8)
		return nil
	}
	c.Set(0, tensor.Uint8, ir.ShapeOf(x.Dims[0], sym.Int(8)))
	return nil
}

func fingerprintLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0); err != nil {
		return err
	}
	if b.InConst(1) == nil {
		b.Call(strs.FingerprintMethod, b.In(1))
	}
	d := b.InFact(0).DType
	n := raggedops.RawLen(d, b.InShape(0)[1:])
	if d == tensor.String {
		b.Call(strs.FingerprintStr, b.Out(0), b.In(0), n, b.Temp(tensor.Uint8, n.MulInt(8)))
	} else {
		b.Call(strs.FingerprintRaw, b.Out(0), b.Raw(b.In(0)), n)
	}
	return nil
}

// sdcaFprintShape infers the shape of the output of SdcaFprint(input): a matrix of int64 with 2
// columns and a row for each string.
func sdcaFprintShape(c *lower.Shaper) error {
	s, err := c.WithRank(0, 1)
	if err != nil {
		return err
	}
	if !s.Known {
		c.UnknownShape(0, tensor.Int64)
		return nil
	}
	c.Set(0, tensor.Int64, ir.ShapeOf(s.Dims[0], sym.Int(2)))
	return nil
}

func sdcaFprintLower(b *lower.Builder) error {
	b.Call(strs.Sdca, b.Out(0), b.In(0))
	return nil
}

// editDistanceShape infers the shape of the output of EditDistance(hypothesis, truth). The op
// compares the sequences along the last dimension of two sparse tensors. The output has the other
// dimensions, and one distance for each pair of sequences. If the operands differ in the size of a
// dimension, the output has the larger size.
func editDistanceShape(c *lower.Shaper) error {
	h, err := sparseops.SparseInput(c, 0)
	if err != nil {
		return err
	}
	t, err := sparseops.SparseInput(c, 3)
	if err != nil {
		return err
	}
	if h != nil && t != nil {
		if h, err = kit.JoinDim(h, t, "the ranks of hypothesis and truth"); err != nil {
			return err
		}
	} else if h == nil {
		h = t
	}
	rank, ok := 0, false
	if h != nil {
		rank, ok = h.IsInt()
	}
	if !ok {
		c.UnknownShape(0, tensor.Float32)
		return nil
	}
	if rank < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "Input SparseTensors must have rank at least 2, not %d", rank)
	}
	dims := make([]*sym.Expr, rank-1)
	hs, ok1 := c.StaticInts(2)
	ts, ok2 := c.StaticInts(5)
	for k := range dims {
		if dims[k] = c.NewSizeK(0, k); ok1 && ok2 && len(hs) == rank && len(ts) == rank {
			if hs[k] < 0 || ts[k] < 0 {
				return tensor.Errorf(tensor.InvalidArgument, "Dimension %d must be >= 0", min(hs[k], ts[k]))
			}
			dims[k] = sym.Int(max(hs[k], ts[k]))
		}
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(dims...))
	return nil
}

func editDistanceLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2, 3, 4, 5); err != nil {
		return err
	}
	h, t := b.InShape(0), b.InShape(3)
	p := plan.Lit(sets.DistanceParams{Normalize: b.Node.Bool("normalize")}, "RowsH", h[0], "ColsH", h[1], "RowsT", t[0], "ColsT", t[1])
	b.Call(sets.DistanceCheck, b.In(2), b.In(5), b.InLen(1), b.InLen(4), p)
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(sets.DistanceDim, size, b.In(2), b.In(5), k)
	})
	fn, err := kit.KernelThird(b, b.InFact(1).DType, sets.DistanceF32, sets.DistanceF64, sets.DistanceF16, sets.DistanceBF16, sets.DistanceC64, sets.DistanceC128,
		sets.DistanceI8, sets.DistanceI16, sets.DistanceI32, sets.DistanceI64, sets.DistanceU8, sets.DistanceU16, sets.DistanceU32, sets.DistanceU64,
		sets.DistanceBool, sets.DistanceStr)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), b.In(5), b.Temp(tensor.Int32, b.InLen(4).AddInt(1)), p)
	return nil
}
