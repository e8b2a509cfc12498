package text

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/files"
	"github.com/graphc/graphc/kernels/strs"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// fileDefs read, write and list files.
var fileDefs = slices.Concat([]*lower.Def{
	{Name: "ReadFile", Level: lower.Reads, Flags: kit.Looks, Limits: kit.BelowFiles + "; at most 512 MiB", Access: lower.Touches(lower.FileAccess, "reads a file"), Shape: readFileShape, Lower: readFileLower},
	{Name: "WriteFile", Flags: kit.Changes, Limits: kit.BelowFiles, Access: lower.Touches(lower.FileAccess, "writes a file"), Shape: writeFileShape, Lower: writeFileLower},
	{Name: "MatchingFiles", Level: lower.Reads, Flags: kit.Looks, Limits: kit.BelowFiles, Access: lower.Touches(lower.FileAccess, "looks for files"), Shape: matchingFilesShape, Lower: matchingFilesLower},
}, remapDefs)

func readFileShape(c *lower.Shaper) error {
	if err := c.ScalarOr(0, "filename"); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func readFileLower(b *lower.Builder) error {
	b.Call(files.Read, b.Out(0), plan.Files{}, b.In(0))
	return nil
}

func writeFileShape(c *lower.Shaper) error {
	if err := c.ScalarOr(0, "filename"); err != nil {
		return err
	}
	return c.ScalarOr(1, "contents")
}

func writeFileLower(b *lower.Builder) error {
	b.Call(files.Write, plan.Files{}, b.In(0), b.In(1))
	return nil
}

// matchingFilesShape infers the shape of the output of MatchingFiles. The input is one pattern or a
// vector of patterns. The output is a vector with the names of the files that match a pattern.
func matchingFilesShape(c *lower.Shaper) error {
	if s := c.Shape(0); s.Known && len(s.Dims) > 1 {
		return tensor.Errorf(tensor.InvalidArgument, "pattern must be a scalar or a vector, not of the shape %v", s)
	}
	c.Set(0, tensor.String, ir.ShapeOf(c.NewSize(0)))
	return nil
}

func matchingFilesLower(b *lower.Builder) error {
	found := b.Temp(tensor.Variant, sym.One)
	b.CallSizes(files.Match, []*sym.Expr{b.NewSize(0)}, kit.Writes(found), plan.Files{}, b.In(0))
	b.Call(files.Names, b.Out(0), kit.Reads(found))
	return nil
}

// printsTo returns the kind of file access that a PrintV2 node needs. It writes to a file if
// attribute output_stream is the name of a file.
func printsTo(n *ir.Node) (lower.Access, string) {
	if s := n.Str("output_stream"); strs.ToFile(s) {
		return lower.FileAccess, "writes to the file " + s
	}
	return lower.NoAccess, ""
}
