package sparse

import (
	"cmp"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Unique sets sorted to the distinct elements of indices, in increasing order, and
// places[i] to the position of indices[i] in sorted. It returns the number of distinct elements. It
// returns InvalidArgument for an element that is not in [0, limit), and for a negative limit.
func Unique(run *mem.Budget, sorted, places, indices []int64, limit int) (int, error) {
	if limit < 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "expected a non-negative size, got %d", limit)
	}
	for i, v := range indices {
		if v < 0 || v >= int64(limit) {
			return 0, tensor.Errorf(tensor.InvalidArgument, "index %d is %d, which is out of range [0, %d)", i, v, limit)
		}
	}
	copy(sorted, indices)
	call := run.Call()
	sort(&call, sorted)
	n := len(slices.Compact(sorted))
	for i, v := range indices {
		call.Work(searchWork)
		at, _ := slices.BinarySearch(sorted[:n], v)
		places[i] = int64(at)
	}
	return n, nil
}

// searchWork is the approximate number of operations of a binary search.
const searchWork = 64

// sort sorts v. It stops early if the run ends.
func sort(call *mem.Call, v []int64) {
	if len(v) < fewNumbers {
		slices.Sort(v)
		return
	}
	slices.SortFunc(v, func(x, y int64) int {
		call.Work(8)
		return cmp.Compare(x, y)
	})
}

// fewNumbers is a number of elements. Sorting fewer elements takes at most a few milliseconds.
const fewNumbers = 1 << 16

// Narrow converts src to int32 in dst.
func Narrow(dst []int32, src []int64) {
	for i, v := range src {
		dst[i] = int32(v)
	}
}
