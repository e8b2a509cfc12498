package gather

import "github.com/graphc/graphc/rt/tensor"

// WidenI16 stores x as i32.
func WidenI16(dst []int32, x []int16) {
	for i, v := range x {
		dst[i] = int32(v)
	}
}

// Dim returns dimension k of the result of a gather along the given axis. params and indices are
// the shapes of the operands. Both shapes begin with the batch dimensions; the parameter batch is
// their number.
func Dim(axis int, params, indices []int, batch, k int) (int, error) {
	at := axis
	if at < 0 {
		at += len(params)
	}
	if at < 0 || at >= len(params) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "axis %d is out of range for rank %d", axis, len(params))
	}
	if at < batch {
		return 0, tensor.Errorf(tensor.InvalidArgument, "batch_dims %d exceeds the axis %d", batch, axis)
	}
	n := len(indices) - batch
	switch {
	case k < at:
		return params[k], nil
	case k < at+n:
		return indices[batch+k-at], nil
	}
	return params[k-n+1], nil
}

// Split returns the sizes Outer, Limit and Inner of Params for a gather along the given axis of a
// tensor. dims is the tensor's shape. It begins with the batch dimensions; the parameter batch is
// their number.
func Split(axis int, dims []int, batch int) (int, int, int, error) {
	if axis < 0 {
		axis += len(dims)
	}
	if axis < batch || axis >= len(dims) {
		return 0, 0, 0, tensor.Errorf(tensor.InvalidArgument, "axis %d is out of range for rank %d and %d batch dimensions", axis, len(dims), batch)
	}
	outer, inner := 1, 1
	for k, d := range dims {
		if k >= batch && k < axis {
			outer *= d
		}
		if k > axis {
			inner *= d
		}
	}
	return outer, dims[axis], inner, nil
}

// place returns the element number of the position ix in a tensor of the shape dims, or -1 if the
// position is outside.
func place[I integer](ix []I, dims []int) int {
	at := 0
	for k, x := range ix {
		if x < 0 || int64(x) >= int64(dims[k]) {
			return -1
		}
		at = at*dims[k] + int(x)
	}
	return at
}

func outside[I integer](i int, ix []I, dims []int) error {
	at := make([]int, len(ix))
	for k, x := range ix {
		at[k] = int(x)
	}
	return tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %v does not index into shape %v", i, at, tensor.Shape(append([]int(nil), dims...)))
}

func gatherNd[T any, I integer](dst, params []T, indices []I, dims []int, n, inner int) error {
	depth := len(dims)
	for i := range max(n, 0) {
		ix := indices[i*depth : (i+1)*depth]
		at := place(ix, dims)
		if at < 0 {
			return outside(i, ix, dims)
		}
		copy(dst[i*inner:(i+1)*inner], params[at*inner:(at+1)*inner])
	}
	return nil
}

// WidenI8 stores x as i32.
func WidenI8(dst []int32, x []int8) {
	for i, v := range x {
		dst[i] = int32(v)
	}
}

// WidenU8 stores x as i32.
func WidenU8(dst []int32, x []uint8) {
	for i, v := range x {
		dst[i] = int32(v)
	}
}
