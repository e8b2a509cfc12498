package text

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/files"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// remapDefs describes the ops that make tensors from files: from matrices in checkpoints, from
// vocabularies, and from the bytes of a file.
var remapDefs = []*lower.Def{
	{Name: "ImmutableConst", Flags: kit.Looks, Limits: kit.BelowFiles, Access: lower.Touches(lower.FileAccess, "maps a file as a tensor"), Shape: immutableShape, Lower: immutableLower},
	{Name: "GenerateVocabRemapping", Flags: kit.Looks, Limits: kit.BelowFiles, Access: lower.Touches(lower.FileAccess, "reads vocabularies"), Shape: vocabShape, Lower: vocabLower},
	{Name: "LoadAndRemapMatrix", Level: lower.Reads, Flags: kit.Looks, Limits: kit.BelowFiles, Access: lower.Touches(lower.FileAccess, "reads a checkpoint"), Shape: remapMatrixShape, Lower: remapMatrixLower},
}

func immutableShape(c *lower.Shaper) error {
	s := lower.PartialAttr(c.Node, "shape")
	for _, d := range s.Dims {
		if d == nil {
			return tensor.Errorf(tensor.InvalidArgument, "the attribute shape must be fully defined")
		}
	}
	if !s.Known {
		return tensor.Errorf(tensor.InvalidArgument, "the attribute shape must be fully defined")
	}
	c.Set(0, c.Node.DType("dtype"), s)
	return nil
}

func immutableLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	if !d.IsData() || d == tensor.String {
		return b.Errorf(tensor.Unimplemented, "%v is not supported: elements must have a fixed size", d)
	}
	b.Call(files.Raw, b.Raw(b.Out(0)), plan.Files{}, b.Node.Str("memory_region_name"), d == tensor.Bool)
	return nil
}

// vocabShape infers the shapes of the outputs of GenerateVocabRemapping. Output 0 has an element
// for each line of the new vocabulary: the number of the same line in the old vocabulary. Output 1
// is the number of lines that are in both vocabularies.
func vocabShape(c *lower.Shaper) error {
	for i, what := range []string{"new_vocab_file", "old_vocab_file"} {
		if err := c.ScalarOr(i, what); err != nil {
			return err
		}
	}
	n := c.Node
	if n.Int("new_vocab_offset") < 0 || n.Int("num_new_vocab") < 0 {
		return tensor.Errorf(tensor.InvalidArgument, "new_vocab_offset is %d and num_new_vocab %d; both must be at least 0", n.Int("new_vocab_offset"), n.Int("num_new_vocab"))
	}
	c.Set(0, tensor.Int64, ir.ShapeOf(sym.Int(n.Int("num_new_vocab"))))
	c.Set(1, tensor.Int32, ir.ShapeOf())
	return nil
}

func vocabLower(b *lower.Builder) error {
	p := files.VocabParams{Offset: b.Node.Int("new_vocab_offset"), OldSize: -1}
	if _, given := b.Node.Attrs["old_vocab_size"]; given {
		p.OldSize = b.Node.Int("old_vocab_size")
	}
	if p.OldSize < -1 {
		return b.Errorf(tensor.InvalidArgument, "old_vocab_size is %d; at least -1 is required", p.OldSize)
	}
	b.Call(files.RemapVocab, b.Out(0), b.Out(1), plan.Files{}, b.In(0), b.In(1), p)
	return nil
}

// remapMatrixShape infers the shape of the output of LoadAndRemapMatrix(ckpt_path, old_tensor_name,
// row_remapping, col_remapping, initializing_values): a matrix of num_rows rows.
func remapMatrixShape(c *lower.Shaper) error {
	for i, what := range []string{"ckpt_path", "old_tensor_name"} {
		if err := c.ScalarOr(i, what); err != nil {
			return err
		}
	}
	rows, err := c.WithRank(2, 1)
	if err != nil {
		return err
	}
	if _, err := c.WithRank(3, 1); err != nil {
		return err
	}
	n := c.Node
	if n.Int("num_rows") < 0 || n.Int("num_cols") < 1 {
		return tensor.Errorf(tensor.InvalidArgument, "num_rows is %d and num_cols %d; at least 0 and 1 are required", n.Int("num_rows"), n.Int("num_cols"))
	}
	if rows.Known {
		if k, ok := rows.Dims[0].IsInt(); ok && k != n.Int("num_rows") {
			return tensor.Errorf(tensor.InvalidArgument, "row_remapping has %d elements, but num_rows is %d", k, n.Int("num_rows"))
		}
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(sym.Int(n.Int("num_rows")), sym.Int(n.Int("num_cols"))))
	return nil
}

func remapMatrixLower(b *lower.Builder) error {
	p := files.MatrixParams{Rows: b.Node.Int("num_rows"), Cols: b.Node.Int("num_cols")}
	b.Call(files.RemapMatrix, b.Out(0), plan.Files{}, b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), p)
	return nil
}
