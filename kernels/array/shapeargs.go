package array

import "github.com/graphc/graphc/rt/tensor"

// dimAt returns dimension k of the shape s, extended to rank by leading ones.
func dimAt[T int32 | int64](s []T, k, rank int) T {
	if k -= rank - len(s); k >= 0 {
		return s[k]
	}
	return 1
}

func broadcastArgs[T int32 | int64](dst, a, b []T) error {
	n := max(len(a), len(b))
	for k := range n {
		x, y := dimAt(a, k, n), dimAt(b, k, n)
		if x != y && x != 1 && y != 1 {
			return tensor.Errorf(tensor.InvalidArgument, "incompatible shapes for broadcasting: %d and %d in dimension %d", x, y, k)
		}
		if x == 1 {
			x = y
		}
		dst[k] = x
	}
	return nil
}

// ConcatOffset returns the offset of part n along axis k of a concatenation. dims are the sizes of
// the parts along k. If k is the concatenated axis, the offset is the sum of the first n dims.
// Otherwise it is 0, and ConcatOffset returns InvalidArgument if dims are not all equal.
func ConcatOffset(axis, rank, k, n int, dims []int) (int, error) {
	at, err := Axis(axis, rank)
	if err != nil {
		return 0, err
	}
	off := 0
	if k != at {
		for i, d := range dims {
			if d != dims[0] {
				return 0, tensor.Errorf(tensor.InvalidArgument, "all dimensions except %d must match: dimension %d of shape %d is %d, of shape 0 %d", at, k, i, d, dims[0])
			}
		}
		return 0, nil
	}
	for _, d := range dims[:n] {
		off += d
	}
	return off, nil
}
