package sparse

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

const sparseReduceLimits = "several axes must be known when compiling, unless keep_dims"

// sparseKept returns how many dimensions of a sparse tensor are kept when it is reduced over the
// axes in input 3, and which dimensions these are. Parameter rank is the rank of the tensor. A
// result is nil if it is known only at run time.
func sparseKept(c *lower.Shaper, rank *sym.Expr) (count *sym.Expr, kept []int, err error) {
	if s := c.Shape(3); s.Rank() > 1 {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "Expected reduction_axes to be a scalar or a vector; got shape: %v", s)
	}
	if rank == nil {
		return nil, nil, nil
	}
	r, static := rank.IsInt()
	axes, known := c.StaticInts(3)
	if static && known {
		gone := map[int]bool{}
		for _, a := range axes {
			if a, err = lower.Axis(a, r); err != nil {
				return nil, nil, err
			}
			gone[a] = true
		}
		kept = []int{}
		for k := range r {
			if !gone[k] {
				kept = append(kept, k)
			}
		}
		return sym.Int(len(kept)), kept, nil
	}
	if s := c.Shape(3); static && r > 0 && s.Known && s.Len().Is(1) {
		return sym.Int(r - 1), nil, nil
	}
	if c.Node.Bool("keep_dims") {
		return rank, nil, nil
	}
	return nil, nil, nil
}

// sparseReduceShape infers the shape of the output of SparseReduceSum(input_indices, input_values,
// input_shape, reduction_axes) and SparseReduceMax. The output is dense; its elements are 0 where
// the input has no values. The run fails with Internal if an index is outside the result.
func sparseReduceShape(c *lower.Shaper) error {
	d := c.In(1).DType
	_, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	count, kept, err := sparseKept(c, rank)
	if err != nil {
		return err
	}
	r := -1
	if rank != nil {
		if v, ok := rank.IsInt(); ok {
			r = v
			kit.IntsN(c, 2, r)
		}
	}
	keep := c.Node.Bool("keep_dims")
	if keep && r >= 0 {
		count = sym.Int(r)
	}
	n, ok := -1, false
	if count != nil {
		n, ok = count.IsInt()
	}
	if !ok {
		c.UnknownShape(0, d)
		return nil
	}
	es, known := c.Ints(2)
	dims := make([]*sym.Expr, n)
	for k := range dims {
		switch {
		case kept == nil || !known:
			dims[k] = c.NewSizeK(0, k)
		case keep && !slices.Contains(kept, k):
			dims[k] = sym.One
		default:
			at := k
			if !keep {
				at = kept[k]
			}
			if dims[k], err = kit.SizeOf(c, 0, k, es[at]); err != nil {
				return err
			}
		}
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	return nil
}

// sparseGroups appends a call of sparse.Groups, which finds the values that a reduction over the
// given axes combines. Such values form a group. The call computes the number of groups, which is
// the symbolic size in the parameter groups. sparseGroups returns two vectors. The first vector
// holds the positions of the values, sorted by group. The second vector holds, for each group, the
// index in the first vector at which the group begins; its last element is the number of values.
func sparseGroups(b *lower.Builder, groups *sym.Expr, axes plan.View) (order, starts plan.View, err error) {
	n, rank, err := sparseParts(b, 0, 1, 2)
	if err != nil {
		return order, starts, err
	}
	order, starts = b.Temp(tensor.Int64, n), b.Temp(tensor.Int64, n.AddInt(1))
	b.CallSizes(sparse.Groups, []*sym.Expr{groups}, kit.Writes(order), kit.Writes(starts), kit.Writes(b.Temp(tensor.Int64, rank)), b.In(0), b.In(2), axes)
	return kit.Reads(order), head(starts, groups.AddInt(1)), nil
}

// sparseReducer returns the kernel in the table t for the type of the values, and the rank of the
// sparse tensor.
func sparseReducer(b *lower.Builder, t bytype.Table) (fn any, rank *sym.Expr, err error) {
	if err := kit.Ranked(b, 3); err != nil {
		return nil, nil, err
	}
	if _, rank, err = sparseParts(b, 0, 1, 2); err != nil {
		return nil, nil, err
	}
	fn, err = t.Get(b.InFact(1).DType)
	return fn, rank, err
}

func sparseReduceLower(t bytype.Table) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		fn, rank, err := sparseReducer(b, t)
		if err != nil {
			return err
		}
		keep := b.Node.Bool("keep_dims")
		if r, ok := rank.IsInt(); ok {
			kit.CheckLen(b, 2, r)
		}
		b.FindSizes(0, func(k int, size []*sym.Expr) {
			b.CallSizes(sparse.KeptDim, size, k, b.In(2), b.In(3), keep)
		})
		groups := b.NewSizeK(0, lower.ExtraSize)
		order, starts, err := sparseGroups(b, groups, b.In(3))
		if err != nil {
			return err
		}
		if len(b.OutShape(0)) != 0 || !rank.Is(0) {
			b.Call(sparse.KeptRank, len(b.OutShape(0)), rank, b.In(3), keep)
		}
		at := b.Temp(tensor.Int64, groups)
		b.Call(sparse.KeptPlaces, kit.Writes(at), order, starts, b.In(0), b.In(2), b.In(3), b.OutLen(0))
		b.Call(sparse.ClearRaw, b.Raw(b.Out(0)))
		out := b.Out(0)
		out.Mode = plan.ReadWrite
		b.Call(fn, out, b.In(1), order, starts, plan.Lit(sparse.GroupParams{}, "At", kit.Reads(at)))
		return nil
	}
}

