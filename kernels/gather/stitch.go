package gather

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// StitchLen returns the number of rows of DynamicStitch's result: one more than the largest index,
// or 0 without indices. It returns InvalidArgument for a negative index.
func StitchLen(indices []int32) (int, error) {
	n := 0
	for i, x := range indices {
		if x < 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %d is negative", i, x)
		}
		if x == math.MaxInt32 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %d asks for more rows than an i32 counts", i, x)
		}
		n = max(n, int(x)+1)
	}
	return n, nil
}

func stitch[T any](dst, data []T, indices []int32, inner int) error {
	rows := 0
	if inner > 0 {
		rows = len(dst) / inner
	} else {
		return nil
	}
	for i, x := range indices {
		if x < 0 || int(x) >= rows {
			return tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %d is not in [0, %d)", i, x, rows)
		}
		copy(dst[int(x)*inner:(int(x)+1)*inner], data[i*inner:(i+1)*inner])
	}
	return nil
}

// StitchPlaces copies indices to dst, but stores -1 instead of each index that occurs again later. Later
// means later in indices, or in a later operand. The caller processes the operands from the last to the
// first. taken has an element for each row of the result and marks the rows of later indices. The
// parameter first is true in the first call, which clears taken.
func StitchPlaces(dst []int32, taken []bool, indices []int32, first bool) {
	if first {
		clear(taken)
	}
	for i := len(indices) - 1; i >= 0; i-- {
		x := indices[i]
		dst[i] = -1
		if x >= 0 && int(x) < len(taken) && !taken[x] {
			dst[i], taken[x] = x, true
		}
	}
}

// PartitionCounts sets counts[k] to the number of partitions that equal k. It returns
// InvalidArgument for a partition out of range.
func PartitionCounts(counts []int64, partitions []int32) error {
	clear(counts)
	for i, k := range partitions {
		if k < 0 || int(k) >= len(counts) {
			return tensor.Errorf(tensor.InvalidArgument, "partitions[%d] = %d is not in [0, %d)", i, k, len(counts))
		}
		counts[k]++
	}
	return nil
}

// Count returns counts[k].
func Count(counts []int64, k int) int { return int(counts[k]) }

// Count32 is Count for int32.
func Count32(counts []int32, k int) int { return int(counts[k]) }

// Partitioned returns InvalidArgument unless the counts of partitions add up to n.
func Partitioned(counts []int64, n int) error {
	for _, c := range counts {
		n -= int(c)
	}
	if n != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%d of partitions are not in [0, %d)", n, len(counts))
	}
	return nil
}

func partition[T any](dst, data []T, partitions []int32, k, inner int) {
	for i, p := range partitions {
		if int(p) == k {
			copy(dst[:inner], data[i*inner:(i+1)*inner])
			dst = dst[inner:]
		}
	}
}
