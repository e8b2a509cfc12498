package ops

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/files"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// readerDefs are readers of files whose names come from a queue. A reader's
// handle of TensorFlow 1, a reference to strings, is a resource here.
var readerDefs = readers()

func readers() (defs []*Def) {
	opens := touches(FileAccess, "reads files whose names a run tells")
	for _, v := range []string{"", "V2"} {
		for _, name := range []string{"WholeFileReader", "TextLineReader", "FixedLengthRecordReader", "TFRecordReader"} {
			defs = append(defs, &Def{Name: name + v, Flags: looks, Limits: belowFiles, Access: opens, Shape: handleShape, Lower: readerLower})
		}
		defs = append(defs,
			&Def{Name: "IdentityReader" + v, Flags: looks, Shape: handleShape, Lower: readerLower},
			&Def{Name: "ReaderRead" + v, Flags: changes, Shape: readerReadShape, Lower: readerReadLower},
			&Def{Name: "ReaderReadUpTo" + v, Flags: changes, Shape: readerReadUpToShape, Lower: readerReadUpToLower},
			&Def{Name: "ReaderNumRecordsProduced" + v, Level: Reads, Flags: looks, Shape: scalarShape(tensor.Int64), Lower: readerCallLower(files.Produced)},
			&Def{Name: "ReaderNumWorkUnitsCompleted" + v, Level: Reads, Flags: looks, Shape: scalarShape(tensor.Int64), Lower: readerCallLower(files.Completed)},
			&Def{Name: "ReaderReset" + v, Flags: changes, Shape: withoutOutputs, Lower: readerResetLower},
			&Def{Name: "ReaderSerializeState" + v, Level: Reads, Flags: looks, Shape: scalarShape(tensor.String), Lower: readerCallLower(files.ReaderState)},
			&Def{Name: "ReaderRestoreState" + v, Flags: changes, Shape: readerRestoreShape, Lower: readerRestoreLower})
	}
	return defs
}

// readerLower makes a reader that the model keeps.
func readerLower(b *Builder) error {
	n := b.Node
	p := resource.ReaderParams{Name: resourceName(n)}
	key := resourceKey(n, "reader", false)
	switch strings.TrimSuffix(n.Op, "V2") {
	case "IdentityReader":
		b.Object(0, key, resource.NewIdentityReader, p)
	case "WholeFileReader":
		b.Object(0, key, resource.NewWholeFileReader, p)
	case "TextLineReader":
		p.Skip = n.Int("skip_header_lines")
		if _, err := resource.NewTextLineReader(p); err != nil {
			return err
		}
		b.Object(0, key, resource.NewTextLineReader, p)
	case "FixedLengthRecordReader":
		p.Header, p.Record, p.Footer, p.Hop = n.Int("header_bytes"), n.Int("record_bytes"), n.Int("footer_bytes"), n.Int("hop_bytes")
		if _, err := resource.NewFixedLengthReader(p); err != nil {
			return err
		}
		fn, err := b.packed(n.Str("encoding"), resource.NewFixedLengthReader, resource.NewFixedLengthZlibReader, resource.NewFixedLengthGzipReader)
		if err != nil {
			return err
		}
		b.Object(0, key, fn, p)
	case "TFRecordReader":
		fn, err := b.packed(n.Str("compression_type"), resource.NewRecordReader, resource.NewRecordZlibReader, resource.NewRecordGzipReader)
		if err != nil {
			return err
		}
		b.Object(0, key, fn, p)
	}
	return nil
}

// packed chooses by how files are compressed.
func (b *Builder) packed(how string, plain, zlib, gzip any) (any, error) {
	switch how {
	case "":
		return plain, nil
	case "ZLIB":
		return zlib, nil
	case "GZIP":
		return gzip, nil
	}
	return nil, b.Errorf(tensor.InvalidArgument, "compression is %q; ZLIB, GZIP and none are supported", how)
}

// readerReadShape: the key and the value of one record.
func readerReadShape(c *Shaper) error {
	c.Set(0, tensor.String, ir.ShapeOf())
	c.Set(1, tensor.String, ir.ShapeOf())
	return nil
}

func readerReadLower(b *Builder) error {
	b.Call(files.ReadRecord, b.Out(0), b.Out(1), plan.Context{}, plan.Files{}, b.In(0), b.In(1))
	return nil
}

// readerReadUpToShape: as many keys and values as there are, up to num_records.
func readerReadUpToShape(c *Shaper) error {
	if err := c.scalarOr(2, "num_records"); err != nil {
		return err
	}
	n := c.NewSize(0)
	c.Set(0, tensor.String, ir.ShapeOf(n))
	c.Set(1, tensor.String, ir.ShapeOf(n))
	return nil
}

func readerReadUpToLower(b *Builder) error {
	found := b.Temp(tensor.Variant, sym.One)
	b.CallSizes(files.ReadRecords, []*sym.Expr{b.NewSize(0)}, writes(found), plan.Context{}, plan.Files{}, b.In(0), b.In(1), b.In(2))
	b.Call(files.Records, b.Out(0), b.Out(1), reads(found))
	return nil
}

// readerCallLower calls fn, which stores what the reader tells in output 0.
func readerCallLower(fn any) func(*Builder) error {
	return func(b *Builder) error {
		b.Call(fn, b.Out(0), plan.Context{}, b.In(0))
		return nil
	}
}

func readerResetLower(b *Builder) error {
	b.Call(files.ResetReader, plan.Context{}, b.In(0))
	return nil
}

func readerRestoreShape(c *Shaper) error { return c.scalarOr(1, "state") }

func readerRestoreLower(b *Builder) error {
	b.Call(files.RestoreReader, plan.Context{}, b.In(0), b.In(1))
	return nil
}
