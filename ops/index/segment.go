package index

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/cast"
	"github.com/graphc/graphc/kernels/segment"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// SegmentTypes returns the Types of a segment op on elements of the types ds.
func SegmentTypes(ds []tensor.DType) map[string][]tensor.DType {
	return map[string][]tensor.DType{"T": ds, "Tindices": {tensor.Int32, tensor.Int64}}
}

var SegmentFloats = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16}

// segmentDefs combine rows by segment. With sorted ids, empty segments are 0 (1 for Prod). With
// unsorted ids, segments start from 0, from 1 for Prod, from the highest finite number for Min, and
// from the lowest for Max.
var segmentDefs = []*lower.Def{
	{Name: "SegmentSum", Types: SegmentTypes(kit.NumberTypes), Shape: segmentShape, Lower: segmentLower(bytype.SegmentSum)},
	{Name: "SegmentMean", Types: SegmentTypes(kit.NumberTypes), Shape: segmentShape, Lower: segmentLower(bytype.SegmentMean)},
	{Name: "SegmentProd", Types: SegmentTypes(kit.NumberTypes), Shape: segmentShape, Lower: segmentLower(bytype.SegmentProd)},
	{Name: "SegmentMin", Types: SegmentTypes(RealTypes), Shape: segmentShape, Lower: segmentLower(bytype.SegmentMin)},
	{Name: "SegmentMax", Types: SegmentTypes(RealTypes), Shape: segmentShape, Lower: segmentLower(bytype.SegmentMax)},
	{Name: "UnsortedSegmentSum", Types: kit.WithTypes(SegmentTypes(kit.NumberTypes), "Tindices", []tensor.DType{tensor.Int32, tensor.Int64, tensor.Int16}), Shape: UnsortedShape, Lower: unsortedLower(bytype.SegmentUnsortedSum)},
	{Name: "UnsortedSegmentProd", Types: SegmentTypes(kit.NumberTypes), Shape: UnsortedShape, Lower: unsortedLower(bytype.SegmentUnsortedProd)},
	{Name: "UnsortedSegmentMin", Types: SegmentTypes(RealTypes), Shape: UnsortedShape, Lower: unsortedLower(bytype.SegmentUnsortedMin)},
	{Name: "UnsortedSegmentMax", Types: SegmentTypes(RealTypes), Shape: UnsortedShape, Lower: unsortedLower(bytype.SegmentUnsortedMax)},
	{Name: "SparseSegmentSum", Types: SegmentTypes(RealTypes), Shape: sparseSegmentShape, Lower: sparseSegmentLower},
	{Name: "SparseSegmentMean", Types: SegmentTypes(SegmentFloats), Shape: sparseSegmentShape, Lower: sparseSegmentLower},
	{Name: "SparseSegmentSqrtN", Types: SegmentTypes(SegmentFloats), Shape: sparseSegmentShape, Lower: sparseSegmentLower},
	{Name: "SparseSegmentSumWithNumSegments", Types: SegmentTypes(RealTypes), Shape: sparseSegmentShape, Lower: sparseSegmentLower},
	{Name: "SparseSegmentMeanWithNumSegments", Types: SegmentTypes(SegmentFloats), Shape: sparseSegmentShape, Lower: sparseSegmentLower},
	{Name: "SparseSegmentSqrtNWithNumSegments", Types: SegmentTypes(SegmentFloats), Shape: sparseSegmentShape, Lower: sparseSegmentLower},
	{Name: "SparseSegmentSumGrad", Types: SegmentTypes(SegmentFloats), Shape: sparseSegmentGradShape, Lower: sparseSegmentGradLower},
	{Name: "SparseSegmentMeanGrad", Types: SegmentTypes(SegmentFloats), Shape: sparseSegmentGradShape, Lower: sparseSegmentGradLower},
	{Name: "SparseSegmentSqrtNGrad", Types: SegmentTypes(SegmentFloats), Shape: sparseSegmentGradShape, Lower: sparseSegmentGradLower},
}

// segmentRows returns one more than the last id in input i: a constant if the ids are known, else a
// size bound by bindSegmentRows.
func segmentRows(c *lower.Shaper, i int) (*sym.Expr, error) {
	if vs, ok := c.StaticInts(i); ok {
		if len(vs) == 0 {
			return sym.Zero, nil
		}
		last := vs[len(vs)-1]
		if last < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "segment ids must be >= 0")
		}
		return sym.Int(last + 1), nil
	}
	return c.NewSize(0), nil
}

