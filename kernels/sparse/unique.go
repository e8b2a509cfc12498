package sparse

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Unique sets sorted to the different elements of indices in their order, and
// places[i] to the place there of indices[i]. It returns how many there are.
// InvalidArgument for one that is not in [0, limit), and for a negative limit.
func Unique(sorted, places, indices []int64, limit int) (int, error) {
	if limit < 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "expected a non-negative size, got %d", limit)
	}
	for i, v := range indices {
		if v < 0 || v >= int64(limit) {
			return 0, tensor.Errorf(tensor.InvalidArgument, "index %d is %d, which is out of range [0, %d)", i, v, limit)
		}
	}
	copy(sorted, indices)
	slices.Sort(sorted)
	n := len(slices.Compact(sorted))
	for i, v := range indices {
		at, _ := slices.BinarySearch(sorted[:n], v)
		places[i] = int64(at)
	}
	return n, nil
}

// Narrow sets dst to src.
func Narrow(dst []int32, src []int64) {
	for i, v := range src {
		dst[i] = int32(v)
	}
}
