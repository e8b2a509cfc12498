package sparse

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/mem"
)

// TestHostile checks that hostile numbers in indices, sizes and splits are refused without
// overflow.
func TestHostile(t *testing.T) {
	fed, list, dims := typed.Fed{}, func(n int) typed.FedList { return typed.FedList(n) }, func(n int) typed.Dims { return typed.Dims(n) }
	typed.Hostile(t, "Shape", Shape, list(3))
	typed.Hostile(t, "Inside", Inside, list(2), list(2))
	typed.Hostile(t, "FillCount", FillCount, make([]int64, 2), make([]bool, 2), list(2), 2, 1)
	typed.Hostile(t, "Rows", Rows, list(2))
	typed.Hostile(t, "Kept", Kept, list(2), 3)
	typed.Hostile(t, "KeptRank", KeptRank, 2, 3, list(2), false)
	typed.Hostile(t, "KeptDim", KeptDim, 0, list(2), list(1), false)
	typed.Hostile(t, "Groups", Groups, (*mem.Budget)(nil), make([]int64, 1), make([]int64, 2), make([]int64, 2), list(2), list(2), []int32{0})
	typed.Hostile(t, "Batch", Batch, list(2), list(2))
	typed.Hostile(t, "DensePlaces", DensePlaces, make([]int64, 1), list(2), list(2), []int{1, 3})
	typed.Hostile(t, "Places", PlacesI64, make([]int64, 1), list(2), dims(2), true)
	typed.Hostile(t, "Reshape", Reshape, make([]int64, 1), make([]int64, 1), []int64{1, 2}, list(2), list(1), 1)
	typed.Hostile(t, "Reshape", Reshape, make([]int64, 2), make([]int64, 2), []int64{5}, list(1), list(2), 1)
	typed.Hostile(t, "Slice", Slice, make([]int64, 1), make([]int64, 1), list(1), list(1), list(1), list(1))
	typed.Hostile(t, "Split", Split, make([]int64, 1), make([]int64, 1), list(1), list(1), fed, 1, 2)
	typed.Hostile(t, "Append", Append, list(1), list(1), list(1), []int64{1 << 62}, 0, false)
	typed.Hostile(t, "Unique", Unique, (*mem.Budget)(nil), make([]int64, 2), make([]int64, 2), list(2), fed)
}
