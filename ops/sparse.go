package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseDefs are sparse tensors as three tensors: indices, values and dense shape.
// Errors are InvalidArgument: parts that do not belong together, an index outside
// of the shape where one is needed as a place, shapes that do not fit.
var sparseDefs = []*Def{
	{Name: "SparseToDense", Types: sparseDenseTypes, Shape: sparseToDenseShape, Lower: sparseToDenseLower},
	{Name: "SparseTensorDenseMatMul", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int32, tensor.Complex64, tensor.Complex128}, "Tindices": indexTypes},
		Shape: sparseMatMulShape, Lower: sparseMatMulLower},
	{Name: "SparseTensorDenseAdd", Types: map[string][]tensor.DType{"T": numberTypes, "Tindices": indexTypes}, Shape: sparseDenseAddShape, Lower: sparseDenseAddLower},
	{Name: "SparseDenseCwiseAdd", Types: map[string][]tensor.DType{"T": realTypes}, Shape: sparseCwiseShape, Lower: sparseCwiseLower},
	{Name: "SparseDenseCwiseMul", Types: map[string][]tensor.DType{"T": realTypes}, Shape: sparseCwiseShape, Lower: sparseCwiseLower},
	{Name: "SparseDenseCwiseDiv", Types: map[string][]tensor.DType{"T": realTypes}, Shape: sparseCwiseShape, Lower: sparseCwiseLower},
	{Name: "SparseReorder", Types: sparseMoves, Shape: sparseReorderShape, Lower: sparseReorderLower},
	{Name: "SparseReshape", Shape: sparseReshapeShape, Lower: sparseReshapeLower},
	{Name: "SparseFillEmptyRows", Types: sparseMoves, Shape: sparseFillShape, Lower: sparseFillLower},
	{Name: "SparseSlice", Types: sparseMoves, Shape: sparseSliceShape, Lower: sparseSliceLower},
	{Name: "SparseSliceGrad", Types: map[string][]tensor.DType{"T": numberTypes}, Shape: sparseSliceGradShape, Lower: sparseSliceGradLower},
	{Name: "SparseSplit", Types: sparseMoves, Shape: sparseSplitShape, Lower: sparseSplitLower},
	{Name: "SparseConcat", Types: sparseMoves, Shape: sparseConcatShape, Lower: sparseConcatLower},
	{Name: "SparseAdd", Types: map[string][]tensor.DType{"T": signedTypes}, Shape: sparseAddShape, Lower: sparseAddLower},
	{Name: "SparseAddGrad", Types: map[string][]tensor.DType{"T": signedTypes}, Shape: sparseAddGradShape, Lower: sparseAddGradLower},
	{Name: "SparseSparseMaximum", Types: map[string][]tensor.DType{"T": realTypes}, Shape: sparseUnionShape, Lower: sparseUnionLower("Maximum")},
	{Name: "SparseSparseMinimum", Types: map[string][]tensor.DType{"T": realTypes}, Shape: sparseUnionShape, Lower: sparseUnionLower("Minimum")},
	{Name: "SparseReduceSum", Types: map[string][]tensor.DType{"T": numberTypes}, Shape: sparseReduceShape, Lower: sparseReduceLower(sparseSumGroupsKernels), Limits: sparseReduceLimits},
	{Name: "SparseReduceMax", Types: map[string][]tensor.DType{"T": realTypes}, Shape: sparseReduceShape, Lower: sparseReduceLower(sparseMaxGroupsKernels), Limits: sparseReduceLimits},
	{Name: "SparseReduceSumSparse", Types: map[string][]tensor.DType{"T": numberTypes}, Shape: sparseReduceSparseShape, Lower: sparseReduceSparseLower(sparseSumGroupsKernels)},
	{Name: "SparseReduceMaxSparse", Types: map[string][]tensor.DType{"T": realTypes}, Shape: sparseReduceSparseShape, Lower: sparseReduceSparseLower(sparseMaxGroupsKernels)},
	{Name: "SparseSegmentSumGradV2", Types: segmentTypes(segmentFloats), Shape: sparseSegmentGrad2Shape, Lower: sparseSegmentGrad2Lower},
	{Name: "SparseSegmentMeanGradV2", Types: segmentTypes(segmentFloats), Shape: sparseSegmentGrad2Shape, Lower: sparseSegmentGrad2Lower},
	{Name: "SparseSegmentSqrtNGradV2", Types: segmentTypes(segmentFloats), Shape: sparseSegmentGrad2Shape, Lower: sparseSegmentGrad2Lower},
	{Name: "SparseSoftmax", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half}}, Shape: sparseSoftmaxShape, Lower: sparseSoftmaxLower},
}

