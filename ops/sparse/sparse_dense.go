package sparse

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/segment"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	mathops "github.com/graphc/graphc/ops/math"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseToDenseShape infers the shape of the output of SparseToDense(sparse_indices, output_shape,
// sparse_values, default_value). If sparse_indices is a vector, the output is a vector, too, and each
// element of sparse_indices is the index of an element of the output.
func sparseToDenseShape(c *lower.Shaper) error {
	d, ix := c.In(2).DType, c.Shape(0)
	if ix.Rank() > 2 {
		return tensor.Errorf(tensor.InvalidArgument, "sparse_indices should be a scalar, vector, or matrix, got shape %v", ix)
	}
	if c.Shape(2).Rank() > 1 {
		return tensor.Errorf(tensor.InvalidArgument, "sparse_values should be a scalar or a vector, got shape %v", c.Shape(2))
	}
	if err := c.ScalarOr(3, "default_value"); err != nil {
		return err
	}
	cols := -1
	if ix.Known {
		if v, ok := indexColumns(ix.Dims).IsInt(); ok {
			cols = v
			kit.IntsN(c, 1, v)
		}
		if v := c.Shape(2); v.Rank() == 1 {
			if _, err := kit.JoinDim(v.Dims[0], indexRows(ix.Dims), "sparse_values and rows of sparse_indices"); err != nil {
				return err
			}
		}
	}
	dims, err := kit.DimsOf(c, 1)
	if err != nil {
		return err
	}
	if dims == nil {
		c.UnknownShape(0, d)
		return nil
	}
	if cols >= 0 && cols != len(dims) {
		return tensor.Errorf(tensor.InvalidArgument, "output_shape has %d elements, but should have %d", len(dims), cols)
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	return nil
}

// indexRows returns the number of indices in a tensor of indices with the given dimensions. A
// scalar is one index, and each element or row of a vector or matrix is an index.
func indexRows(dims []*sym.Expr) *sym.Expr {
	if len(dims) == 0 {
		return sym.One
	}
	return dims[0]
}

func indexColumns(dims []*sym.Expr) *sym.Expr {
	if len(dims) < 2 {
		return sym.One
	}
	return dims[1]
}

// densePlaces returns the offset of each value in the dense tensor, and appends the checks of sizes
// that are known only at run time. If attribute validate_indices is set, the run checks that the
// indices are in order and that no index occurs twice.
func densePlaces(b *lower.Builder) (plan.View, error) {
	none := plan.View{}
	if err := kit.Ranked(b, 0, 1, 2); err != nil {
		return none, err
	}
	out := b.OutShape(0)
	if err := kit.RequireSame(b, indexColumns(b.InShape(0)), sym.Int(len(out)), "columns of sparse_indices and elements of output_shape"); err != nil {
		return none, err
	}
	kit.CheckLen(b, 1, len(out))
	kit.BindDims(b, 1)
	n := indexRows(b.InShape(0))
	if v := b.InShape(2); len(v) == 1 {
		if err := kit.RequireSame(b, v[0], n, "sparse_values and rows of sparse_indices"); err != nil {
			return none, err
		}
	}
	at := b.Temp(tensor.Int64, n)
	fn := any(sparse.PlacesI64)
	if b.InFact(0).DType == tensor.Int32 {
		fn = sparse.PlacesI32
	}
	b.Call(fn, kit.Writes(at), b.In(0), out, b.Node.Bool("validate_indices"))
	return at, nil
}

func sparseToDenseLower(b *lower.Builder) error {
	at, err := densePlaces(b)
	if err != nil {
		return err
	}
	d := b.InFact(2).DType
	b.Call(lower.ByKind(d, sparse.ToDenseRaw, sparse.ToDenseStr, nil), b.Raw(b.Out(0)), b.Raw(b.In(2)), b.Raw(b.In(3)), kit.Reads(at), d.Size())
	return nil
}

// wideInts returns input i, which holds indices, converted to int64 if necessary.
func wideInts(b *lower.Builder, i int) plan.View {
	if b.InFact(i).DType == tensor.Int64 {
		return b.In(i)
	}
	t := b.Temp(tensor.Int64, b.InLen(i))
	b.Call(segment.WidenI32, kit.Writes(t), b.In(i))
	return kit.Reads(t)
}

// sparseMatMulShape infers the shape of the output of SparseTensorDenseMatMul(a_indices, a_values,
// a_shape, b), the product of the matrices a and b. If attribute adjoint_a is set, a is conjugated
// and transposed before the multiplication; adjoint_b does the same for b.
func sparseMatMulShape(c *lower.Shaper) error {
	d := c.In(1).DType
	if _, _, err := sparseShapes(c, 0, 1, 2); err != nil {
		return err
	}
	es, ok := kit.IntsN(c, 2, 2)
	if ok && len(es) != 2 {
		return tensor.Errorf(tensor.InvalidArgument, "Tensor 'a_shape' must have 2 elements, not %d", len(es))
	}
	m, err := c.WithRank(3, 2)
	if err != nil {
		return err
	}
	if !ok || !m.Known {
		c.UnknownShape(0, d)
		return nil
	}
	left, inner, right, below := sparseMatMulDims(c.Node, es, m.Dims)
	if _, err := kit.JoinDim(inner, below, "inner dimensions of a and b"); err != nil {
		return err
	}
	if left, err = kit.SizeOf(c, 0, 0, left); err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(left, right))
	return nil
}

