package sparse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseReorderShape infers the shapes of the outputs of SparseReorder(input_indices, input_values,
// input_shape), which sorts the tensor in row-major order. Values with equal indices keep their
// order.
func sparseReorderShape(c *lower.Shaper) error {
	n, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	setOr(c, 0, tensor.Int64, n, rank)
	setOr(c, 1, c.In(1).DType, n)
	return nil
}

func sparseReorderLower(b *lower.Builder) error {
	n, rank, err := sparseParts(b, 0, 1, 2)
	if err != nil {
		return err
	}
	order := b.Temp(tensor.Int64, n)
	b.Call(sparse.Sort, kit.Writes(order), b.In(0), rank)
	b.Call(sparse.PickRows, b.Out(0), b.In(0), kit.Reads(order), rank)
	pick(b, b.Out(1), b.In(1), b.In(1), kit.Reads(order))
	return nil
}

// sparseReshapeShape infers the shapes of the outputs of SparseReshape(input_indices, input_shape,
// new_shape): the new indices and the new shape, in which a dimension of -1 has been computed.
func sparseReshapeShape(c *lower.Shaper) error {
	ix, err := c.WithRank(0, 2)
	if err != nil {
		return err
	}
	from, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	to, err := c.WithRank(2, 1)
	if err != nil {
		return err
	}
	if ix.Known && from.Known {
		if _, err := kit.JoinDim(ix.Dims[1], from.Dims[0], "Input tensor rank must match input shape length."); err != nil {
			return err
		}
	}
	var n, rank *sym.Expr
	if ix.Known {
		n = ix.Dims[0]
	}
	if to.Known {
		rank = to.Dims[0]
	}
	setOr(c, 0, tensor.Int64, n, rank)
	setOr(c, 1, tensor.Int64, rank)
	return nil
}

func sparseReshapeLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(0)[1], b.InLen(1), "Input tensor rank must match input shape length."); err != nil {
		return err
	}
	b.Call(sparse.Reshape, b.Out(0), b.Out(1), b.In(0), b.In(1), b.In(2), b.InShape(0)[0])
	return nil
}

// sparseFillShape infers the shapes of the outputs of SparseFillEmptyRows(indices, values,
// dense_shape, default_value), which adds one value to each empty row. The outputs are the new
// indices and values, one bool per row that says whether the row was empty, and the new position of
// each old value.
func sparseFillShape(c *lower.Shaper) error {
	n, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	if err := c.ScalarOr(3, "default_value"); err != nil {
		return err
	}
	if rank != nil && rank.Is(0) {
		return tensor.Errorf(tensor.InvalidArgument, "Dense shape cannot be empty.")
	}
	if vs, ok := c.StaticInts(2); ok {
		for _, v := range vs {
			if v < -1 {
				return tensor.Errorf(tensor.InvalidArgument, "Invalid value in tensor used for shape: %d", v)
			}
		}
	}
	full := c.NewSize(0)
	setOr(c, 0, tensor.Int64, full, rank)
	c.Set(1, c.In(1).DType, ir.ShapeOf(full))
	c.Set(2, tensor.Bool, ir.ShapeOf(c.NewSize(2)))
	if e := c.In(2).Ints; len(e) > 0 {
		rows, err := kit.SizeOf(c, 2, 0, e[0])
		if err != nil {
			return err
		}
		c.Set(2, tensor.Bool, ir.ShapeOf(rows))
	}
	setOr(c, 3, tensor.Int64, n)
	return nil
}

func sparseFillLower(b *lower.Builder) error {
	n, rank, err := sparseParts(b, 0, 1, 2)
	if err != nil {
		return err
	}
	rows, full := b.OutShape(2)[0], b.NewSize(0)
	if rows.Equal(b.NewSize(2)) {
		b.CallSizes(sparse.Rows, []*sym.Expr{rows}, b.In(2))
	}
	starts, from := b.Temp(tensor.Int64, rows), b.Temp(tensor.Int64, full)
	b.CallSizes(sparse.FillCount, []*sym.Expr{full}, kit.Writes(starts), b.Out(2), b.In(0), n, rank)
	b.Call(sparse.FillRows, b.Out(0), kit.Writes(from), b.Out(3), starts, kit.Reads(b.Out(2)), b.In(0), n, rank)
	pick(b, b.Out(1), b.In(1), b.In(3), kit.Reads(from))
	return nil
}

