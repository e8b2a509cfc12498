package random

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestSobol compares points of two dimensions with TensorFlow 2.21's.
func TestSobol(t *testing.T) {
	numbers := []uint32{1, 1, 1, 1, 1, 3, 5, 15}
	p := SobolParams{Dims: 2, Points: 6, Digits: 4}
	out := make([]float32, 12)
	SobolF32(out, numbers, p)
	if want := []float32{0.5, 0.5, 0.75, 0.25, 0.25, 0.75, 0.375, 0.375, 0.875, 0.875, 0.625, 0.125}; !slices.Equal(out, want) {
		t.Errorf("%v, want %v", out, want)
	}
	p.Skip = 3
	wide := make([]float64, 12)
	SobolF64(wide, numbers, p)
	if want := []float64{0.375, 0.375, 0.875, 0.875, 0.625, 0.125, 0.125, 0.625, 0.1875, 0.3125, 0.6875, 0.8125}; !slices.Equal(wide, want) {
		t.Errorf("%v, want %v", wide, want)
	}
	all := make([]uint32, 32)
	for i := range all {
		all[i] = 1
	}
	SobolF64(wide, all, SobolParams{Dims: 1, Points: 3, Skip: 1 << 30, Digits: 32})
	near(t, "behind 2^30", wide[:3], []float64{-0.5, -0.75, -0.25}, 1e-8)
	for _, c := range [][3]int{{0, 1, 0}, {21, 1, 0}, {1, 0, 0}, {1, 1, -1}, {1, 2, 1<<31 - 3}} {
		if err := SobolFits(c[0], c[1], c[2], 20); code(err) != tensor.InvalidArgument {
			t.Errorf("%v: %v", c, err)
		}
	}
	if err := SobolFits(20, 1, 1<<31-3, 20); err != nil {
		t.Error(err)
	}
}
