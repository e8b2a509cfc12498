package index

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// stitchDefs distribute the rows of a tensor among several tensors, or merge such tensors.
var stitchDefs = []*lower.Def{
	{Name: "DynamicStitch", Types: kit.Moves, Shape: stitchShape, Lower: stitchLower},
	{Name: "ParallelDynamicStitch", Types: kit.Moves, Shape: stitchShape, Lower: stitchLower},
	{Name: "DynamicPartition", Types: kit.Moves, Shape: partitionShape, Lower: partitionLower},
}

// stitchRows returns the number of rows that the indices in input i need.
func stitchRows(c *lower.Shaper, i int) *sym.Expr {
	var vs []int
	if t := c.Const(i); t != nil {
		for _, v := range tensor.Data[int32](t) {
			vs = append(vs, int(v))
		}
	} else if ks, ok := c.StaticInts(i); ok {
		vs = ks
	} else {
		return c.NewSizeK(0, i)
	}
	n := 0
	for _, v := range vs {
		if v < 0 || v == math.MaxInt32 {
			return c.NewSizeK(0, i) // the run fails
		}
		n = max(n, v+1)
	}
	return sym.Int(n)
}

// stitchShape infers the result of DynamicStitch, whose inputs are several tensors of indices,
// followed by the same number of tensors of data. Row indices[i] of the result is row i of data. If
// an index occurs several times, its last occurrence determines the row. Rows without an index are
// zeros.
func stitchShape(c *lower.Shaper) error {
	n := c.NumIn() / 2
	d := c.In(n).DType
	var tail []*sym.Expr
	rows := sym.Zero
	for i := range n {
		ix, x := c.Shape(i), c.Shape(n+i)
		rows = sym.Max(rows, stitchRows(c, i))
		if !ix.Known || !x.Known {
			c.UnknownShape(0, d)
			return nil
		}
		if len(x.Dims) < len(ix.Dims) {
			return tensor.Errorf(tensor.InvalidArgument, "data[%d].shape = %v does not start with indices[%d].shape = %v", i, x, i, ix)
		}
		for k, e := range ix.Dims {
			if _, err := kit.JoinDim(e, x.Dims[k], "data.shape must start with indices.shape"); err != nil {
				return err
			}
		}
		rest := x.Dims[len(ix.Dims):]
		if tail == nil {
			tail = append([]*sym.Expr{}, rest...)
			continue
		}
		if len(rest) != len(tail) {
			return tensor.Errorf(tensor.InvalidArgument, "the rows of data[%d] and data[0] differ in rank", i)
		}
		for k, e := range rest {
			var err error
			if tail[k], err = kit.JoinDim(tail[k], e, "the rows of data"); err != nil {
				return err
			}
		}
	}
	c.Set(0, d, ir.ShapeOf(append([]*sym.Expr{rows}, tail...)...))
	stitchInts(c, n, rows, len(tail))
	return nil
}

// stitchInts infers the elements of an integer result if the indices are constants.
func stitchInts(c *lower.Shaper, n int, rows *sym.Expr, tail int) {
	m, ok := rows.IsInt()
	if !ok || tail != 0 || m > ir.MaxInts {
		return
	}
	out := make([]*sym.Expr, m)
	for i := range n {
		vs, ok := c.StaticInts(i)
		es := c.In(n + i).Ints
		if !ok || len(es) != len(vs) {
			return
		}
		for k, v := range vs {
			if v < 0 {
				return
			}
			out[v] = es[k]
		}
	}
	for _, e := range out {
		if e == nil {
			return
		}
	}
	c.SetInts(0, out)
}

// bindStitch binds the number of rows and adds the checks left for run time.
func bindStitch(b *lower.Builder) {
	c := b.Shaper()
	n := b.NumIn() / 2
	for i := range n {
		if r := stitchRows(c, i); !kit.IsInt(r) {
			b.CallSizes(gather.StitchLen, []*sym.Expr{r}, b.In(i))
		}
		ix, x := b.InShape(i), b.InShape(n+i)
		for k, e := range ix {
			if !e.Equal(x[k]) {
				b.Check(shape.Equal, e, x[k], "data.shape must start with indices.shape")
			}
		}
		for k, e := range x[len(ix):] {
			if want := b.OutShape(0)[k+1]; !e.Equal(want) {
				b.Check(shape.Equal, e, want, "the rows of data")
			}
		}
	}
}

func stitchLower(b *lower.Builder) error {
	n := b.NumIn() / 2
	fn, err := bytype.GatherStitch.Get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	bindStitch(b)
	if err := kit.FillZero(b, b.Out(0)); err != nil {
		return err
	}
	inner := sym.Product(b.OutShape(0)[1:])
	for i := range n {
		b.Call(fn, kit.Part(b.Out(0), false), b.In(n+i), b.In(i), inner)
	}
	return nil
}

// partitionShape infers the results of DynamicPartition, whose inputs are data and partitions. The
// attribute num_partitions is the number of results.
func partitionShape(c *lower.Shaper) error {
	x, p := c.Shape(0), c.Shape(1)
	for i := range c.Node.Outs {
		if !x.Known || !p.Known {
			c.UnknownShape(i, c.In(0).DType)
			continue
		}
		if len(x.Dims) < len(p.Dims) {
			return tensor.Errorf(tensor.InvalidArgument, "data.shape %v must start with partitions.shape %v", x, p)
		}
		for k, e := range p.Dims {
			if _, err := kit.JoinDim(e, x.Dims[k], "data.shape must start with partitions.shape"); err != nil {
				return err
			}
		}
		c.Set(i, c.In(0).DType, ir.ShapeOf(append([]*sym.Expr{c.NewSize(i)}, x.Dims[len(p.Dims):]...)...))
	}
	return nil
}

func partitionLower(b *lower.Builder) error {
	x, p := b.InShape(0), b.InShape(1)
	for k, e := range p {
		if !e.Equal(x[k]) {
			b.Check(shape.Equal, x[k], e, "data.shape must start with partitions.shape")
		}
	}
	fn, err := bytype.GatherPartition.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	counts := b.Temp(tensor.Int64, sym.Int(len(b.Node.Outs)))
	b.Call(gather.PartitionCounts, counts, b.In(1))
	counts.Mode = plan.Read
	inner := sym.Product(x[len(p):])
	for i := range b.Node.Outs {
		b.CallSizes(gather.Count, []*sym.Expr{b.NewSize(i)}, counts, i)
		b.Call(fn, b.Out(i), b.In(0), b.In(1), i, inner)
	}
	return nil
}
