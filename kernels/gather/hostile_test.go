package gather

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestHostile: the kernels refuse hostile indices, sizes and splits, and no computation overflows.
func TestHostile(t *testing.T) {
	fed, list, dims := typed.Fed{}, func(n int) typed.FedList { return typed.FedList(n) }, func(n int) typed.Dims { return typed.Dims(n) }
	for k := range 2 {
		typed.Hostile(t, "Dim", Dim, fed, dims(2), []int{2}, 0, k)
	}
	typed.Hostile(t, "Split", Split, fed, []int{3, 4}, 0)
	typed.Hostile(t, "Split", Split, fed, []int{3, 4}, 1)
	typed.Hostile(t, "StitchLen", StitchLen, list(2))
	typed.Hostile(t, "Row", Row, list(2), 3)
	typed.Hostile(t, "PartitionCounts", PartitionCounts, make([]int64, 2), list(2))
	typed.Hostile(t, "Partitioned", Partitioned, []int64{1, 2}, fed)
	typed.Hostile(t, "Stitch", StitchF32, make([]float32, 4), make([]float32, 4), list(2), 2)
	typed.Hostile(t, "Gather", GatherF32I64, make([]float32, 4), make([]float32, 6), list(2), Params{Batch: 1, Outer: 1, Limit: 3, N: 2, Inner: 2})
	typed.Hostile(t, "GatherNd", GatherNdF32I64, make([]float32, 2), make([]float32, 6), list(2), []int{3, 2}, 1, 1)
}
