package random

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/mem"
)

// TestHostile checks that extreme numbers in indices, sizes and counts are refused and cause no
// overflow.
func TestHostile(t *testing.T) {
	fed, list, dims := typed.Fed{}, func(n int) typed.FedList { return typed.FedList(n) }, func(n int) typed.Dims { return typed.Dims(n) }
	typed.Hostile(t, "SobolFits", SobolFits, fed, fed, fed, 40)
	typed.Hostile(t, "Samples", Samples, list(1), 3)
	crop := func(size []int, height, width int) (int, int, error) {
		return Crop(stateless(), CropParams{size[0], size[1], height, width})
	}
	typed.Hostile(t, "Crop", crop, dims(2), fed, fed)
	typed.Hostile(t, "IndexShuffle", IndexShuffleI64, (*mem.Budget)(nil), make([]int64, 1), list(1), []uint32{1, 2, 3}, list(1), IndexParams{N: 1, Rounds: 4})
	typed.Hostile(t, "Distort", Distort, (*mem.Budget)(nil), make([]int64, 3), make([]int64, 3), make([]float32, 4), stateless(), list(2), []float32{0, 0, 1, 1}, []float32{.1},
		DistortParams{Boxes: 1, AspectLow: 1, AspectHigh: 2, AreaLow: .1, AreaHigh: 1, Attempts: 3})
}
