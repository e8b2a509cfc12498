package ragged

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/ragged"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// raggedDefs are ops on ragged tensors in the form of values and row splits.
var raggedDefs = append([]*lower.Def{
	{Name: "RaggedRange", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}}, Shape: raggedRangeShape, Lower: raggedRangeLower},
	{Name: "RaggedGather", Types: map[string][]tensor.DType{"Tvalues": kit.DataTypes}, Shape: raggedGatherShape, Lower: raggedGatherLower},
	{Name: "RaggedTensorToSparse", Shape: raggedToSparseShape, Lower: raggedToSparseLower},
	{Name: "RaggedTensorToTensor", Types: kit.Moves, Shape: raggedToTensorShape, Lower: raggedToTensorLower},
}, append(raggedFillDefs, raggedVariantDefs...)...)

// wideIns returns n inputs of the node, beginning with input number lo, as int64 values that follow
// each other in one view. The second result holds the length of each input.
func wideIns(b *lower.Builder, lo, n int) (plan.View, []*sym.Expr) {
	vs, lens := make([]plan.View, n), make([]*sym.Expr, n)
	for k := range n {
		vs[k], lens[k] = b.In(lo+k), b.InLen(lo+k)
	}
	return kit.AsInt64(b, vs...), lens
}

// SplitsOut returns an int64 buffer for the row splits in output i, and a function to be called
// after the kernel call that fills the buffer. If the output has the type int32, this function
// appends the conversion of the buffer.
func SplitsOut(b *lower.Builder, i int) (v plan.View, done func()) {
	if b.OutFact(i).DType == tensor.Int64 {
		return b.Out(i), func() {}
	}
	t := b.Temp(tensor.Int64, b.OutLen(i))
	return t, func() {
		r := t
		r.Mode = plan.Read
		b.Call(ragged.Narrow, b.Out(i), r)
	}
}

// splitsType returns the type attribute for row splits, int64 if absent.
func splitsType(n *ir.Node, name string) tensor.DType {
	if d := n.DType(name); d != tensor.Invalid {
		return d
	}
	return tensor.Int64
}

// partitions returns an error unless each of n inputs, beginning with input number lo, is a vector.
func partitions(c *lower.Shaper, lo, n int) error {
	for k := range n {
		if _, err := c.WithRank(lo+k, 1); err != nil {
			return err
		}
	}
	return nil
}

// atLeastVector requires input i to be of rank 1 at least.
func atLeastVector(c *lower.Shaper, i int, what string) error {
	if c.Shape(i).Rank() == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%s must have at least rank 1", what)
	}
	return nil
}

// raggedRangeShape infers the shapes of the outputs of RaggedRange(starts, limits, deltas): the row
// splits and the values of the ranges. Each input is a scalar or a vector.
func raggedRangeShape(c *lower.Shaper) error {
	rows, known := sym.One, true
	vector := false
	for i, what := range []string{"starts", "limits", "deltas"} {
		s := c.Shape(i)
		switch {
		case !s.Known:
			known = known && vector
		case len(s.Dims) > 1:
			return tensor.Errorf(tensor.InvalidArgument, "%s must be a scalar or vector", what)
		case len(s.Dims) == 1 && !vector:
			vector, known, rows = true, true, s.Dims[0]
		case len(s.Dims) == 1:
			var err error
			if rows, err = kit.JoinDim(rows, s.Dims[0], "starts, limits, and deltas must have the same shape"); err != nil {
				return err
			}
		}
	}
	d := splitsType(c.Node, "Tsplits")
	if known {
		c.Set(0, d, ir.ShapeOf(rows.AddInt(1)))
	} else {
		c.Set(0, d, ir.ShapeOf(c.NewSizeK(0, 0)))
	}
	c.Set(1, c.In(0).DType, ir.ShapeOf(c.NewSize(1)))
	return nil
}

func raggedRangeLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2); err != nil {
		return err
	}
	p := ragged.RangeParams{Most: math.MaxInt}
	if b.OutFact(0).DType == tensor.Int32 {
		p.Most = math.MaxInt32
	}
	rows := b.OutLen(0).AddInt(-1)
	for i, step := range []*int{&p.Start, &p.Limit, &p.Delta} {
		if s := b.InShape(i); len(s) == 1 {
			*step = 1
			if err := kit.RequireSame(b, s[0], rows, "starts, limits, and deltas must have the same shape"); err != nil {
				return err
			}
		}
	}
	d := b.InFact(0).DType
	size, err := kit.KernelFrom(b, d, ragged.RangeF32, ragged.RangeF64, ragged.RangeI32, ragged.RangeI64)
	if err != nil {
		return err
	}
	fill, err := kit.KernelFor(b, d, ragged.FillF32, ragged.FillF64, ragged.FillI32, ragged.FillI64)
	if err != nil {
		return err
	}
	splits, done := SplitsOut(b, 0)
	b.CallSizes(size, []*sym.Expr{b.NewSize(1)}, kit.Writes(splits), b.In(0), b.In(1), b.In(2), p)
	done()
	splits.Mode = plan.Read
	b.Call(fill, b.Out(1), splits, b.In(0), b.In(2), p)
	return nil
}

