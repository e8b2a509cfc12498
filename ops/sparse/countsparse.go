package sparse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/count"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var tallyTypes = map[string][]tensor.DType{"output_type": {tensor.Float32, tensor.Float64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
	tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}}

// countSparseDefs are counts of sparse and ragged tensors, and counts returned as sparse tensors.
var countSparseDefs = []*lower.Def{
	{Name: "DenseCountSparseOutput", Types: tallyTypes, Shape: tallyShape, Lower: tallyLower},
	{Name: "SparseCountSparseOutput", Types: tallyTypes, Shape: tallyShape, Lower: tallyLower},
	{Name: "RaggedCountSparseOutput", Types: tallyTypes, Shape: tallyShape, Lower: tallyLower},
	{Name: "SparseBincount", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: sparseBinsShape, Lower: sparseBinsLower},
	{Name: "RaggedBincount", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: sparseBinsShape, Lower: sparseBinsLower},
}

// tallyRank returns the number of indices of each count: 2, or 1 if the input is a vector. It
// returns nil if this number is known only at run time.
func tallyRank(c *lower.Shaper) (*sym.Expr, error) {
	switch c.Node.Op {
	case "DenseCountSparseOutput":
		s := c.Shape(0)
		if !s.Known {
			return nil, nil
		}
		if r := len(s.Dims); r != 1 && r != 2 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Input must be a 1 or 2-dimensional tensor. Got: %v", s)
		}
		if len(s.Dims) == 2 && s.Dims[0].Is(0) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Invalid input: Shapes dimension cannot be 0.")
		}
		return sym.Int(len(s.Dims)), nil
	case "SparseCountSparseOutput":
		r, err := SparseInput(c, 0)
		if r == nil || err != nil {
			return nil, err
		}
		if n, ok := r.IsInt(); ok {
			if n < 1 {
				return nil, tensor.Errorf(tensor.InvalidArgument, "The shape argument requires at least one element.")
			}
			return sym.Int(min(n, 2)), nil
		}
		return nil, nil
	}
	return sym.Int(2), nil
}

// tallyShape infers the shapes of the outputs of DenseCountSparseOutput and of the similar ops for
// sparse and ragged inputs. The outputs are a sparse tensor that says how often each value occurs,
// or, if attribute binary_output is set, only which values occur. A matrix of values is counted row
// by row. The attributes minlength and maxlength limit the width of the result.
func tallyShape(c *lower.Shaper) error {
	for _, a := range []string{"minlength", "maxlength"} {
		if v := c.Node.Int(a); v < -1 {
			return tensor.Errorf(tensor.InvalidArgument, "%s is %d; at least -1 is required", a, v)
		}
	}
	rank, err := tallyRank(c)
	if err != nil {
		return err
	}
	if w, v := c.Shape(c.NumIn()-1), c.Shape(tallyValues(c.Node.Op)); w.Known && v.Known {
		n, ok := w.Len().IsInt()
		// For DenseCountSparseOutput, the ranks must be equal even if the number of weights is
		// unknown at compile time.
		dense := c.Node.Op == "DenseCountSparseOutput"
		if (ok && n > 0 || !ok && dense) && len(w.Dims) != len(v.Dims) {
			return tensor.Errorf(tensor.InvalidArgument, "Weights and values must have the same shape: %v against %v", w, v)
		}
	}
	if rank == nil {
		rank = c.NewSizeK(0, 1)
	}
	n := c.NewSize(0)
	c.Set(0, tensor.Int64, ir.ShapeOf(n, rank))
	c.Set(1, c.In(c.NumIn()-1).DType, ir.ShapeOf(n))
	c.Set(2, tensor.Int64, ir.ShapeOf(rank))
	return nil
}

// tallyValues returns the number of the input with the values.
func tallyValues(op string) int {
	if op == "DenseCountSparseOutput" {
		return 0
	}
	return 1
}

func tallyLower(b *lower.Builder) error {
	n := b.Node
	at := tallyValues(n.Op)
	weights := b.NumIn() - 1
	if err := kit.Ranked(b, 0, at, weights); err != nil {
		return err
	}
	p := count.TallyParams{Rank: 1, Max: int64(n.Int("maxlength")), Min: int64(n.Int("minlength")), Binary: n.Bool("binary_output")}
	num, inner := b.InLen(at), b.OutLen(2)
	fields := []any{"Inner", inner}
	switch n.Op {
	case "DenseCountSparseOutput":
		if s := b.InShape(0); len(s) == 2 {
			if err := kit.AtLeast(b, s[0], 1, "the number of rows"); err != nil {
				return err
			}
			rows := b.Temp(tensor.Int64, num)
			fields = append(fields, "Rows", kit.Reads(rows), "Batches", sizesView(b, s[:1]))
			b.Call(count.RowNumbers, kit.Writes(rows), s[1])
		}
	case "SparseCountSparseOutput":
		if err := kit.Ranked(b, 2); err != nil {
			return err
		}
		ix := b.InShape(0)
		b.Call(count.SparseCheck, b.In(0), b.In(2), ix[0], ix[1], num)
		if e := b.OutShape(0)[1]; !kit.IsInt(e) {
			b.CallSizes(count.Inner, []*sym.Expr{e}, ix[1])
		}
		fields = append(fields, "Rank", ix[1], "Rows", b.In(0), "Batches", b.In(2))
	default:
		rows := b.Temp(tensor.Int64, num)
		b.Call(count.RaggedRows, kit.Writes(rows), b.In(0), 2)
		fields = append(fields, "Rows", kit.Reads(rows), "Batches", sizesView(b, []*sym.Expr{b.InLen(0).AddInt(-1)}))
	}
	if w, v := b.InShape(weights), b.InShape(at); len(w) == len(v) {
		for k := range w {
			if zero := b.InLen(weights).Is(0); !zero && kit.IsInt(b.InLen(weights)) {
				if err := kit.RequireSame(b, w[k], v[k], "Weights and values must have the same shape"); err != nil {
					return err
				}
			}
		}
	}
	fn, err := kit.KernelFrom(b, b.OutFact(1).DType, count.TallyF32, count.TallyF64, count.TallyI8, count.TallyI16, count.TallyI32, count.TallyI64,
		count.TallyU8, count.TallyU16, count.TallyU32, count.TallyU64)
	if err != nil {
		return err
	}
	b.CallSizes(fn, []*sym.Expr{b.NewSize(0)}, b.OutCap(0, num.Mul(inner)), b.OutCap(1, num), b.Out(2), kit.AsInt64(b, b.In(at)), b.In(weights),
		b.Temp(tensor.Int64, num), plan.Lit(p, fields...))
	return nil
}

