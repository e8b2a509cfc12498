package sparse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	mathops "github.com/graphc/graphc/ops/math"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseAddShape infers the shapes of the outputs of SparseAdd(a_indices, a_values, a_shape,
// b_indices, b_values, b_shape, thresh). The indices of both operands are in row-major order. An
// element of the sum is omitted if its magnitude is less than thresh.
func sparseAddShape(c *lower.Shaper) error {
	rank, err := sparsePairShapes(c)
	if err != nil {
		return err
	}
	if err := c.ScalarOr(6, "thresh"); err != nil {
		return err
	}
	if want := magnitudeType(c.In(1).DType); c.In(6).DType != want {
		return tensor.Errorf(tensor.InvalidArgument, "thresh is of the type %v; %v is required for values of %v", c.In(6).DType, want, c.In(1).DType)
	}
	n := c.NewSize(0)
	setOr(c, 0, tensor.Int64, n, rank)
	c.Set(1, c.In(1).DType, ir.ShapeOf(n))
	setOr(c, 2, tensor.Int64, rank)
	return nil
}

// magnitudeType returns the type of the absolute values of numbers of type d.
func magnitudeType(d tensor.DType) tensor.DType {
	switch d {
	case tensor.Complex64:
		return tensor.Float32
	case tensor.Complex128:
		return tensor.Float64
	}
	return d
}

// sparsePairShapes checks two sparse tensors, inputs 0 to 5, and returns their rank.
func sparsePairShapes(c *lower.Shaper) (*sym.Expr, error) {
	_, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return nil, err
	}
	_, other, err := sparseShapes(c, 3, 4, 5)
	if err != nil {
		return nil, err
	}
	switch {
	case rank == nil:
		return other, nil
	case other == nil:
		return rank, nil
	}
	return kit.JoinDim(rank, other, "ranks of the operands")
}

// sparsePair returns the numbers of values of the sparse tensors in inputs 0 to 5, and their rank.
// It appends the checks of sizes that are known only at run time. The result named from holds two
// views of scratch memory, one for each operand. For each row of the union, a kernel stores there
// the number of the equal row of the operand, or -1 if the operand has no equal row.
func sparsePair(b *lower.Builder) (na, nb, rank *sym.Expr, from [2]plan.View, err error) {
	na, rank, err = sparseParts(b, 0, 1, 2)
	if err != nil {
		return
	}
	nb, other, err := sparseParts(b, 3, 4, 5)
	if err != nil {
		return
	}
	if err = kit.RequireSame(b, rank, other, "ranks of the operands"); err != nil {
		return
	}
	b.Call(sparse.SameShape, b.In(2), b.In(5))
	from = [2]plan.View{b.Temp(tensor.Int64, na.Add(nb)), b.Temp(tensor.Int64, na.Add(nb))}
	return
}

func sparseAddLower(b *lower.Builder) error {
	_, _, rank, from, err := sparsePair(b)
	if err != nil {
		return err
	}
	d := b.InFact(1).DType
	union, err := bytype.SparseAddUnion.Get(d)
	if err != nil {
		return err
	}
	values, err := bytype.SparseAddValues.Get(d)
	if err != nil {
		return err
	}
	n := b.NewSize(0)
	b.CallSizes(union, []*sym.Expr{n}, kit.Writes(from[0]), kit.Writes(from[1]), b.In(0), b.In(3), b.In(1), b.In(4), b.In(6), rank)
	fa, fb := head(from[0], n), head(from[1], n)
	b.Call(sparse.UnionRows, b.Out(0), fa, fb, b.In(0), b.In(3), rank)
	b.Call(values, b.Out(1), b.In(1), b.In(4), fa, fb)
	b.Copy(b.Out(2), b.In(2))
	return nil
}

// sparseUnionShape infers the shapes of the outputs of SparseSparseMaximum(a_indices, a_values,
// a_shape, b_indices, b_values, b_shape) and SparseSparseMinimum. The result has all indices that
// occur in a or b. If only one of the two has a value at an index, the value of the other is 0.
func sparseUnionShape(c *lower.Shaper) error {
	rank, err := sparsePairShapes(c)
	if err != nil {
		return err
	}
	n := c.NewSize(0)
	setOr(c, 0, tensor.Int64, n, rank)
	c.Set(1, c.In(1).DType, ir.ShapeOf(n))
	return nil
}

func sparseUnionLower(op string) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		na, nb, rank, from, err := sparsePair(b)
		if err != nil {
			return err
		}
		b.Call(sparse.Inside, b.In(0), b.In(2))
		b.Call(sparse.Inside, b.In(3), b.In(5))
		d := b.InFact(1).DType
		fn, err := mathops.ElemKernel(op, d)
		if err != nil {
			return err
		}
		n := b.NewSize(0)
		b.CallSizes(sparse.Union, []*sym.Expr{n}, kit.Writes(from[0]), kit.Writes(from[1]), b.In(0), b.In(3), na, nb, rank)
		fa, fb := head(from[0], n), head(from[1], n)
		b.Call(sparse.UnionRows, b.Out(0), fa, fb, b.In(0), b.In(3), rank)
		x, y := b.Temp(d, n), b.Temp(d, n)
		pick(b, kit.Writes(x), b.In(1), zeroElement(b, d), fa)
		pick(b, kit.Writes(y), b.In(4), zeroElement(b, d), fb)
		return sameElements(b, fn, b.Out(1), kit.Reads(x), kit.Reads(y))
	}
}

// sparseAddGradShape infers the shapes of the outputs of SparseAddGrad(backprop_val_grad,
// a_indices, b_indices, sum_indices). The outputs have one gradient for each value of a and b. The
// gradient is 0 if SparseAdd omitted the sum.
func sparseAddGradShape(c *lower.Shaper) error {
	if err := ranks(c, 1, 2, 2, 2); err != nil {
		return err
	}
	for i := range 2 {
		var n *sym.Expr
		if s := c.Shape(1 + i); s.Known {
			n = s.Dims[0]
		}
		setOr(c, i, c.In(0).DType, n)
	}
	return nil
}

func sparseAddGradLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2, 3); err != nil {
		return err
	}
	x, y, sum := b.InShape(1), b.InShape(2), b.InShape(3)
	for _, s := range [][]*sym.Expr{y, sum} {
		if err := kit.RequireSame(b, x[1], s[1], "ranks of the operands and the sum"); err != nil {
			return err
		}
	}
	if err := kit.RequireSame(b, b.InLen(0), sum[0], "elements of backprop_val_grad and rows of sum_indices"); err != nil {
		return err
	}
	atA, atB := b.Temp(tensor.Int64, x[0]), b.Temp(tensor.Int64, y[0])
	b.Call(sparse.AddGrad, kit.Writes(atA), kit.Writes(atB), b.In(1), b.In(2), b.In(3), sum[0], x[1])
	zero := zeroElement(b, b.InFact(0).DType)
	pick(b, b.Out(0), b.In(0), zero, kit.Reads(atA))
	pick(b, b.Out(1), b.In(0), zero, kit.Reads(atB))
	return nil
}
