package sparse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseDefs describes ops on sparse tensors. A sparse tensor consists of three tensors: indices,
// values and dense shape. An op fails with InvalidArgument if the shapes of these three tensors or
// the shapes of the operands are inconsistent. It also fails with InvalidArgument if it uses an
// index to address an element and the index is outside the dense shape.
var sparseDefs = []*lower.Def{
	{Name: "SparseToDense", Types: sparseDenseTypes, Shape: sparseToDenseShape, Lower: sparseToDenseLower},
	{Name: "SparseTensorDenseMatMul", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int32, tensor.Complex64, tensor.Complex128}, "Tindices": indexops.IndexTypes},
		Shape: sparseMatMulShape, Lower: sparseMatMulLower},
	{Name: "SparseTensorDenseAdd", Types: map[string][]tensor.DType{"T": kit.NumberTypes, "Tindices": indexops.IndexTypes}, Shape: sparseDenseAddShape, Lower: sparseDenseAddLower},
	{Name: "SparseDenseCwiseAdd", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: sparseCwiseShape, Lower: sparseCwiseLower},
	{Name: "SparseDenseCwiseMul", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: sparseCwiseShape, Lower: sparseCwiseLower},
	{Name: "SparseDenseCwiseDiv", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: sparseCwiseShape, Lower: sparseCwiseLower},
	{Name: "SparseReorder", Types: sparseMoves, Shape: sparseReorderShape, Lower: sparseReorderLower},
	{Name: "SparseReshape", Shape: sparseReshapeShape, Lower: sparseReshapeLower},
	{Name: "SparseFillEmptyRows", Types: sparseMoves, Shape: sparseFillShape, Lower: sparseFillLower},
	{Name: "SparseSlice", Types: sparseMoves, Shape: sparseSliceShape, Lower: sparseSliceLower},
	{Name: "SparseSliceGrad", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: sparseSliceGradShape, Lower: sparseSliceGradLower},
	{Name: "SparseSplit", Types: sparseMoves, Shape: sparseSplitShape, Lower: sparseSplitLower},
	{Name: "SparseConcat", Types: sparseMoves, Shape: sparseConcatShape, Lower: sparseConcatLower},
	{Name: "SparseAdd", Types: map[string][]tensor.DType{"T": signedTypes}, Shape: sparseAddShape, Lower: sparseAddLower},
	{Name: "SparseAddGrad", Types: map[string][]tensor.DType{"T": signedTypes}, Shape: sparseAddGradShape, Lower: sparseAddGradLower},
	{Name: "SparseSparseMaximum", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: sparseUnionShape, Lower: sparseUnionLower("Maximum")},
	{Name: "SparseSparseMinimum", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: sparseUnionShape, Lower: sparseUnionLower("Minimum")},
	{Name: "SparseReduceSum", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: sparseReduceShape, Lower: sparseReduceLower(bytype.SparseSumGroups), Limits: sparseReduceLimits},
	{Name: "SparseReduceMax", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: sparseReduceShape, Lower: sparseReduceLower(bytype.SparseMaxGroups), Limits: sparseReduceLimits},
	{Name: "SparseReduceSumSparse", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: sparseReduceSparseShape, Lower: sparseReduceSparseLower(bytype.SparseSumGroups)},
	{Name: "SparseReduceMaxSparse", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: sparseReduceSparseShape, Lower: sparseReduceSparseLower(bytype.SparseMaxGroups)},
	{Name: "SparseSegmentSumGradV2", Types: indexops.SegmentTypes(indexops.SegmentFloats), Shape: sparseSegmentGrad2Shape, Lower: sparseSegmentGrad2Lower},
	{Name: "SparseSegmentMeanGradV2", Types: indexops.SegmentTypes(indexops.SegmentFloats), Shape: sparseSegmentGrad2Shape, Lower: sparseSegmentGrad2Lower},
	{Name: "SparseSegmentSqrtNGradV2", Types: indexops.SegmentTypes(indexops.SegmentFloats), Shape: sparseSegmentGrad2Shape, Lower: sparseSegmentGrad2Lower},
	{Name: "SparseSoftmax", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half}}, Shape: sparseSoftmaxShape, Lower: sparseSoftmaxLower},
}

var (
	// sparseMoves are the types of values that are moved without computing.
	sparseMoves = map[string][]tensor.DType{"T": append([]tensor.DType{tensor.Bool, tensor.String, tensor.Resource, tensor.Variant}, kit.NumberTypes...)}
	// sparseDenseTypes are SparseToDense's types.
	sparseDenseTypes = map[string][]tensor.DType{"T": append([]tensor.DType{tensor.Bool, tensor.String, tensor.QInt8, tensor.QUint8, tensor.QInt16, tensor.QUint16}, kit.NumberTypes...), "Tindices": indexops.IndexTypes}
	signedTypes      = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Complex64, tensor.Complex128}
)

// sparseShapes checks the ranks of three inputs: indices, values and shape. It returns the number
// of values and the rank; each is nil if unknown.
func sparseShapes(c *lower.Shaper, ix, values, dense int) (n, rank *sym.Expr, err error) {
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
		x, err = kit.JoinDim(x, y, what)
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

// sparseParts returns the number of values of a sparse tensor and its rank, as sparseShapes does,
// and appends the checks of sizes that are known only at run time.
func sparseParts(b *lower.Builder, ix, values, dense int) (n, rank *sym.Expr, err error) {
	if err := kit.Ranked(b, ix, values, dense); err != nil {
		return nil, nil, err
	}
	n, rank = b.InShape(ix)[0], b.InShape(ix)[1]
	if err := kit.RequireSame(b, b.InLen(values), n, "values and rows of the indices"); err != nil {
		return nil, nil, err
	}
	return n, rank, kit.RequireSame(b, b.InLen(dense), rank, "elements of the shape and columns of the indices")
}

// setOr sets the type and shape of output i. If one of dims is nil, the shape is unknown.
func setOr(c *lower.Shaper, i int, d tensor.DType, dims ...*sym.Expr) {
	for _, e := range dims {
		if e == nil {
			c.UnknownShape(i, d)
			return
		}
	}
	c.Set(i, d, ir.ShapeOf(dims...))
}

// pick appends the call that sets dst[i] to src[at[i]], or to the only element of rest if at[i] is
// negative.
func pick(b *lower.Builder, dst, src, rest, at plan.View) {
	d := dst.Buf.DType
	b.Call(lower.ByKind(d, sparse.PickRaw, sparse.PickStr, sparse.PickHnd), b.Raw(dst), b.Raw(src), b.Raw(rest), at, d.Size())
}

// zeroElement returns a constant with one element 0.
func zeroElement(b *lower.Builder, d tensor.DType) plan.View {
	return b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Data: tensor.MakeSlice(d, 1)})
}

// head returns a view of the first n elements of v, for a kernel that reads them.
func head(v plan.View, n *sym.Expr) plan.View { return kit.Reads(v.At(sym.Zero, n)) }

// sameElements appends a call of the kernel fn for operands x and y of equal length. fn is an
// element-wise kernel that can also broadcast.
func sameElements(b *lower.Builder, fn any, dst, x, y plan.View) error {
	n := []*sym.Expr{dst.Len}
	dims, _, err := kit.BroadcastDims(b, n, n)
	if err == nil {
		b.Call(fn, dst, x, y, dims)
	}
	return err
}
