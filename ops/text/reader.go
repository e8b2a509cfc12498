package text

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/files"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// readerDefs describes readers, which read records from files. The names of the files come from a
// queue. In TensorFlow 1, the handle of a reader was a reference to strings; here it is a resource.
var readerDefs = readers()

func readers() (defs []*lower.Def) {
	opens := lower.Touches(lower.FileAccess, "reads files whose names are known only at run time")
	for _, v := range []string{"", "V2"} {
		for _, name := range []string{"WholeFileReader", "TextLineReader", "FixedLengthRecordReader", "TFRecordReader"} {
			defs = append(defs, &lower.Def{Name: name + v, Flags: lower.Kept | kit.Looks, Limits: kit.BelowFiles, Access: opens, Shape: stateops.HandleShape, Lower: readerLower})
		}
		defs = append(defs,
			&lower.Def{Name: "IdentityReader" + v, Flags: lower.Kept | kit.Looks, Shape: stateops.HandleShape, Lower: readerLower},
			&lower.Def{Name: "ReaderRead" + v, Flags: kit.Changes, Shape: readerReadShape, Lower: readerReadLower},
			&lower.Def{Name: "ReaderReadUpTo" + v, Flags: kit.Changes, Shape: readerReadUpToShape, Lower: readerReadUpToLower},
			&lower.Def{Name: "ReaderNumRecordsProduced" + v, Level: lower.Reads, Flags: kit.Looks, Shape: stateops.ScalarShape(tensor.Int64), Lower: readerCallLower(files.Produced)},
			&lower.Def{Name: "ReaderNumWorkUnitsCompleted" + v, Level: lower.Reads, Flags: kit.Looks, Shape: stateops.ScalarShape(tensor.Int64), Lower: readerCallLower(files.Completed)},
			&lower.Def{Name: "ReaderReset" + v, Flags: kit.Changes, Shape: stateops.WithoutOutputs, Lower: readerResetLower},
			&lower.Def{Name: "ReaderSerializeState" + v, Level: lower.Reads, Flags: kit.Looks, Shape: stateops.ScalarShape(tensor.String), Lower: readerCallLower(files.ReaderState)},
			&lower.Def{Name: "ReaderRestoreState" + v, Flags: kit.Changes, Shape: readerRestoreShape, Lower: readerRestoreLower})
	}
	return defs
}

// readerLower creates a reader that the model keeps.
func readerLower(b *lower.Builder) error {
	n := b.Node
	p := resource.ReaderParams{Name: stateops.ResourceName(n)}
	key := kit.ResourceKey(n, "reader", false)
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
		fn, err := packed(b, n.Str("encoding"), resource.NewFixedLengthReader, resource.NewFixedLengthZlibReader, resource.NewFixedLengthGzipReader)
		if err != nil {
			return err
		}
		b.Object(0, key, fn, p)
	case "TFRecordReader":
		fn, err := packed(b, n.Str("compression_type"), resource.NewRecordReader, resource.NewRecordZlibReader, resource.NewRecordGzipReader)
		if err != nil {
			return err
		}
		b.Object(0, key, fn, p)
	}
	return nil
}

// packed returns the kernel for a given kind of compression: "", ZLIB or GZIP.
func packed(b *lower.Builder, how string, plain, zlib, gzip any) (any, error) {
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

// readerReadShape infers the shapes of the outputs of ReaderRead: the key and the value of a
// record.
func readerReadShape(c *lower.Shaper) error {
	c.Set(0, tensor.String, ir.ShapeOf())
	c.Set(1, tensor.String, ir.ShapeOf())
	return nil
}

func readerReadLower(b *lower.Builder) error {
	b.Call(files.ReadRecord, b.Out(0), b.Out(1), plan.Context{}, plan.Files{}, b.In(0), b.In(1))
	return nil
}

// readerReadUpToShape infers the shapes of the outputs of ReaderReadUpTo: vectors of the keys and
// values of those records that are available, but of at most num_records records.
func readerReadUpToShape(c *lower.Shaper) error {
	if err := c.ScalarOr(2, "num_records"); err != nil {
		return err
	}
	n := c.NewSize(0)
	c.Set(0, tensor.String, ir.ShapeOf(n))
	c.Set(1, tensor.String, ir.ShapeOf(n))
	return nil
}

func readerReadUpToLower(b *lower.Builder) error {
	found := b.Temp(tensor.Variant, sym.One)
	b.CallSizes(files.ReadRecords, []*sym.Expr{b.NewSize(0)}, kit.Writes(found), plan.Context{}, plan.Files{}, b.In(0), b.In(1), b.In(2))
	b.Call(files.Records, b.Out(0), b.Out(1), kit.Reads(found))
	return nil
}

// readerCallLower returns the lowering of an op that returns a property of a reader. fn is the
// kernel that stores the property in output 0.
func readerCallLower(fn any) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		b.Call(fn, b.Out(0), plan.Context{}, b.In(0))
		return nil
	}
}

func readerResetLower(b *lower.Builder) error {
	b.Call(files.ResetReader, plan.Context{}, b.In(0))
	return nil
}

func readerRestoreShape(c *lower.Shaper) error { return c.ScalarOr(1, "state") }

func readerRestoreLower(b *lower.Builder) error {
	b.Call(files.RestoreReader, plan.Context{}, b.In(0), b.In(1))
	return nil
}
