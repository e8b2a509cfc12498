package image

import (
	"math"
	"testing"
)

// near reports an error if a value of got differs by more than 4e-6 from the corresponding value of
// want.
func near(t *testing.T, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", name, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 4e-6) {
			t.Errorf("%s[%d] = %v, want %v", name, i, got[i], want[i])
		}
	}
}

// picture is an image [1,2,3,1]. The tests expect TensorFlow 2.21's results for it.
var picture = []float32{0, 10, 20, 5, -3, 8}

func bilinear(out, in []float32, p ResizeParams) {
	index, weight := make([]int32, 2*p.OW), make([]float32, p.OW)
	BilinearColumns(index, weight, p)
	Bilinear(out, in, index, weight, p)
}

func TestResize(t *testing.T) {
	tests := []struct {
		method  string
		corners bool
		half    bool
		want    []float32
	}{
		{"Bilinear", false, false, []float32{0, 7.5, 15, 20, 3.33333349, 1.83333302, 6.66666603, 12, 5, -1, 2.5, 8}},
		{"Bilinear", true, false, []float32{0, 6.66666698, 13.333334, 20, 2.5, 3.16666675, 7.00000048, 14, 5, -0.333333492, 0.666666985, 8}},
		{"Bilinear", false, true, []float32{0, 6.25, 13.75, 20, 2.5, 3.125, 7.4375, 14, 5, 0, 1.125, 8}},
		{"Bicubic", false, false, []float32{0, 6.6796875, 15.9375, 21.0546875, 3.42768931, 0.491102099, 6.2114315, 12.9005365, 5.55555534, -3.3506937, 0.173612475, 7.83854294}},
		{"Bicubic", true, false, []float32{0, 5.74426842, 14.2557325, 20, 2.5, 2.01887202, 6.91296387, 14, 5, -1.70652378, -0.429803967, 8}},
		{"Bicubic", false, true, []float32{-0.913787365, 5.98445702, 15.3492203, 21.3096123, 2.4477613, 2.39008427, 7.48924255, 14.5485077, 5.80930948, -1.2042892, -0.370736599, 7.78740215}},
		{"Area", false, false, []float32{0, 6.66666698, 13.333334, 20, 2.50000024, 3.16666627, 6.99999952, 14, 4.99999952, -0.333333313, 0.666666627, 7.99999952}},
		{"Area", true, false, []float32{0, 5.00000048, 9.99999905, 20.0000019, 0, 5.00000048, 9.99999905, 20.0000019, 5, 0.999999583, -2.99999976, 8.00000095}},
		{"Nearest", false, false, []float32{0, 0, 10, 20, 0, 0, 10, 20, 5, 5, -3, 8}},
		{"Nearest", true, false, []float32{0, 10, 10, 20, 5, -3, -3, 8, 5, -3, -3, 8}},
		{"Nearest", false, true, []float32{0, 10, 10, 20, 5, -3, -3, 8, 5, -3, -3, 8}},
	}
	for _, c := range tests {
		p := ResizeParams{N: 1, H: 2, W: 3, C: 1, OH: 3, OW: 4, AlignCorners: c.corners, HalfPixel: c.half}
		out := make([]float32, 12)
		switch c.method {
		case "Bilinear":
			bilinear(out, picture, p)
		case "Bicubic":
			index, weight := make([]int32, 4*p.OW), make([]float32, 4*p.OW)
			BicubicColumns(index, weight, p)
			Bicubic(out, picture, index, weight, p)
		case "Area":
			Area(out, picture, p)
		case "Nearest":
			NearestF32(out, picture, p)
		}
		near(t, c.method, out, c.want)
	}
}

func TestResizeSame(t *testing.T) {
	out := make([]float32, 6)
	bilinear(out, picture, ResizeParams{N: 1, H: 2, W: 3, C: 1, OH: 2, OW: 3, HalfPixel: true})
	near(t, "same size", out, picture)
	bilinear(nil, nil, ResizeParams{N: 0, H: 2, W: 3, C: 1, OH: 2, OW: 3})
}

