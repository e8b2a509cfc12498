package repl

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

func TestSummary(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for want, x := range map[string]*tensor.Tensor{
		"x f32[4], 4 elements: min 0, max 4, mean 2, std 1.63299; 1 NaN, 0 Inf, 1 zero\n": floats(tensor.Shape{4}, 0, 2, 4, nan),
		"x f32[1], 1 element; 0 NaN, 1 Inf, 0 zeros\n":                                    floats(tensor.Shape{1}, inf),
		"x f32[0], 0 elements; 0 NaN, 0 Inf, 0 zeros\n":                                   floats(tensor.Shape{0}),
		"x str[2], 2 elements: 0 to 3 bytes, 1 empty\n":                                   tensor.Must(tensor.From(tensor.Shape{2}, []string{"", "abc"})),
		"x bool[2], 2 elements: min 0, max 1, mean 0.5, std 0.5; 0 NaN, 0 Inf, 1 zero\n":  tensor.Must(tensor.From(tensor.Shape{2}, []bool{true, false})),
	} {
		var b strings.Builder
		if printSummary(&b, "x", x); b.String() != want {
			t.Errorf("%q, want %q", b.String(), want)
		}
	}
}

func TestHistogram(t *testing.T) {
	data := make([]float32, 0, 25)
	for i := range 24 {
		data = append(data, float32(i))
	}
	x := floats(tensor.Shape{25}, append(data, float32(math.NaN()))...)
	at, _ := numbers(x)
	_, edges, counts := histogram(x.Len(), at)
	if len(counts) != histogramBins || len(edges) != histogramBins+1 || edges[0] != 0 || edges[histogramBins] != 23 {
		t.Fatalf("edges %v, counts %v", edges, counts)
	}
	sum := 0
	for i, c := range counts {
		if sum += c; c != 2 {
			t.Errorf("bin %d from %g has %d elements, want 2", i, edges[i], c)
		}
	}
	if sum != 24 {
		t.Errorf("%d elements are counted, want 24", sum)
	}
	for _, same := range []*tensor.Tensor{floats(tensor.Shape{3}, 5, 5, 5), tensor.Must(tensor.From(tensor.Shape{2}, []float64{-math.MaxFloat64, math.MaxFloat64}))} {
		at, _ := numbers(same)
		_, _, counts := histogram(same.Len(), at)
		if n := counts[0] + counts[len(counts)-1]; len(counts) > 1 && n != 2 || len(counts) == 1 && n != 6 {
			t.Errorf("%v: counts %v", same, counts)
		}
	}
	var b strings.Builder
	if err := printHistogram(&b, "x", x, screen{width: 40}); err != nil || !strings.Contains(b.String(), "1 NaN, 0 Inf") {
		t.Errorf("%v:\n%s", err, b.String())
	}
	if err := printHistogram(&b, "x", tensor.Must(tensor.From(nil, []string{"a"})), screen{}); err == nil {
		t.Error("a histogram of strings is drawn")
	}
}

func TestBitmap(t *testing.T) {
	bytes := tensor.Must(tensor.From(tensor.Shape{1, 1, 2, 1}, []uint8{0, 255}))
	for _, c := range []struct {
		x    *tensor.Tensor
		want []float64
	}{
		{bytes, []float64{0, 1}},
		{floats(tensor.Shape{1, 2}, 0, .5), []float64{0, .5}},
		{floats(tensor.Shape{1, 2}, 0, 51), []float64{0, .2}},
		{floats(tensor.Shape{1, 2}, -2, 2), []float64{0, 1}},
		{floats(tensor.Shape{1, 3, 1}, -2, 2, float32(math.Inf(1))), []float64{0, 1, 1}},
		{floats(tensor.Shape{1, 1}, 300), []float64{0}},
	} {
		b, err := bitmapOf("x", c.x)
		if err != nil || !slices.EqualFunc(b.pix, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }) {
			t.Errorf("%v: %+v, %v, want %v", c.x.Data, b, err, c.want)
		}
	}
	for _, x := range []*tensor.Tensor{floats(tensor.Shape{2}, 1, 2), floats(tensor.Shape{2, 1, 1, 1}, 1, 2), floats(tensor.Shape{0, 3}), tensor.Must(tensor.From(tensor.Shape{1, 1}, []string{""}))} {
		if b, err := bitmapOf("x", x); err == nil {
			t.Errorf("%v is a picture: %+v", x, b)
		}
	}
}