// sparseBinsShape infers the shape of the output of SparseBincount(indices, values, dense_shape,
// size, weights) and RaggedBincount(splits, values, size, weights), which count values in bins. The
// input size is the number of bins. The result has one row of bins for each row of values. If the
// values are a sparse vector, the result is a vector.
func sparseBinsShape(c *lower.Shaper) error {
	size := c.NumIn() - 2
	if err := c.ScalarOr(size, "size"); err != nil {
		return err
	}
	es, ok := c.Ints(size)
	if !ok || len(es) != 1 {
		c.UnknownShape(0, c.In(size+1).DType)
		return nil
	}
	if v, ok := es[0].IsInt(); ok && v < 0 {
		return tensor.Errorf(tensor.InvalidArgument, "size (%d) must be non-negative", v)
	}
	bins, err := kit.SizeOf(c, 0, 1, es[0])
	if err != nil {
		return err
	}
	d := c.In(size + 1).DType
	if c.Node.Op == "RaggedBincount" {
		s := c.Shape(0)
		if !s.Known {
			c.UnknownShape(0, d)
			return nil
		}
		n := s.Len()
		if n.Is(0) {
			return tensor.Errorf(tensor.InvalidArgument, "Splits must be non-empty")
		}
		c.Set(0, d, ir.ShapeOf(n.AddInt(-1), bins))
		return nil
	}
	rank, err := SparseInput(c, 0)
	if err != nil {
		return err
	}
	r, ok := 0, false
	if rank != nil {
		r, ok = rank.IsInt()
	}
	if !ok {
		c.UnknownShape(0, d)
		return nil
	}
	switch r {
	case 0:
		return tensor.Errorf(tensor.InvalidArgument, "dense_shape must not be empty")
	case 1:
		c.Set(0, d, ir.ShapeOf(bins))
		return nil
	}
	rows := c.NewSizeK(0, 0)
	if vs, ok := c.StaticInts(2); ok && len(vs) > 0 {
		if vs[0] < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "dense_shape[0] is %d", vs[0])
		}
		rows = sym.Int(vs[0])
	}
	c.Set(0, d, ir.ShapeOf(rows, bins))
	return nil
}

func sparseBinsLower(b *lower.Builder) error {
	size := b.NumIn() - 2
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	out := b.OutShape(0)
	num := b.InLen(1)
	p := count.BinsAtParams{Strict: true, Binary: b.Node.Bool("binary_output")}
	fields := []any{"Size", out[len(out)-1]}
	if b.Node.Op == "RaggedBincount" {
		if err := kit.AtLeast(b, b.InLen(0), 1, "the number of splits"); err != nil {
			return err
		}
		rows := b.Temp(tensor.Int64, num)
		b.Call(count.RaggedRows, kit.Writes(rows), b.In(0), 1)
		p.Rank = 1
		fields = append(fields, "Rows", kit.Reads(rows))
	} else {
		if err := kit.Ranked(b, 2); err != nil {
			return err
		}
		ix := b.InShape(0)
		b.Call(count.SparseCheck, b.In(0), b.In(2), ix[0], ix[1], num)
		if len(out) == 2 {
			p.Strict = false
			fields = append(fields, "Rank", ix[1], "Rows", b.In(0))
			b.FindSizes(0, func(k int, s []*sym.Expr) {
				if k == 0 {
					b.CallSizes(shape.I64, s, b.In(2), 0)
				}
			})
		}
	}
	es, _ := b.Ints(size)
	kit.BindSize(b, 0, 1, es[0], "size")
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, count.BinsAtF32, count.BinsAtF64, count.BinsAtI8, count.BinsAtI16, count.BinsAtI32, count.BinsAtI64,
		count.BinsAtU8, count.BinsAtU16, count.BinsAtU32, count.BinsAtU64, count.BinsAtC64, count.BinsAtC128, count.BinsAtF16, count.BinsAtBF16)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), kit.AsInt64(b, b.In(1)), b.In(size+1), plan.Lit(p, fields...))
	return nil
}
