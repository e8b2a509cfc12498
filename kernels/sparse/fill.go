package sparse

import "github.com/graphc/graphc/rt/tensor"

// FillCount prepares a call of FillRows, which adds an index to a sparse tensor for each row of the
// tensor that has no index. The parameter indices holds n indices of rank columns each. The first
// column of an index is the number r of its row in the tensor.
//
// For each row r, FillCount sets empty[r] to whether the row has no index, and starts[r] to the
// position at which FillRows begins to write the indices of the row. FillCount returns the number
// of indices that FillRows will write. It returns InvalidArgument if a row number is out of range.
func FillCount(starts []int64, empty []bool, indices []int64, n, rank int) (int, error) {
	clear(starts)
	if len(starts) == 0 && n != 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "received a sparse tensor with dense_shape[0] = 0 but indices.shape[0] = %d", n)
	}
	if n > 0 && rank == 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the indices have no columns")
	}
	for i := range n {
		r := indices[i*rank]
		if r < 0 || r >= int64(len(starts)) {
			return 0, tensor.Errorf(tensor.InvalidArgument, "indices(%d, 0) is %d, which is outside of [0, %d)", i, r, len(starts))
		}
		starts[r]++
	}
	total := int64(0)
	for r, k := range starts {
		empty[r] = k == 0
		starts[r] = total
		total += max(k, 1)
	}
	return int(total), nil
}

// FillRows copies n indices to out, at the positions that FillCount found in starts. For each empty
// row r of the tensor, it adds the index [r, 0, 0, …] to out. Indices of the same row of the tensor
// keep their order.
//
// FillRows also records how the indices move. If index i of the parameter indices becomes index j
// of out, it sets to[i] = j and from[j] = i. If index j of out was added, it sets from[j] = -1.
// FillRows overwrites starts.
func FillRows(out, from, to, starts []int64, empty []bool, indices []int64, n, rank int) {
	for r, e := range empty {
		if e {
			at := starts[r]
			from[at] = -1
			ix := row(out, int(at), rank)
			clear(ix)
			ix[0] = int64(r)
		}
	}
	for i := range n {
		r := indices[i*rank]
		at := starts[r]
		starts[r]++
		from[at], to[i] = int64(i), at
		copy(row(out, int(at), rank), row(indices, i, rank))
	}
}

// Rows returns the first dimension of a shape, or InvalidArgument if it is missing or negative.
func Rows(shape []int64) (int, error) {
	if len(shape) == 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the dense shape cannot be empty")
	}
	if shape[0] < 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the first dimension is %d, which is negative", shape[0])
	}
	return int(shape[0]), nil
}