// sparseReduceSparseShape infers the shapes of the outputs of SparseReduceSumSparse and
// SparseReduceMaxSparse. They compute the same as SparseReduceSum and SparseReduceMax, but return a
// sparse tensor, which has no elements where the input has no values.
func sparseReduceSparseShape(c *lower.Shaper) error {
	_, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	count, _, err := sparseKept(c, rank)
	if err != nil {
		return err
	}
	if c.Node.Bool("keep_dims") {
		count = rank
	}
	if count == nil {
		count = c.NewSize(2)
	}
	n := c.NewSize(0)
	c.Set(0, tensor.Int64, ir.ShapeOf(n, count))
	c.Set(1, c.In(1).DType, ir.ShapeOf(n))
	c.Set(2, tensor.Int64, ir.ShapeOf(count))
	return nil
}

func sparseReduceSparseLower(t bytype.Table) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		fn, rank, err := sparseReducer(b, t)
		if err != nil {
			return err
		}
		if count := b.OutLen(2); count.Equal(b.NewSize(2)) {
			b.CallSizes(sparse.Kept, []*sym.Expr{count}, b.In(3), rank)
		}
		keep := b.Node.Bool("keep_dims")
		groups := b.NewSize(0)
		order, starts, err := sparseGroups(b, groups, b.In(3))
		if err != nil {
			return err
		}
		b.Call(sparse.KeptRank, b.OutLen(2), rank, b.In(3), keep)
		b.Call(sparse.KeptRows, b.Out(0), order, starts, b.In(0), rank, b.In(3), keep)
		b.Call(sparse.KeptShape, b.Out(2), b.In(2), b.In(3), keep)
		b.Call(fn, b.Out(1), b.In(1), order, starts, sparse.GroupParams{})
		return nil
	}
}

// sparseSoftmaxShape infers the shape of the output of SparseSoftmax(sp_indices, sp_values,
// sp_shape), which computes a softmax over the last dimension. The output holds the values in
// row-major order of their indices.
func sparseSoftmaxShape(c *lower.Shaper) error {
	n, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	if rank != nil {
		if r, ok := rank.IsInt(); ok && r < 2 {
			return tensor.Errorf(tensor.InvalidArgument, "Input should have rank >= 2, not %d", r)
		}
	}
	setOr(c, 0, c.In(1).DType, n)
	return nil
}

func sparseSoftmaxLower(b *lower.Builder) error {
	_, rank, err := sparseParts(b, 0, 1, 2)
	if err != nil {
		return err
	}
	fn := sparse.SoftmaxF16
	if err := kit.AtLeast(b, rank, 2, "the rank of a sparse softmax"); err != nil {
		return err
	}
	groups := b.NewSizeK(0, lower.ExtraSize)
	order, starts, err := sparseGroups(b, groups, b.Const("axis", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{1}, Data: []int32{-1}}))
	if err != nil {
		return err
	}
	if d := b.InFact(1).DType; d != tensor.Half {
		k, err := bytype.SparseSoftmax.Get(d)
		if err != nil {
			return err
		}
		b.Call(k, b.Out(0), b.In(1), order, starts)
		return nil
	}
	b.Call(fn, b.Out(0), b.In(1), order, starts)
	return nil
}
