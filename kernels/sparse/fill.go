package sparse

import "github.com/graphc/graphc/rt/tensor"

// FillCount counts the rows of indices by their first column: the row r of the dense tensor
// that they belong to. A row of indices has rank columns. empty[r] is whether row r has no
// indices. FillRows adds one for each empty row; starts[r] is where the indices of row r then
// begin, and the result is how many indices there are in total. It returns InvalidArgument for
// a row out of range.
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

// FillRows copies the rows of indices to out, in their order, at the positions that FillCount
// found, and adds a row [r, 0, 0, …] for each empty row r. from gets the position in indices
// of each row of out, -1 for added rows, and to the position in out of each row of indices. It
// overwrites starts.
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