// raggedGatherShape infers the shapes of the outputs of RaggedGather(splits…, values, indices). The
// outputs are the row splits and the values of the gathered rows. If indices has rank r, the first
// r-1 outputs are row splits that describe all dimensions of indices but the first.
func raggedGatherShape(c *lower.Shaper) error {
	in, out := c.Node.Int("PARAMS_RAGGED_RANK"), c.Node.Int("OUTPUT_RAGGED_RANK")
	if in < 1 || c.NumIn() != in+2 || len(c.Node.Outs) != out+1 {
		return tensor.Errorf(tensor.InvalidArgument, "PARAMS_RAGGED_RANK is %d; at least 1 is required", in)
	}
	ix, err := c.WithRank(in+1, out-in+1)
	if err != nil {
		return err
	}
	if err := partitions(c, 0, in); err != nil {
		return err
	}
	if err := atLeastVector(c, in, "params"); err != nil {
		return err
	}
	d := splitsType(c.Node, "Tsplits")
	outer := out - in // the number of row splits that describe dimensions of the indices
	for k := range out {
		switch {
		case !ix.Known:
			c.Set(k, d, ir.ShapeOf(c.NewSize(k)))
		case k < outer:
			c.Set(k, d, ir.ShapeOf(sym.Product(ix.Dims[:k+1]).AddInt(1)))
		case k == outer:
			c.Set(k, d, ir.ShapeOf(ix.Len().AddInt(1)))
		default:
			c.Set(k, d, ir.ShapeOf(c.NewSize(k).AddInt(1)))
		}
	}
	v := c.Shape(in)
	if !v.Known {
		c.UnknownShape(out, c.In(in).DType)
		return nil
	}
	c.Set(out, c.In(in).DType, ir.ShapeOf(kit.DimSet(v.Dims, 0, c.NewSize(out))...))
	return nil
}

func raggedGatherLower(b *lower.Builder) error {
	in, out := b.Node.Int("PARAMS_RAGGED_RANK"), b.Node.Int("OUTPUT_RAGGED_RANK")
	if err := kit.Ranked(b, in, in+1); err != nil {
		return err
	}
	outer := out - in
	splits, lens := wideIns(b, 0, in)
	ix, v := b.InShape(in+1), b.InShape(in)
	indices := kit.AsInt64(b, b.In(in+1))
	b.Call(ragged.GatherCheck, splits, lens, indices, v[0])
	for k := range out {
		level := k - outer
		if level > 0 {
			b.CallSizes(ragged.GatherLen, []*sym.Expr{b.NewSize(k)}, splits, lens, indices, level)
		}
		if !b.OutUsed(k) {
			continue
		}
		dst, done := SplitsOut(b, k)
		if level < 0 {
			b.Call(ragged.RegularSplits, kit.Writes(dst), ix[k+1])
		} else {
			b.Call(ragged.GatherSplits, kit.Writes(dst), splits, lens, indices, level)
		}
		done()
	}
	b.CallSizes(ragged.GatherLen, []*sym.Expr{b.NewSize(out)}, splits, lens, indices, in)
	d := b.InFact(in).DType
	b.Call(lower.ByKind(d, ragged.GatherRaw, ragged.GatherStr, nil), b.Raw(b.Out(out)), b.Raw(b.In(in)), splits, lens, indices, RawLen(d, v[1:]))
	return nil
}

// RawLen returns the number of elements of a row in the view that Builder.Raw returns. dims holds
// the dimensions of the row. The elements of that view are strings, values of opaque types, or, for
// all other types, bytes.
func RawLen(d tensor.DType, dims []*sym.Expr) *sym.Expr {
	n := sym.Product(dims)
	if d == tensor.String || d.Opaque() {
		return n
	}
	return n.MulInt(d.Size())
}

// raggedToSparseShape infers the shapes of the outputs of RaggedTensorToSparse(splits…, values): a
// sparse tensor with all values of the ragged tensor.
func raggedToSparseShape(c *lower.Shaper) error {
	n := c.Node.Int("RAGGED_RANK")
	if n < 1 || c.NumIn() != n+1 {
		return tensor.Errorf(tensor.InvalidArgument, "Requires RAGGED_RANK>0")
	}
	if err := partitions(c, 0, n); err != nil {
		return err
	}
	if err := atLeastVector(c, n, "rt_dense_values"); err != nil {
		return err
	}
	v := c.Shape(n)
	if !v.Known {
		c.UnknownShape(0, tensor.Int64)
		c.UnknownShape(1, c.In(n).DType)
		c.UnknownShape(2, tensor.Int64)
		return nil
	}
	rank := sym.Int(n + len(v.Dims))
	c.Set(0, tensor.Int64, ir.ShapeOf(v.Len(), rank))
	c.Set(1, c.In(n).DType, ir.ShapeOf(v.Len()))
	c.Set(2, tensor.Int64, ir.ShapeOf(rank))
	return nil
}

func raggedToSparseLower(b *lower.Builder) error {
	n := b.Node.Int("RAGGED_RANK")
	splits, lens := wideIns(b, 0, n)
	b.Call(ragged.ToSparse, b.Out(0), b.Out(2), splits, lens, b.InShape(n), b.Temp(tensor.Int64, sym.Int(n)))
	b.Alias(1, n)
	return nil
}
