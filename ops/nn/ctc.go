package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/ctc"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var ctcTypes = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64}}

// ctcDefs describes the ops of connectionist temporal classification.
var ctcDefs = []*lower.Def{
	{Name: "CTCLoss", Flags: lower.Expensive, Types: ctcTypes, Shape: ctcLossShape, Lower: ctcLossLower},
	{Name: "CTCGreedyDecoder", Flags: lower.Expensive, Types: ctcTypes, Shape: ctcDecoderShape, Lower: ctcDecoderLower},
	{Name: "CTCBeamSearchDecoder", Flags: lower.Expensive, Types: ctcTypes, Shape: ctcDecoderShape, Lower: ctcDecoderLower},
}

// ctcBatch returns the shape of input 0, the logits, which must be [T, B, C]. Parameter at is the
// number of another input, sequence_length, which must have one element for each of the B
// sequences.
func ctcBatch(c *lower.Shaper, at int) (logits ir.Shape, err error) {
	if logits, err = c.WithRank(0, 3); err != nil {
		return logits, err
	}
	lens, err := c.WithRank(at, 1)
	if err != nil || !logits.Known || !lens.Known {
		return logits, err
	}
	batch, err := kit.JoinDim(logits.Dims[1], lens.Dims[0], "the batch and sequence_length")
	return ir.ShapeOf(logits.Dims[0], batch, logits.Dims[2]), err
}

// ctcLossShape infers the shapes of the outputs of CTCLoss. The inputs are inputs [T, B, C],
// labels_indices [N, 2], labels_values [N] and sequence_length [B].
func ctcLossShape(c *lower.Shaper) error {
	logits, err := ctcBatch(c, 3)
	if err != nil {
		return err
	}
	at, err := c.WithRank(1, 2)
	if err != nil {
		return err
	}
	values, err := c.WithRank(2, 1)
	if err != nil {
		return err
	}
	if at.Known && values.Known {
		if _, err := kit.JoinDim(at.Dims[0], values.Dims[0], "the rows of labels_indices and labels_values"); err != nil {
			return err
		}
	}
	d := c.In(0).DType
	loss := ir.Shape{}
	if logits.Known {
		loss = ir.ShapeOf(logits.Dims[1])
	}
	c.Set(0, d, loss)
	c.Set(1, d, logits)
	return nil
}

func ctcLossLower(b *lower.Builder) error {
	s := b.InShape(0)
	if err := kit.RequireSame(b, b.InLen(3), s[1], "sequence_length must have an element for each of the batch"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(1)[1], sym.Int(2), "labels_indices must have two columns"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(1)[0], b.InLen(2), "labels_indices and labels_values must have the same rows"); err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.InFact(0).DType, ctc.LossF32, ctc.LossF64)
	if err != nil {
		return err
	}
	labels := b.InLen(2)
	q := plan.Lit(ctc.LossParams{Collapse: b.Node.Bool("preprocess_collapse_repeated"), Merge: b.Node.Bool("ctc_merge_repeated"),
		IgnoreLonger: b.Node.Bool("ignore_longer_outputs_than_inputs")}, "Steps", s[0], "Batch", s[1], "Classes", s[2], "Labels", labels)
	b.Call(fn, b.Out(0), b.Out(1), b.In(0), b.In(1), b.In(2), b.In(3), b.Temp(tensor.Int32, labels), kit.Scratch(b, b.InFact(0).DType, ctc.LossScratchLen, q), q)
	return nil
}

// topPaths returns the number of paths that a decoder outputs.
func topPaths(n *ir.Node) int {
	if n.Op == "CTCGreedyDecoder" {
		return 1
	}
	return n.Int("top_paths")
}

// ctcDecoderShape infers the shapes of the outputs of CTCGreedyDecoder and CTCBeamSearchDecoder.
// The outputs are first the indices of one sparse tensor for each path, then the values of these
// tensors, then their shapes, and finally the scores [batch, paths].
func ctcDecoderShape(c *lower.Shaper) error {
	logits, err := ctcBatch(c, 1)
	if err != nil {
		return err
	}
	top := topPaths(c.Node)
	for k := range top {
		n := c.NewSize(top + k)
		c.Set(k, tensor.Int64, ir.ShapeOf(n, sym.Int(2)))
		c.Set(top+k, tensor.Int64, ir.ShapeOf(n))
		c.Set(2*top+k, tensor.Int64, ir.StaticShape(2))
	}
	out := ir.Shape{}
	if logits.Known {
		out = ir.ShapeOf(logits.Dims[1], sym.Int(top))
	}
	c.Set(3*top, c.In(0).DType, out)
	return nil
}

func ctcDecoderLower(b *lower.Builder) error {
	s, d := b.InShape(0), b.InFact(0).DType
	b.Check(shape.Precondition, b.InLen(1), s[1], "sequence_length must have an element for each of the batch")
	top := topPaths(b.Node)
	n := s[0].Mul(s[1])
	paths, sizes := b.Temp(tensor.Int64, n.MulInt(top)), b.Temp(tensor.Int64, s[1].MulInt(top))
	p := ctc.Params{Blank: b.Node.Int("blank_index"), Merge: b.Node.Bool("merge_repeated"), Beam: b.Node.Int("beam_width"), Top: top}
	q := plan.Lit(p, "Steps", s[0], "Batch", s[1], "Classes", s[2])
	kernels := []any{ctc.BeamF32, ctc.BeamF64}
	if b.Node.Op == "CTCGreedyDecoder" {
		kernels = []any{ctc.GreedyF32, ctc.GreedyF64}
	}
	fn, err := kit.KernelThird(b, d, kernels...)
	if err != nil {
		return err
	}
	b.Call(fn, kit.Writes(paths), kit.Writes(sizes), b.Out(3*top), b.In(0), b.In(1), q)
	for k := range top {
		b.CallSizes(ctc.Sparse, []*sym.Expr{b.NewSize(top + k)}, b.OutCap(k, n.MulInt(2)), b.OutCap(top+k, n), b.Out(2*top+k), kit.Reads(paths), kit.Reads(sizes), k, q)
	}
	return nil
}