var (
	// sparseMoves are the types of values that are only moved.
	sparseMoves = map[string][]tensor.DType{"T": append([]tensor.DType{tensor.Bool, tensor.String, tensor.Resource, tensor.Variant}, numberTypes...)}
	// sparseDenseTypes are those of SparseToDense.
	sparseDenseTypes = map[string][]tensor.DType{"T": append([]tensor.DType{tensor.Bool, tensor.String, tensor.QInt8, tensor.QUint8, tensor.QInt16, tensor.QUint16}, numberTypes...), "Tindices": indexTypes}
	signedTypes      = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Complex64, tensor.Complex128}
)

// sparseParts checks the ranks of indices, values and shape, three inputs, and
// returns the number of values and the rank, nil where they are not known.
func (c *Shaper) sparseParts(ix, values, dense int) (n, rank *sym.Expr, err error) {
	is, err := c.WithRank(ix, 2)
	if err != nil {
		return nil, nil, err
	}
	vs, err := c.WithRank(values, 1)
	if err != nil {
		return nil, nil, err
	}
	ds, err := c.WithRank(dense, 1)
	if err != nil {
		return nil, nil, err
	}
	join := func(x, y *sym.Expr, what string) *sym.Expr {
		switch {
		case err != nil || y == nil:
			return x
		case x == nil:
			return y
		}
		x, err = sameDim(x, y, what)
		return x
	}
	if is.Known {
		n, rank = is.Dims[0], is.Dims[1]
	}
	if vs.Known {
		n = join(n, vs.Dims[0], "rows of the indices and values")
	}
	if ds.Known {
		rank = join(rank, ds.Dims[0], "columns of the indices and elements of the shape")
	}
	return n, rank, err
}

// sparseParts is Shaper.sparseParts with what is left for the run.
func (b *Builder) sparseParts(ix, values, dense int) (n, rank *sym.Expr, err error) {
	if err := b.ranked(ix, values, dense); err != nil {
		return nil, nil, err
	}
	n, rank = b.InShape(ix)[0], b.InShape(ix)[1]
	if err := b.sameDim(b.InLen(values), n, "values and rows of the indices"); err != nil {
		return nil, nil, err
	}
	return n, rank, b.sameDim(b.InLen(dense), rank, "elements of the shape and columns of the indices")
}

// setOr is Set of a shape of which a nil dimension means that nothing is known.
func (c *Shaper) setOr(i int, d tensor.DType, dims ...*sym.Expr) {
	for _, e := range dims {
		if e == nil {
			c.unknownShape(i, d)
			return
		}
	}
	c.Set(i, d, ir.ShapeOf(dims...))
}

// pick appends that dst[i] is src[at[i]], or the element rest where that is negative.
func (b *Builder) pick(dst, src, rest, at plan.View) {
	d := dst.Buf.DType
	b.Call(byKind(d, sparse.PickRaw, sparse.PickStr, sparse.PickHnd), b.raw(dst), b.raw(src), b.raw(rest), at, d.Size())
}

// zeroElement is one element 0.
func (b *Builder) zeroElement(d tensor.DType) plan.View {
	return b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Data: tensor.MakeSlice(d, 1)})
}

// head are the first n elements of scratch that a call has written.
func head(v plan.View, n *sym.Expr) plan.View { return reads(v.At(sym.Zero, n)) }

// sameElements appends a kernel of two operands of one length, which broadcasts others.
func (b *Builder) sameElements(fn any, dst, x, y plan.View) error {
	n := []*sym.Expr{dst.Len}
	dims, _, err := b.broadcastDims(n, n)
	if err == nil {
		b.Call(fn, dst, x, y, dims)
	}
	return err
}
