package image

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestDraw(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		h, w    int
		boxes   []float32
		colours []float32
		want    string
	}{
		{3, 4, []float32{0, 0, 1, 1}, nil, "1111 1001 1111"},
		{3, 4, []float32{.5, .4, 2, .7}, nil, "0000 0110 0110"},
		{3, 4, []float32{-1, -1, 2, 2}, nil, "0000 0000 0000"},
		{3, 4, []float32{1, 0, 0, 1}, nil, "0000 0000 0000"},
		{3, 4, []float32{2, 0, 3, 1, nan, 0, nan, 1}, nil, "0000 0000 0000"},
		{2, 3, []float32{0, 0, 0, 1, 1, 0, 1, 1}, []float32{2, 5, 3, 6}, "222 333"},
	} {
		p := BoxesParams{N: 1, H: c.h, W: c.w, C: 1, Boxes: len(c.boxes) / 4, Rows: len(c.colours) / 2, Row: 2, Colours: c.colours}
		dst := make([]float32, c.h*c.w)
		if err := DrawF32(nil, dst, make([]float32, c.h*c.w), c.boxes, p); err != nil {
			t.Fatal(err)
		}
		var got []string
		for y := range c.h {
			got = append(got, strings.ReplaceAll(strings.Trim(fmt.Sprint(dst[y*c.w:][:c.w]), "[]"), " ", ""))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v: %s, want %s", c.boxes, s, c.want)
		}
	}
	dst := make([]float32, 8)
	if err := DrawF32(nil, dst, make([]float32, 8), []float32{0, 0, 0, 0, 1, 0, 1, 0}, BoxesParams{N: 1, H: 2, W: 1, C: 4, Boxes: 2}); err != nil || fmt.Sprint(dst) != "[1 1 0 1 0 0 1 1]" {
		t.Error(dst, err)
	}
	if DrawF32(nil, nil, nil, nil, BoxesParams{C: 2}) == nil || CheckColours(2, 3) == nil || CheckColours(3, 3) != nil {
		t.Error("channels are not checked")
	}
}

// TestGlimpse compares the positions of glimpses with TensorFlow's.
func TestGlimpse(t *testing.T) {
	const h, w, oh, ow = 9, 11, 3, 4
	in := make([]float32, h*w)
	for i := range in {
		in[i] = float32(i + 1)
	}
	offsets := [7][2]float32{{0, 0}, {.3, -.2}, {1, 2}, {-.7, .9}, {2.5, -3.5}, {-1, -1}, {.5, .5}}
	type place = [2]int
	away := place{99, 99} // the position of a glimpse that is entirely outside the image
	for _, c := range []struct {
		old, normalized, centred bool
		want                     [7]place
	}{
		{true, false, false, [7]place{{-1, -2}, {-1, -2}, {0, 0}, {-2, -1}, away, {-2, -3}, {-1, -1}}},
		{true, false, true, [7]place{{3, 3}, {3, 3}, {3, 4}, {2, 3}, {4, 1}, {2, 3}, {3, 3}}},
		{true, true, false, [7]place{{-1, -2}, away, away, away, away, away, {3, 3}}},
		{true, true, true, [7]place{{3, 3}, {4, 2}, away, {0, 8}, away, {-1, -2}, {5, 6}}},
		{false, false, false, [7]place{{0, 0}, {0, 0}, {1, 2}, {0, 0}, {2, -3}, {-1, -1}, {0, 0}}},
		{false, false, true, [7]place{{4, 5}, {4, 5}, {5, 7}, {3, 6}, {7, 2}, {3, 4}, {5, 6}}},
		{false, true, false, [7]place{{0, 0}, {2, -2}, away, away, away, away, {4, 5}}},
		{false, true, true, [7]place{{3, 3}, {4, 2}, away, {0, 8}, away, {-1, -2}, {5, 6}}},
	} {
		for i, o := range offsets {
			out := make([]float32, oh*ow)
			Glimpse(out, in, o[:], GlimpseParams{N: 1, H: h, W: w, C: 1, OH: oh, OW: ow, Old: c.old, Centred: c.centred, Normalized: c.normalized, Noise: Zero})
			for y := range oh {
				for x := range ow {
					iy, ix := c.want[i][0]+y, c.want[i][1]+x
					want := float32(0)
					if iy >= 0 && iy < h && ix >= 0 && ix < w {
						want = in[iy*w+ix]
					}
					if got := out[y*ow+x]; got != want {
						t.Fatalf("%+v, offset %v at %d, %d: %v, want %v", c, o, y, x, got, want)
					}
				}
			}
		}
	}
	for _, noise := range []int{Uniform, Gaussian} {
		out := make([]float32, 2*20*20)
		Glimpse(out, []float32{2, 10, 3, 11, 4, 12, 5, 13}, []float32{-5, 0}, GlimpseParams{N: 1, H: 2, W: 2, C: 2, OH: 20, OW: 20, Noise: noise})
		for i, v := range out {
			lo, hi := float32(2), float32(13)
			if noise == Gaussian {
				lo, hi = float32(2+8*(i%2)), float32(5+8*(i%2))
			}
			if v < lo || v > hi {
				t.Fatalf("noise %d: %v is not in [%v, %v]", noise, v, lo, hi)
			}
		}
	}
}