// sparseMatMulDims returns the dimensions of the factors of a product. After transposition, a is
// [left, inner] and b is [below, right].
func sparseMatMulDims(n *ir.Node, a, b []*sym.Expr) (left, inner, right, below *sym.Expr) {
	left, inner, below, right = a[0], a[1], b[0], b[1]
	if n.Bool("adjoint_a") {
		left, inner = inner, left
	}
	if n.Bool("adjoint_b") {
		below, right = right, below
	}
	return left, inner, right, below
}

// sparseMatMulParams returns the kernel parameters of a SparseTensorDenseMatMul node, and appends
// the checks of sizes that are known only at run time.
func sparseMatMulParams(b *lower.Builder) (plan.Struct, error) {
	none := plan.Struct{}
	if err := kit.Ranked(b, 0, 1, 2, 3); err != nil {
		return none, err
	}
	if _, _, err := sparseParts(b, 0, 1, 2); err != nil {
		return none, err
	}
	kit.CheckLen(b, 2, 2)
	if err := kit.RequireSame(b, b.InShape(0)[1], sym.Int(2), "columns of a_indices"); err != nil {
		return none, err
	}
	es, _ := b.Ints(2)
	left, inner, right, below := sparseMatMulDims(b.Node, es, b.InShape(3))
	if err := kit.RequireSame(b, inner, below, "inner dimensions of a and b"); err != nil {
		return none, err
	}
	kit.BindSize(b, 0, 0, left, "a dimension of a")
	return plan.Lit(sparse.Product{AdjointA: b.Node.Bool("adjoint_a"), AdjointB: b.Node.Bool("adjoint_b")},
		"Rows", b.OutShape(0)[0], "Inner", below, "Cols", right), nil
}

func sparseMatMulLower(b *lower.Builder) error {
	p, err := sparseMatMulParams(b)
	if err != nil {
		return err
	}
	d := b.InFact(1).DType
	if d == tensor.Half || d == tensor.BFloat16 {
		fn, err := bytype.SparseProductHalf.Get(d)
		if err != nil {
			return err
		}
		b.Call(fn, b.Out(0), b.In(1), b.In(3), b.Temp(tensor.Float32, b.OutLen(0)), wideInts(b, 0), p)
		return nil
	}
	fn, err := bytype.SparseProduct.Get(d)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(1), b.In(3), wideInts(b, 0), p)
	return nil
}

// sparseDenseAddShape infers the shape of the output of SparseTensorDenseAdd(a_indices, a_values,
// a_shape, b). The shapes of the output, of a and of b are equal.
func sparseDenseAddShape(c *lower.Shaper) error {
	_, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	x := c.Shape(3)
	if x.Known && rank != nil {
		if _, err := kit.JoinDim(rank, sym.Int(len(x.Dims)), "ranks of the sparse and the dense operand"); err != nil {
			return err
		}
	}
	c.Set(0, c.In(3).DType, x)
	return nil
}

func sparseDenseAddLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 3); err != nil {
		return err
	}
	n, rank, err := sparseParts(b, 0, 1, 2)
	if err != nil {
		return err
	}
	x := b.InShape(3)
	if err := kit.RequireSame(b, rank, sym.Int(len(x)), "ranks of the sparse and the dense operand"); err != nil {
		return err
	}
	if len(x) < 1 || len(x) > 5 {
		return b.Errorf(tensor.InvalidArgument, "only ranks 1 to 5 are supported, not %d", len(x))
	}
	fn, err := bytype.SparseAddAt.Get(b.InFact(1).DType)
	if err != nil {
		return err
	}
	b.Call(sparse.IsShape, wideInts(b, 2), x)
	at := b.Temp(tensor.Int64, n)
	b.Call(sparse.PlacesI64, kit.Writes(at), wideInts(b, 0), x, false)
	b.Copy(b.Out(0), b.In(3))
	out := b.Out(0)
	out.Mode = plan.ReadWrite
	b.Call(fn, out, b.In(1), kit.Reads(at))
	return nil
}

// sparseCwiseShape infers the shape of the output of SparseDenseCwiseAdd(sp_indices, sp_values,
// sp_shape, dense) and of the similar ops for Mul and Div. The output holds the new values of the
// sparse operand. The input dense is broadcast to the shape of the sparse operand. A divisor of 0
// is an error, even for floats.
func sparseCwiseShape(c *lower.Shaper) error {
	n, _, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	setOr(c, 0, c.In(1).DType, n)
	return nil
}

func sparseCwiseLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 3); err != nil {
		return err
	}
	n, _, err := sparseParts(b, 0, 1, 2)
	if err != nil {
		return err
	}
	d := b.InFact(1).DType
	op := strings.TrimPrefix(b.Node.Op, "SparseDenseCwise")
	if op == "Add" {
		op = "AddV2"
	}
	fn, err := mathops.ElemKernel(op, d)
	if err != nil {
		return err
	}
	at, dense := b.Temp(tensor.Int64, n), b.Temp(d, n)
	b.Call(sparse.DensePlaces, kit.Writes(at), b.In(0), b.In(2), b.InShape(3))
	pick(b, kit.Writes(dense), b.In(3), zeroElement(b, d), kit.Reads(at))
	if op == "Div" {
		b.Call(sparse.NonZeroRaw, b.Raw(kit.Reads(dense)), d.Size(), d.IsFloat())
	}
	return sameElements(b, fn, b.Out(0), b.In(1), kit.Reads(dense))
}
