package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseAddShape: SparseAdd(a_indices, a_values, a_shape, b_indices, b_values,
// b_shape, thresh): both in row-major order. A sum of two values that is below
// thresh in magnitude is left out.
func sparseAddShape(c *Shaper) error {
	rank, err := c.sparsePair()
	if err != nil {
		return err
	}
	if err := c.scalarOr(6, "thresh"); err != nil {
		return err
	}
	if want := magnitudeType(c.In(1).DType); c.In(6).DType != want {
		return tensor.Errorf(tensor.InvalidArgument, "thresh is of the type %v, %v is required for values of %v", c.In(6).DType, want, c.In(1).DType)
	}
	n := c.NewSize(0)
	c.setOr(0, tensor.Int64, n, rank)
	c.Set(1, c.In(1).DType, ir.ShapeOf(n))
	c.setOr(2, tensor.Int64, rank)
	return nil
}

// magnitudeType is the type of the absolute values of d.
func magnitudeType(d tensor.DType) tensor.DType {
	switch d {
	case tensor.Complex64:
		return tensor.Float32
	case tensor.Complex128:
		return tensor.Float64
	}
	return d
}

// sparsePair checks two sparse tensors, the inputs 0 to 5, and returns their rank.
func (c *Shaper) sparsePair() (*sym.Expr, error) {
	_, rank, err := c.sparseParts(0, 1, 2)
	if err != nil {
		return nil, err
	}
	_, other, err := c.sparseParts(3, 4, 5)
	if err != nil {
		return nil, err
	}
	switch {
	case rank == nil:
		return other, nil
	case other == nil:
		return rank, nil
	}
	return sameDim(rank, other, "ranks of the operands")
}

// sparsePair is Shaper.sparsePair with what is left for the run, and scratch for
// the rows of a union.
func (b *Builder) sparsePair() (na, nb, rank *sym.Expr, from [2]plan.View, err error) {
	na, rank, err = b.sparseParts(0, 1, 2)
	if err != nil {
		return
	}
	nb, other, err := b.sparseParts(3, 4, 5)
	if err != nil {
		return
	}
	if err = b.sameDim(rank, other, "ranks of the operands"); err != nil {
		return
	}
	b.Call(sparse.SameShape, b.In(2), b.In(5))
	from = [2]plan.View{b.Temp(tensor.Int64, na.Add(nb)), b.Temp(tensor.Int64, na.Add(nb))}
	return
}

func sparseAddLower(b *Builder) error {
	_, _, rank, from, err := b.sparsePair()
	if err != nil {
		return err
	}
	d := b.InFact(1).DType
	union, err := sparseAddUnionKernels.get(d)
	if err != nil {
		return err
	}
	values, err := sparseAddValuesKernels.get(d)
	if err != nil {
		return err
	}
	n := b.NewSize(0)
	b.CallSizes(union, []*sym.Expr{n}, writes(from[0]), writes(from[1]), b.In(0), b.In(3), b.In(1), b.In(4), b.In(6), rank)
	fa, fb := head(from[0], n), head(from[1], n)
	b.Call(sparse.UnionRows, b.Out(0), fa, fb, b.In(0), b.In(3), rank)
	b.Call(values, b.Out(1), b.In(1), b.In(4), fa, fb)
	b.Copy(b.Out(2), b.In(2))
	return nil
}

// sparseUnionShape: SparseSparseMaximum(a_indices, a_values, a_shape, b_indices,
// b_values, b_shape): a value that is not there is 0.
func sparseUnionShape(c *Shaper) error {
	rank, err := c.sparsePair()
	if err != nil {
		return err
	}
	n := c.NewSize(0)
	c.setOr(0, tensor.Int64, n, rank)
	c.Set(1, c.In(1).DType, ir.ShapeOf(n))
	return nil
}

func sparseUnionLower(op string) func(*Builder) error {
	return func(b *Builder) error {
		na, nb, rank, from, err := b.sparsePair()
		if err != nil {
			return err
		}
		b.Call(sparse.Inside, b.In(0), b.In(2))
		b.Call(sparse.Inside, b.In(3), b.In(5))
		d := b.InFact(1).DType
		fn, err := elemKernel(op, d)
		if err != nil {
			return err
		}
		n := b.NewSize(0)
		b.CallSizes(sparse.Union, []*sym.Expr{n}, writes(from[0]), writes(from[1]), b.In(0), b.In(3), na, nb, rank)
		fa, fb := head(from[0], n), head(from[1], n)
		b.Call(sparse.UnionRows, b.Out(0), fa, fb, b.In(0), b.In(3), rank)
		x, y := b.Temp(d, n), b.Temp(d, n)
		b.pick(writes(x), b.In(1), b.zeroElement(d), fa)
		b.pick(writes(y), b.In(4), b.zeroElement(d), fb)
		return b.sameElements(fn, b.Out(1), reads(x), reads(y))
	}
}

// sparseAddGradShape: SparseAddGrad(backprop_val_grad, a_indices, b_indices,
// sum_indices): a gradient for each value of a and b, 0 where the sum was left out.
func sparseAddGradShape(c *Shaper) error {
	if err := c.ranks(1, 2, 2, 2); err != nil {
		return err
	}
	for i := range 2 {
		var n *sym.Expr
		if s := c.Shape(1 + i); s.Known {
			n = s.Dims[0]
		}
		c.setOr(i, c.In(0).DType, n)
	}
	return nil
}

func sparseAddGradLower(b *Builder) error {
	if err := b.ranked(0, 1, 2, 3); err != nil {
		return err
	}
	x, y, sum := b.InShape(1), b.InShape(2), b.InShape(3)
	for _, s := range [][]*sym.Expr{y, sum} {
		if err := b.sameDim(x[1], s[1], "ranks of the operands and the sum"); err != nil {
			return err
		}
	}
	if err := b.sameDim(b.InLen(0), sum[0], "elements of backprop_val_grad and rows of sum_indices"); err != nil {
		return err
	}
	atA, atB := b.Temp(tensor.Int64, x[0]), b.Temp(tensor.Int64, y[0])
	b.Call(sparse.AddGrad, writes(atA), writes(atB), b.In(1), b.In(2), b.In(3), sum[0], x[1])
	zero := b.zeroElement(b.InFact(0).DType)
	b.pick(b.Out(0), b.In(0), zero, reads(atA))
	b.pick(b.Out(1), b.In(0), zero, reads(atB))
	return nil
}