// sparseSliceShape infers the shapes of the outputs of SparseSlice(indices, values, shape, start,
// size): a sparse tensor with the part of the input that begins at index start and has the given
// size.
func sparseSliceShape(c *lower.Shaper) error {
	_, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	for i, what := range []string{"start", "size"} {
		s, err := c.WithRank(3+i, 1)
		if err != nil {
			return err
		}
		if s.Known && rank != nil {
			if rank, err = kit.JoinDim(rank, s.Dims[0], "elements of "+what); err != nil {
				return err
			}
		}
	}
	n := c.NewSize(0)
	setOr(c, 0, tensor.Int64, n, rank)
	c.Set(1, c.In(1).DType, ir.ShapeOf(n))
	setOr(c, 2, tensor.Int64, rank)
	return nil
}

func sparseSliceLower(b *lower.Builder) error {
	n, rank, err := sparseParts(b, 0, 1, 2)
	if err != nil {
		return err
	}
	for i, what := range []string{"start", "size"} {
		if err := kit.Ranked(b, 3+i); err != nil {
			return err
		}
		if err := kit.RequireSame(b, b.InLen(3+i), rank, "elements of "+what); err != nil {
			return err
		}
	}
	at, m := b.Temp(tensor.Int64, n), b.NewSize(0)
	b.CallSizes(sparse.Slice, []*sym.Expr{m}, kit.Writes(at), b.Out(2), b.In(0), b.In(2), b.In(3), b.In(4))
	b.Call(sparse.SliceRows, b.Out(0), head(at, m), b.In(0), b.In(3))
	pick(b, b.Out(1), b.In(1), b.In(1), head(at, m))
	return nil
}

// sparseSliceGradShape infers the shape of the output of SparseSliceGrad(backprop_val_grad,
// input_indices, input_start, output_indices): one gradient for each input index. The run fails
// with Internal if an output index is not an input index.
func sparseSliceGradShape(c *lower.Shaper) error {
	if err := ranks(c, 1, 2, 1, 2); err != nil {
		return err
	}
	var n *sym.Expr
	if s := c.Shape(1); s.Known {
		n = s.Dims[0]
	}
	setOr(c, 0, c.In(0).DType, n)
	return nil
}

// ranks returns an error unless the first inputs of the node have the ranks rs.
func ranks(c *lower.Shaper, rs ...int) error {
	for i, r := range rs {
		if _, err := c.WithRank(i, r); err != nil {
			return err
		}
	}
	return nil
}

func sparseSliceGradLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2, 3); err != nil {
		return err
	}
	in, out := b.InShape(1), b.InShape(3)
	if err := kit.RequireSame(b, in[1], out[1], "columns of input_indices and output_indices"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InLen(2), in[1], "elements of input_start and columns of input_indices"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InLen(0), out[0], "elements of backprop_val_grad and rows of output_indices"); err != nil {
		return err
	}
	at := b.Temp(tensor.Int64, in[0])
	b.Call(sparse.SliceGrad, kit.Writes(at), b.In(1), b.In(3), b.In(2), out[0], in[1])
	pick(b, b.Out(0), b.In(0), zeroElement(b, b.InFact(0).DType), kit.Reads(at))
	return nil
}

// sparseSplitShape infers the shapes of the outputs of SparseSplit(split_dim, indices, values,
// shape), which divides a tensor along a dimension into num_split pieces. If num_split does not
// divide the size of the dimension, the first pieces are one larger than the last ones.
func sparseSplitShape(c *lower.Shaper) error {
	if err := c.ScalarOr(0, "split_dim"); err != nil {
		return err
	}
	c.Ints(0) // for the lowering
	_, rank, err := sparseShapes(c, 1, 2, 3)
	if err != nil {
		return err
	}
	k := c.Node.Int("num_split")
	for i := range k {
		n := c.NewSize(i)
		setOr(c, i, tensor.Int64, n, rank)
		c.Set(k+i, c.In(2).DType, ir.ShapeOf(n))
		setOr(c, 2*k+i, tensor.Int64, rank)
	}
	return nil
}