func bindSegmentRows(b *lower.Builder, i int, n *sym.Expr) {
	if kit.IsInt(n) {
		return
	}
	if b.InFact(i).DType == tensor.Int64 {
		b.CallSizes(segment.RowsI64, []*sym.Expr{n}, b.In(i))
	} else {
		b.CallSizes(segment.RowsI32, []*sym.Expr{n}, b.In(i))
	}
}

// segmentShape infers the result of SegmentSum and related ops, whose inputs are data and
// segment_ids. There is one id for each row of data, and the ids are sorted.
func segmentShape(c *lower.Shaper) error {
	x := c.Shape(0)
	ids, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "data must be at least rank 1")
	}
	if ids.Known {
		if _, err := kit.JoinDim(x.Dims[0], ids.Dims[0], "segment_ids should be the same size as dimension 0 of input."); err != nil {
			return err
		}
	}
	n, err := segmentRows(c, 1)
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(kit.DimSet(x.Dims, 0, n)...))
	return nil
}

func segmentLower(t bytype.Table) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		x, out := b.InShape(0), b.OutShape(0)
		if e := b.InShape(1)[0]; !e.Equal(x[0]) {
			b.Check(shape.Equal, e, x[0], "segment_ids should be the same size as dimension 0 of input.")
		}
		bindSegmentRows(b, 1, out[0])
		fn, err := t.Get(b.InFact(0).DType, b.InFact(1).DType)
		if err != nil {
			return err
		}
		b.Call(fn, b.Out(0), b.In(0), b.In(1), out[0], sym.Product(x[1:]))
		return nil
	}
}

// UnsortedShape infers the result of UnsortedSegmentSum and related ops, whose inputs are data,
// segment_ids and num_segments. The first dimensions of data are the dimensions of segment_ids.
// Rows of data with negative ids are ignored.
func UnsortedShape(c *lower.Shaper) error {
	x, ids := c.Shape(0), c.Shape(1)
	if _, err := c.WithRank(2, 0); err != nil {
		return err
	}
	n, ok, err := kit.OneInt(c, 2, "num_segments")
	if err != nil {
		return err
	}
	if !ok || !x.Known || !ids.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if len(ids.Dims) > len(x.Dims) {
		if c.Node.Op == "UnsortedSegmentJoin" && (kit.FedAnyRank(c, 0) || kit.FedAnyRank(c, 1)) {
			return tensor.Errorf(tensor.OutOfRange, "segment_ids of rank %d for inputs of rank %d", len(ids.Dims), len(x.Dims))
		}
		return tensor.Errorf(tensor.InvalidArgument, "data.shape = %v does not start with segment_ids.shape = %v", x, ids)
	}
	for k, e := range ids.Dims {
		if _, err := kit.JoinDim(e, x.Dims[k], "data.shape must start with segment_ids.shape"); err != nil {
			return err
		}
	}
	if n, err = kit.SizeOf(c, 0, 0, n); err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(append([]*sym.Expr{n}, x.Dims[len(ids.Dims):]...)...))
	return nil
}

func unsortedLower(t bytype.Table) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		unsortedChecks(b)
		x, ids := b.InShape(0), b.InShape(1)
		at, index := b.In(1), b.InFact(1).DType
		if index == tensor.Int16 {
			at, index = b.Temp(tensor.Int32, at.Len), tensor.Int32
			b.Call(cast.I16ToI32, at, b.In(1))
		}
		fn, err := t.Get(b.InFact(0).DType, index)
		if err != nil {
			return err
		}
		b.Call(fn, b.Out(0), b.In(0), at, b.OutShape(0)[0], sym.Product(x[len(ids):]))
		return nil
	}
}

// unsortedChecks binds the number of segments, and checks the ids' shape.
func unsortedChecks(b *lower.Builder) {
	n, _ := b.Ints(2)
	kit.CheckLen(b, 2, 1)
	kit.BindSize(b, 0, 0, n[0], "num_segments")
	x := b.InShape(0)
	for k, e := range b.InShape(1) {
		if !e.Equal(x[k]) {
			b.Check(shape.Equal, x[k], e, "data.shape must start with segment_ids.shape")
		}
	}
}

