package random

import (
	"fmt"
	"testing"
)

// TestCrop checks that windows lie within the picture and that every possible position is drawn.
func TestCrop(t *testing.T) {
	seen := map[[2]int]bool{}
	for i := range 200 {
		y, x, err := Crop([]uint64{uint64(i), 0, 1}, CropParams{H: 4, W: 3, Height: 3, Width: 2})
		if err != nil || y < 0 || y > 1 || x < 0 || x > 1 {
			t.Fatal(y, x, err)
		}
		seen[[2]int{y, x}] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d of 4 places", len(seen))
	}
	if y, x, err := Crop([]uint64{1, 2, 3}, CropParams{H: 4, W: 3, Height: 4, Width: 3}); y != 0 || x != 0 || err != nil {
		t.Error(y, x, err)
	}
	for _, p := range []CropParams{{H: 4, W: 3, Height: 5, Width: 1}, {H: 4, W: 3, Height: 1, Width: 4}, {H: 4, W: 3, Height: -1}, {H: 4, W: 3, Width: -1}} {
		if _, _, err := Crop([]uint64{1, 2, 3}, p); err == nil {
			t.Errorf("%+v: no error", p)
		}
	}
}

func distort(size []int64, boxes []float32, covered float32, seed int64, p DistortParams) (string, error) {
	stream := make([]uint64, StreamLen)
	SeedI64(stream, []int64{seed, 3})
	begin, dims, box := make([]int64, 3), make([]int64, 3), make([]float32, 4)
	p.Boxes = len(boxes) / 4
	err := Distort(nil, begin, dims, box, stream, size, boxes, []float32{covered}, p)
	return fmt.Sprint(begin, dims, box), err
}

// TestDistort compares the sampled windows with TensorFlow's.
func TestDistort(t *testing.T) {
	base := DistortParams{AspectLow: .75, AspectHigh: 1.33, AreaLow: .05, AreaHigh: 1, Attempts: 100}
	box := []float32{.2, .3, .7, .9}
	for _, c := range distortCases {
		p := base
		if c.attempts != 0 {
			p.Attempts = c.attempts
		}
		if got, err := distort([]int64{c.h, c.w, 3}, box, c.covered, c.seed, p); got != c.want || err != nil {
			t.Errorf("%+v: %s %v", c, got, err)
		}
	}
	p := base
	p.UseImage = true
	if _, err := distort([]int64{9, 9, 3}, nil, 0, 1, p); err != nil {
		t.Error(err)
	}
	for name, f := range map[string]func() (string, error){
		"no box":        func() (string, error) { return distort([]int64{9, 9, 3}, nil, 0, 1, base) },
		"box outside":   func() (string, error) { return distort([]int64{9, 9, 3}, []float32{0, 0, 1, 1.5}, 0, 1, base) },
		"negative size": func() (string, error) { return distort([]int64{-9, 9, 3}, box, 0, 1, base) },
		"large size":    func() (string, error) { return distort([]int64{9, 1 << 31, 3}, box, 0, 1, base) },
		"covered":       func() (string, error) { return distort([]int64{9, 9, 3}, box, -1, 1, base) },
	} {
		if got, err := f(); err == nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	const whole = "[0 0 0] [9 9 -1] [0 0 1 1]"
	none := base
	none.AreaLow, none.AreaHigh = .9, .5
	for name, q := range map[string]DistortParams{"area": none, "aspect": {AspectLow: 1e-6, AspectHigh: 1e-6, AreaLow: .9, AreaHigh: 1, Attempts: 3}} {
		if got, err := distort([]int64{9, 9, 3}, box, 0, 1, q); got != whole || err != nil {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
	if got, err := distort([]int64{9, 9, 3}, []float32{.1, .1, .1, .1}, .1, 1, base); got != whole || err != nil {
		t.Errorf("an empty box: %s %v", got, err)
	}
}

var distortCases = []struct {
	h, w, seed int64
	covered    float32
	attempts   int
	want       string
}{
	{100, 200, 1, 0.1, 0, "[6 103 0] [92 85 -1] [0.06 0.515 0.98 0.94]"},
	{7, 5, 2, 0.5, 0, "[0 0 0] [6 5 -1] [0 0 0.85714287 1]"},
	{300, 40, 3, 0.9, 0, "[0 0 0] [300 40 -1] [0 0 1 1]"},
	{64, 64, -4, 0, 1, "[14 39 0] [24 22 -1] [0.21875 0.609375 0.59375 0.953125]"},
	{1000, 3, 5, 0.1, 0, "[0 0 0] [1000 3 -1] [0 0 1 1]"},
	{31, 33, 6, 1, 2, "[0 0 0] [31 33 -1] [0 0 1 1]"},
	{2, 2, 7, 0.1, 0, "[0 0 0] [1 1 -1] [0 0 0.5 0.5]"},
	{1, 90, 8, 0.1, 0, "[0 0 0] [1 90 -1] [0 0 1 1]"},
}