func TestDraw(t *testing.T) {
	red := &bitmap{h: 2, w: 1, c: 3, pix: []float64{1, 0, 0, 0, 0, 1}}
	grey := &bitmap{h: 2, w: 3, c: 1, pix: []float64{0, .5, 1, 0, .5, 1}}
	for _, c := range []struct {
		b    *bitmap
		sc   screen
		want string
	}{
		{red, screen{80, 24, trueColors}, "\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m▀\x1b[0m\n"},
		{red, screen{80, 24, colors256}, "\x1b[38;5;196m\x1b[48;5;21m▀\x1b[0m\n"},
		{grey, screen{80, 24, noColors}, " +@\n"},
		{&bitmap{h: 1, w: 1, c: 4, pix: []float64{1, 1, 1, 0}}, screen{80, 24, trueColors}, "\x1b[38;2;0;0;0m▀\x1b[0m\n"},
		{&bitmap{h: 4, w: 4, c: 1, pix: slices.Repeat([]float64{1}, 16)}, screen{2, 24, noColors}, "@@\n"},
	} {
		var b strings.Builder
		if err := draw(&b, c.b, c.sc); err != nil || b.String() != c.want {
			t.Errorf("%+v on %+v: %q, %v, want %q", c.b, c.sc, b.String(), err, c.want)
		}
	}
	for _, c := range []struct {
		p    color.RGBA
		want int
	}{{color.RGBA{0, 0, 0, 255}, 16}, {color.RGBA{255, 255, 255, 255}, 231}, {color.RGBA{128, 128, 128, 255}, 244}, {color.RGBA{95, 135, 175, 255}, 67}} {
		if got := nearest256(c.p); got != c.want {
			t.Errorf("%v: colour %d, want %d", c.p, got, c.want)
		}
	}
}

func TestColors(t *testing.T) {
	for _, c := range []struct {
		term, colorterm, no string
		want                colors
	}{
		{"xterm-256color", "", "", colors256}, {"xterm-256color", "truecolor", "", trueColors}, {"xterm-direct", "", "", trueColors},
		{"xterm", "", "", noColors}, {"dumb", "truecolor", "", noColors}, {"xterm-256color", "truecolor", "1", noColors},
	} {
		env := map[string]string{"TERM": c.term, "COLORTERM": c.colorterm, "NO_COLOR": c.no}
		if got := colorsOf(func(k string) string { return env[k] }); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestPicture writes pictures as files and reads them for inputs of several shapes. The elements
// must be the pixels that were written.
func TestPicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.png")
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	img.Set(0, 0, color.NRGBA{255, 0, 51, 255})
	img.Set(1, 0, color.NRGBA{255, 255, 255, 0})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p     *rt.Port
		v     value
		shape tensor.Shape
		want  string
	}{
		{&rt.Port{DType: tensor.Uint8, Shape: []int{-1, -1, 3}}, value{}, tensor.Shape{1, 2, 3}, "[[[255,   0,  51],\n  [  0,   0,   0]]]"},
		{&rt.Port{DType: tensor.Float32, Shape: []int{-1, 1, 2, 3}}, value{}, tensor.Shape{1, 1, 2, 3}, "[[[[1.0, 0.0, 0.2],\n   [0.0, 0.0, 0.0]]]]"},
		{&rt.Port{DType: tensor.Float32, Shape: []int{1, 2, 4}}, value{ranged: true, lo: -1, hi: 1}, tensor.Shape{1, 2, 4}, "[[[ 1.0, -1.0, -0.6,  1.0],\n  [-1.0, -1.0, -1.0, -1.0]]]"},
		{&rt.Port{DType: tensor.Uint8, Shape: []int{-1, 1}}, value{}, tensor.Shape{1, 1}, "[[41]]"},
		{&rt.Port{DType: tensor.Uint8, AnyRank: true}, value{}, tensor.Shape{1, 2, 3}, "[[[255,   0,  51],\n  [  0,   0,   0]]]"},
	} {
		c.v.file = file
		got, _, err := readPicture(c.v, c.p, 1<<20)
		if err != nil || !got.Shape.Equal(c.shape) || printed(t, got, 80) != c.want {
			t.Errorf("%v: %v, %v, want\n%s", c.p, got, err, c.want)
			if got != nil {
				t.Log(printed(t, got, 80))
			}
		}
	}
	for _, p := range []*rt.Port{{DType: tensor.Float32, Shape: []int{2}}, {DType: tensor.Float32, Shape: []int{2, 1, 2, 3}}, {DType: tensor.Float32, Shape: []int{1, 2, 5}}} {
		if got, _, err := readPicture(value{file: file}, p, 1<<20); err == nil {
			t.Errorf("%v takes the picture: %v", p, got)
		}
	}
	if _, _, err := readPicture(value{file: file}, &rt.Port{DType: tensor.Uint8, AnyRank: true}, 10); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("beyond the limit: %v", err)
	}
	// Decoding the picture gives the pixels that writePNG encoded.
	again := &bitmap{h: 1, w: 2, c: 4, pix: []float64{1, 0, .2, 1, 0, 1, 0, .4}}
	b.Reset()
	if err := writePNG(&b, again); err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&b)
	if err != nil || got.At(0, 0) != (color.NRGBA{255, 0, 51, 255}) || got.At(1, 0) != (color.NRGBA{0, 255, 0, 102}) {
		t.Errorf("%v, %v", got, err)
	}
}