func sparseSplitLower(b *lower.Builder) error {
	n, _, err := sparseParts(b, 1, 2, 3)
	if err != nil {
		return err
	}
	axis, ok := b.Ints(0)
	if !ok || len(axis) != 1 {
		return b.Errorf(tensor.InvalidArgument, "split_dim must be a scalar")
	}
	k := b.Node.Int("num_split")
	for i := range k {
		at, m := b.Temp(tensor.Int64, n), b.NewSize(i)
		b.CallSizes(sparse.Split, []*sym.Expr{m}, kit.Writes(at), b.Out(2*k+i), b.In(1), b.In(3), axis[0], i, k)
		b.Call(sparse.SplitRows, b.Out(i), head(at, m), b.In(1), b.In(3), axis[0], i, k)
		pick(b, b.Out(k+i), b.In(2), b.In(2), head(at, m))
	}
	return nil
}

// sparseConcatShape infers the shapes of the outputs of SparseConcat(indices…, values…, shapes…),
// which concatenates tensors along the dimension in attribute concat_dim. The indices of the result
// are in row-major order.
func sparseConcatShape(c *lower.Shaper) error {
	k := c.Node.Int("N")
	total, rank := sym.Zero, (*sym.Expr)(nil)
	for i := range k {
		n, r, err := sparseShapes(c, i, k+i, 2*k+i)
		if err != nil {
			return err
		}
		if total != nil && n != nil {
			total = total.Add(n)
		} else {
			total = nil
		}
		if rank != nil && r != nil {
			if r, err = kit.JoinDim(rank, r, "ranks of a concatenation's operands"); err != nil {
				return err
			}
		}
		if r != nil {
			rank = r
		}
	}
	if rank != nil {
		if r, ok := rank.IsInt(); ok {
			if _, err := lower.Axis(c.Node.Int("concat_dim"), r); err != nil {
				return err
			}
		}
	}
	setOr(c, 0, tensor.Int64, total, rank)
	setOr(c, 1, c.In(k).DType, total)
	setOr(c, 2, tensor.Int64, rank)
	return nil
}

func sparseConcatLower(b *lower.Builder) error {
	k, axis := b.Node.Int("N"), b.Node.Int("concat_dim")
	total := b.OutLen(1)
	rank := b.OutLen(2)
	all := b.Temp(tensor.Int64, total.Mul(rank))
	begin := sym.Zero
	var begins []*sym.Expr
	for i := range k {
		n, r, err := sparseParts(b, i, k+i, 2*k+i)
		if err != nil {
			return err
		}
		if err := kit.RequireSame(b, r, rank, "ranks of a concatenation's operands"); err != nil {
			return err
		}
		dst, shape := kit.Part(kit.Writes(all), i == 0), kit.Part(b.Out(2), i == 0)
		b.Call(sparse.Append, dst.At(begin.Mul(rank), n.Mul(rank)), shape, b.In(i), b.In(2*k+i), axis, i == 0)
		begins = append(begins, begin)
		begin = begin.Add(n)
	}
	to, order := b.Temp(tensor.Int64, total), b.Temp(tensor.Int64, total)
	b.Call(sparse.Placed, b.Out(0), kit.Writes(to), kit.Writes(order), kit.Reads(all), rank)
	d := b.InFact(k).DType
	for i := range k {
		b.Call(lower.ByKind(d, sparse.PutRaw, sparse.PutStr, sparse.PutHnd), b.Raw(kit.Part(b.Out(1), i == 0)), b.Raw(b.In(k+i)),
			kit.Reads(to).At(begins[i], b.InLen(k+i)), d.Size())
	}
	return nil
}
