package sparse

import "github.com/graphc/graphc/rt/tensor"

// Slice finds the rows of indices that are in a box, which begins at start and has the given size.
// It stores the numbers of these rows in at[0], at[1] and so on, and returns how many such rows it
// found. len(at) must be the number of rows of indices. Slice sets outShape to the shape of that
// part of the box that is inside the tensor. It returns InvalidArgument for a bad shape or a
// negative size.
func Slice(at, outShape, indices, shape, start, size []int64) (int, error) {
	if _, err := dense(shape); err != nil {
		return 0, err
	}
	for k, d := range shape {
		switch {
		case start[k] < d-size[k]:
			outShape[k] = size[k]
		case start[k] < d:
			outShape[k] = d - start[k]
		default:
			outShape[k] = 0
		}
	}
	if _, err := dense(outShape); err != nil {
		return 0, err
	}
	n := 0
	for i := range at {
		inside := true
		for k, v := range row(indices, i, len(shape)) {
			inside = inside && v >= start[k] && v < start[k]+size[k]
		}
		if inside {
			at[n] = int64(i)
			n++
		}
	}
	return n, nil
}

// SliceRows sets the rows of out to the rows of indices that Slice found, minus start.
func SliceRows(out, at, indices, start []int64) {
	rank := len(start)
	for i, k := range at {
		ix := row(out, i, rank)
		for d, v := range row(indices, int(k), rank) {
			ix[d] = v - start[d]
		}
	}
}

// part divides a dimension of size dim into n pieces and returns where piece k begins and ends. If
// dim is not a multiple of n, the first pieces have one element more than the last ones.
func part(dim, n, k int64) (from, to int64) {
	size, rest := dim/n, dim%n
	from = k*size + min(k, rest)
	to = from + size
	if k < rest {
		to++
	}
	return from, to
}

// Split divides a tensor into n pieces along an axis and finds the rows of indices that are in
// piece k. It stores the numbers of these rows in at[0], at[1] and so on, and returns how many such
// rows it found. len(at) must be the number of rows of indices. Split sets outShape to the shape of
// the piece. A negative axis counts from the end. Split returns InvalidArgument for a bad shape, an
// axis or a number of pieces out of range, and an index out of bounds.
func Split(at, outShape, indices, shape []int64, axis, k, n int) (int, error) {
	if _, err := dense(shape); err != nil {
		return 0, err
	}
	if axis < -len(shape) || axis >= len(shape) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "split_dim must be in range [%d, %d), got %d", -len(shape), len(shape), axis)
	}
	if axis < 0 {
		axis += len(shape)
	}
	if err := Inside(indices, shape); err != nil {
		return 0, err
	}
	dim := shape[axis]
	if n < 1 || int64(n) > dim {
		return 0, tensor.Errorf(tensor.InvalidArgument, "num_split must be from 1 to %d, the size of the dimension, not %d", dim, n)
	}
	from, to := part(dim, int64(n), int64(k))
	copy(outShape, shape)
	outShape[axis] = to - from
	m := 0
	for i := range at {
		if v := indices[i*len(shape)+axis]; v >= from && v < to {
			at[m] = int64(i)
			m++
		}
	}
	return m, nil
}

// SplitRows sets the rows of out to the rows of indices that Split found. Along the axis, the
// indices are relative to the beginning of the piece.
func SplitRows(out, at, indices, shape []int64, axis, k, n int) {
	rank := len(shape)
	if axis < 0 {
		axis += rank
	}
	from, _ := part(shape[axis], int64(n), int64(k))
	PickRows(out, indices, at, rank)
	for i := range at {
		out[i*rank+axis] -= from
	}
}