func wave(n int) []float32 {
	r := make([]float32, n)
	for i := range r {
		r[i] = float32(math.Sin(float64(i*i%101) * 1.7))
	}
	return r
}

func dot(a, b []float32) float64 {
	s := 0.0
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

// TestCropGrad checks that CropGradF32 is the adjoint of Crop, and that CropGradBoxes is the
// derivative of Crop with respect to the boxes.
func TestCropGrad(t *testing.T) {
	for _, nearest := range []bool{false, true} {
		for _, size := range [][2]int{{3, 4}, {1, 1}} {
			p := CropParams{N: 2, H: 5, W: 6, C: 2, Boxes: 3, OH: size[0], OW: size[1], Nearest: nearest}
			boxes := []float32{.11, .13, .82, .93, -.21, .32, .53, 1.24, .7, .77, .2, .1}
			image := []int32{1, 0, 1}
			x, g := wave(p.N*p.H*p.W*p.C), wave(p.Boxes*p.OH*p.OW*p.C)
			y, dx := make([]float32, len(g)), make([]float32, len(x))
			if err := Crop(y, x, boxes, image, p); err != nil {
				t.Fatal(err)
			}
			if err := CropGradF32(dx, g, boxes, image, p); err != nil {
				t.Fatal(err)
			}
			if a, b := dot(y, g), dot(x, dx); math.Abs(a-b) > 1e-4 {
				t.Errorf("%+v: %v and %v", p, a, b)
			}
			d64, d16 := make([]float64, len(x)), make([]tensor.F16, len(x))
			if CropGradF64(d64, g, boxes, image, p) != nil || CropGradF16(d16, g, boxes, image, p) != nil {
				t.Fatal("refused")
			}
			for i, v := range dx {
				if math.Abs(float64(v)-d64[i]) > 1e-5 || math.Abs(float64(v-d16[i].Float32())) > 1e-2 {
					t.Fatalf("%d: %v, %v, %v", i, v, d64[i], d16[i].Float32())
				}
			}
			if nearest {
				continue
			}
			db := make([]float32, len(boxes))
			if err := CropGradBoxes(db, g, x, boxes, image, p); err != nil {
				t.Fatal(err)
			}
			for i := range boxes {
				const e = 1.0 / 1024
				moved := append([]float32(nil), boxes...)
				moved[i] += e
				up := make([]float32, len(g))
				if err := Crop(up, x, moved, image, p); err != nil {
					t.Fatal(err)
				}
				moved[i] -= 2 * e
				down := make([]float32, len(g))
				if err := Crop(down, x, moved, image, p); err != nil {
					t.Fatal(err)
				}
				if want := (dot(up, g) - dot(down, g)) / (2 * e); math.Abs(want-float64(db[i])) > .05*(1+math.Abs(want)) {
					t.Errorf("%+v, side %d: %v, want %v", p, i, db[i], want)
				}
			}
		}
	}
	p := CropParams{N: 1, Boxes: 1}
	for _, n := range []int32{-1, 1} {
		if CropGradF32(nil, nil, make([]float32, 4), []int32{n}, p) == nil || CropGradBoxes(nil, nil, nil, make([]float32, 4), []int32{n}, p) == nil {
			t.Errorf("the image %d of 1 was taken", n)
		}
	}
}

// TestSpans checks three properties of Spans. An interpolating kernel with a scale of 1 changes
// nothing. Scaling an image of ones gives 1 inside the image and 0 outside. SpansGrad is the
// adjoint of Spans as a linear map.
func TestSpans(t *testing.T) {
	for kernel := Lanczos1; kernel <= MitchellCubic; kernel++ {
		p := SpanParams{N: 2, H: 5, W: 6, C: 2, OH: 5, OW: 6, Kernel: kernel}
		x, weights := wave(p.N*p.H*p.W*p.C), make([]float32, 16)
		out, mid := make([]float32, len(x)), make([]float32, 16*16*2)
		if err := Spans(nil, out, x, []float32{1, 1}, []float32{0, 0}, mid, weights, p); err != nil {
			t.Fatal(err)
		}
		for i, v := range out {
			if kernel != Gauss && kernel != MitchellCubic && math.Abs(float64(v-x[i])) > 1e-5 {
				t.Fatalf("kernel %d at %d: %v, want %v", kernel, i, v, x[i])
			}
		}
		p.OH, p.OW, p.Antialias = 4, 9, true
		scale, move := []float32{.6, 1.7}, []float32{.3, -1.1}
		g := wave(p.N * p.OH * p.OW * p.C)
		y, dx := make([]float32, len(g)), make([]float32, len(x))
		if err := Spans(nil, y, x, scale, move, mid, weights, p); err != nil {
			t.Fatal(err)
		}
		if err := SpansGrad(nil, dx, g, scale, move, mid, weights, p); err != nil {
			t.Fatal(err)
		}
		if a, b := dot(y, g), dot(x, dx); math.Abs(a-b) > 1e-4 {
			t.Errorf("kernel %d: %v and %v", kernel, a, b)
		}
		for i := range x {
			x[i] = 1
		}
		if err := Spans(nil, y, x, []float32{.5, .5}, []float32{0, 0}, mid, weights, p); err != nil || math.Abs(float64(y[0]-1)) > 1e-5 || y[len(y)-1] != 0 {
			t.Errorf("kernel %d: %v, %v, %v", kernel, y[0], y[len(y)-1], err)
		}
	}
	for _, s := range [][]float32{{0, 1}, {1, -1}, {float32(math.NaN()), 1}} {
		if Spans(nil, nil, nil, s, nil, nil, nil, SpanParams{}) == nil || SpansGrad(nil, nil, nil, s, nil, nil, nil, SpanParams{}) == nil {
			t.Errorf("the scale %v was taken", s)
		}
	}
	p := SpanParams{N: 1, H: 3, W: 3, C: 1, OH: 3, OW: 3, Kernel: Box}
	y := make([]float32, 9)
	if err := Spans(nil, y, wave(9), []float32{1, 1}, []float32{float32(math.NaN()), 0}, make([]float32, 9), make([]float32, 3), p); err != nil || y[4] != 0 {
		t.Error(y, err)
	}
	if p.weight(.5) != .5 || p.weight(.6) != 0 || (&SpanParams{Kernel: Gauss}).weight(1.5) != 0 || (&SpanParams{Kernel: Lanczos1}).weight(1.1) != 0 {
		t.Error("the kernels' edges")
	}
}

func TestContrastClip(t *testing.T) {
	dst := make([]float32, 4)
	ContrastClip(dst, []float32{0, 10, 20, 30}, []float32{2}, []float32{-5}, []float32{40}, ContrastParams{Images: 1, Pixels: 4, C: 1})
	if fmt.Sprint(dst) != "[-5 5 25 40]" {
		t.Error(dst)
	}
}
