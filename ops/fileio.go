package ops

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/files"
	"github.com/graphc/graphc/kernels/strs"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

const belowFiles = "with --allow-files only, below the directory that the program is given"

// fileDefs are files as such.
var fileDefs = slices.Concat([]*Def{
	{Name: "ReadFile", Level: Reads, Flags: looks, Limits: belowFiles + "; 512 MiB at most", Access: touches(FileAccess, "reads a file"), Shape: readFileShape, Lower: readFileLower},
	{Name: "WriteFile", Flags: changes, Limits: belowFiles, Access: touches(FileAccess, "writes a file"), Shape: writeFileShape, Lower: writeFileLower},
	{Name: "MatchingFiles", Level: Reads, Flags: looks, Limits: belowFiles, Access: touches(FileAccess, "looks for files"), Shape: matchingFilesShape, Lower: matchingFilesLower},
}, remapDefs)

func readFileShape(c *Shaper) error {
	if err := c.scalarOr(0, "filename"); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func readFileLower(b *Builder) error {
	b.Call(files.Read, b.Out(0), plan.Files{}, b.In(0))
	return nil
}

func writeFileShape(c *Shaper) error {
	if err := c.scalarOr(0, "filename"); err != nil {
		return err
	}
	return c.scalarOr(1, "contents")
}

func writeFileLower(b *Builder) error {
	b.Call(files.Write, plan.Files{}, b.In(0), b.In(1))
	return nil
}

// matchingFilesShape: the names that match a pattern or a list of them.
func matchingFilesShape(c *Shaper) error {
	if s := c.Shape(0); s.Known && len(s.Dims) > 1 {
		return tensor.Errorf(tensor.InvalidArgument, "pattern must be a scalar or a vector, not of the shape %v", s)
	}
	c.Set(0, tensor.String, ir.ShapeOf(c.NewSize(0)))
	return nil
}

func matchingFilesLower(b *Builder) error {
	found := b.Temp(tensor.Variant, sym.One)
	b.CallSizes(files.Match, []*sym.Expr{b.NewSize(0)}, writes(found), plan.Files{}, b.In(0))
	b.Call(files.Names, b.Out(0), reads(found))
	return nil
}

// printsTo is the access of PrintV2: its output_stream may be a file's name.
func printsTo(n *ir.Node) (Access, string) {
	if s := n.Str("output_stream"); strs.ToFile(s) {
		return FileAccess, "writes to the file " + s
	}
	return NoAccess, ""
}
