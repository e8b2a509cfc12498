package sparse

import "github.com/graphc/graphc/rt/tensor"

// FillCount counts the rows of indices, of rank columns, by their first column:
// empty[r] says that row r of the dense tensor has none, and starts[r] is where
// the rows that it has begin once each empty one has got one. It returns how many
// there are then. InvalidArgument for an index that is no row.
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

// FillRows moves the rows of indices, in the order they have, to where FillCount
// found, and a row [r, 0, 0, …] to each empty row r: out are the new indices, from
// the rows they were, -1 for new ones, and to where each row went. starts is used up.
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

// Rows returns the first dimension of a shape: InvalidArgument where there is none or it is negative.
func Rows(shape []int64) (int, error) {
	if len(shape) == 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the dense shape cannot be empty")
	}
	if shape[0] < 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the first dimension is %d, which is negative", shape[0])
	}
	return int(shape[0]), nil
}