// sparseSegmentShape infers the result of SparseSegmentSum and related ops. The inputs are data,
// indices, segment_ids and, for some ops, num_segments. Row indices[i] of data belongs to segment
// segment_ids[i].
func sparseSegmentShape(c *lower.Shaper) error {
	x := c.Shape(0)
	ix, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	ids, err := c.WithRank(2, 1)
	if err != nil {
		return err
	}
	if ix.Known && ids.Known {
		if _, err := kit.JoinDim(ix.Dims[0], ids.Dims[0], "segment_ids and indices should have same size."); err != nil {
			return err
		}
	}
	var n *sym.Expr
	if c.NumIn() > 3 {
		if _, err := c.WithRank(3, 0); err != nil {
			return err
		}
		e, ok, err := kit.OneInt(c, 3, "num_segments")
		if err != nil {
			return err
		}
		if ok {
			if n, err = kit.SizeOf(c, 0, 0, e); err != nil {
				return err
			}
		}
	} else if n, err = segmentRows(c, 2); err != nil {
		return err
	}
	if !x.Known || n == nil {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "data must be at least rank 1")
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(kit.DimSet(x.Dims, 0, n)...))
	return nil
}

// SegmentScale returns how the op scales the sum of a segment: not at all (Sum), divided by the
// number of rows (Mean), or divided by the root of that number (SqrtN).
func SegmentScale(op string) segment.Scale {
	switch {
	case strings.Contains(op, "Mean"):
		return segment.Mean
	case strings.Contains(op, "SqrtN"):
		return segment.SqrtN
	}
	return segment.Sum
}

// pairOf returns the index inputs i and j converted to a common type.
func pairOf(b *lower.Builder, i, j int) (x, y plan.View, d tensor.DType) {
	if n := b.InShape(i)[0]; !n.Equal(b.InShape(j)[0]) {
		b.Check(shape.Equal, b.InShape(j)[0], n, "segment_ids and indices should have same size.")
	}
	if d = b.InFact(i).DType; d == b.InFact(j).DType {
		return b.In(i), b.In(j), d
	}
	wide := func(i int) plan.View {
		if b.InFact(i).DType == tensor.Int64 {
			return b.In(i)
		}
		t := b.Temp(tensor.Int64, b.InLen(i))
		b.Call(segment.WidenI32, t, b.In(i))
		t.Mode = plan.Read
		return t
	}
	return wide(i), wide(j), tensor.Int64
}

// sparseRows binds the number of segments.
func sparseRows(b *lower.Builder) {
	if b.NumIn() > 3 {
		n, _ := b.Ints(3)
		kit.CheckLen(b, 3, 1)
		kit.BindSize(b, 0, 0, n[0], "num_segments")
	} else {
		bindSegmentRows(b, 2, b.OutShape(0)[0])
	}
}

func sparseSegmentLower(b *lower.Builder) error {
	x, out := b.InShape(0), b.OutShape(0)
	sparseRows(b)
	ix, ids, d := pairOf(b, 1, 2)
	fn, err := bytype.SegmentSparse.Get(b.InFact(0).DType, d)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), ix, ids, plan.Lit(segment.SparseParams{Scale: SegmentScale(b.Node.Op)},
		"Limit", x[0], "Inner", sym.Product(x[1:]), "Rows", out[0]))
	return nil
}

// sparseSegmentGradShape infers the result of SparseSegmentSumGrad and related ops, whose inputs
// are grad, indices, segment_ids and output_dim0.
func sparseSegmentGradShape(c *lower.Shaper) error {
	x := c.Shape(0)
	for i := 1; i <= 2; i++ {
		if _, err := c.WithRank(i, 1); err != nil {
			return err
		}
	}
	if a, b := c.Shape(1), c.Shape(2); a.Known && b.Known {
		if _, err := kit.JoinDim(a.Dims[0], b.Dims[0], "segment_ids and indices should have same size."); err != nil {
			return err
		}
	}
	if _, err := c.WithRank(3, 0); err != nil {
		return err
	}
	e, ok, err := kit.OneInt(c, 3, "output_dim0")
	if err != nil {
		return err
	}
	if !ok || !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "grad must be at least rank 1")
	}
	n, err := kit.SizeOf(c, 0, 0, e)
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(kit.DimSet(x.Dims, 0, n)...))
	return nil
}

func sparseSegmentGradLower(b *lower.Builder) error {
	n, _ := b.Ints(3)
	kit.CheckLen(b, 3, 1)
	kit.BindSize(b, 0, 0, n[0], "output_dim0")
	x, out := b.InShape(0), b.OutShape(0)
	ix, ids, d := pairOf(b, 1, 2)
	fn, err := bytype.SegmentSparseGrad.Get(b.InFact(0).DType, d)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), ix, ids, b.Temp(tensor.Int64, x[0]), plan.Lit(segment.SparseParams{Scale: SegmentScale(b.Node.Op)},
		"Limit", out[0], "Inner", sym.Product(x[1:]), "Rows", x[0]))
	return nil
}