func TestCrop(t *testing.T) {
	boxes := []float32{0, 0, 1, 1, 0.5, 0.2, 1.2, 0.8, 1, 1, 0, 0}
	for _, c := range []struct {
		nearest bool
		want    []float32
	}{
		{false, []float32{0, 20, 5, 8, 2.9000001, 9.80000019, -1, -1, 8, 5, 20, 0}},
		{true, []float32{0, 20, 5, 8, 5, 8, -1, -1, 8, 5, 20, 0}},
	} {
		out := make([]float32, 12)
		p := CropParams{N: 1, H: 2, W: 3, C: 1, Boxes: 3, OH: 2, OW: 2, Nearest: c.nearest, Outside: -1}
		if err := Crop(out, picture, boxes, []int32{0, 0, 0}, p); err != nil {
			t.Fatal(err)
		}
		near(t, "crop", out, c.want)
		if Crop(out, picture, boxes, []int32{0, 1, 0}, p) == nil {
			t.Error("an image out of range is accepted")
		}
	}
}

func TestColourRoundTrip(t *testing.T) {
	rgb := []float32{0, 0, 0, 1, 1, 1, 0.2, 0.7, 0.1, 0.9, 0.3, 0.5, 0.1, 0.2, 0.8, 0.5, 0.5, 0.1}
	hsv, back := make([]float32, len(rgb)), make([]float32, len(rgb))
	ToHSV(hsv, rgb, 6)
	FromHSV(back, hsv, 6)
	near(t, "rgb", back, rgb)
	Hue(back, rgb, []float32{1}, 6) // a whole turn
	near(t, "hue", back, rgb)
	Saturation(back, rgb, []float32{0}, 6)
	for i := range 6 {
		if v := max(rgb[3*i], rgb[3*i+1], rgb[3*i+2]); back[3*i] != v || back[3*i+1] != v || back[3*i+2] != v {
			t.Errorf("pixel %d without saturation: %v", i, back[3*i:3*i+3])
		}
	}
}

func TestProject(t *testing.T) {
	transform := []float32{0.9, -0.4, 0.3, 0.5, 1.1, -0.6, 0.01, 0.02}
	tests := []struct {
		bilinear bool
		fill     Fill
		want     []float32
	}{
		{false, Constant, []float32{-1, 10, 20, -1, 0, -3, 8, -1, -1, -1, -1, -1}},
		{false, Reflect, []float32{0, 10, 20, 8, 0, -3, 8, 8, 5, 5, -3, 20}},
		{false, Wrap, []float32{5, -3, 0, 5, 20, -3, 20, 0, 20, 0, 10, 0}},
		{false, Nearest, []float32{0, 10, 20, 8, 0, -3, 8, 8, 5, 5, -3, 8}},
		{true, Constant, []float32{0.599999905, 10.6058226, 14.33564, -0.0812506974, 2.11264873, -0.952022076, 1.77773821, -0.551020265, 0.437869728, -1, -1, -1}},
		{true, Reflect, []float32{3, 11.8811874, 15.2941179, 9.51456356, 2.45098042, -0.952022076, 3.98077106, 8, 5, 1.95238101, 5.2748332, 18.7663517}},
		{true, Wrap, []float32{2.5999999, -0.93069315, 1.9607842, 4.36893177, 14.1176462, -0.952022076, 16.3461552, 0, 20, 3.80952382, 12.2641516, 0}},
		{true, Nearest, []float32{3, 11.8811874, 15.2941179, 9.51456356, 2.45098042, -0.952022076, 3.98077106, 8, 5, 1.95238101, -0.50943327, 8}},
	}
	for _, c := range tests {
		out := make([]float32, 12)
		ProjectF32(out, picture, transform, ProjectParams{N: 1, H: 2, W: 3, C: 1, OH: 3, OW: 4, Transforms: 1, Bilinear: c.bilinear, Fill: c.fill, Outside: []float32{-1}})
		near(t, "project", out, c.want)
	}
}
