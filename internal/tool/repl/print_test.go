package repl

import (
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/program"
	"github.com/graphc/graphc/rt/tensor"
)

func floats(shape tensor.Shape, v ...float32) *tensor.Tensor {
	return tensor.Must(tensor.From(shape, v))
}

func printed(t *testing.T, x *tensor.Tensor, width int) string {
	var b strings.Builder
	if err := printTensor(&b, x, width); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestPrint(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for want, x := range map[string]*tensor.Tensor{
		"3":                        floats(nil, 3),
		"[]":                       floats(tensor.Shape{0}),
		"[1.50, 0.25]":             floats(tensor.Shape{2}, 1.5, .25),
		"[ 1, -2]":                 floats(tensor.Shape{2}, 1, -2),
		"[1.0000e+10, 1.0000e+00]": floats(tensor.Shape{2}, 1e10, 1),
		`[      "NaN", "-Infinity",           1]`: floats(tensor.Shape{3}, nan, inf, 1),
		"[[1, 2],\n [3, 4]]":                      floats(tensor.Shape{2, 2}, 1, 2, 3, 4),
		"[[[1],\n  [2]],\n\n [[3],\n  [4]]]":      floats(tensor.Shape{2, 2, 1}, 1, 2, 3, 4),
		`["a", "\xff"]`:                           tensor.Must(tensor.From(tensor.Shape{2}, []string{"a", "\xff"})),
		"[ true, false]":                          tensor.Must(tensor.From(tensor.Shape{2}, []bool{true, false})),
		"[  -1, 1000]":                            tensor.Must(tensor.From(tensor.Shape{2}, []int64{-1, 1000})),
		"(1+2i)":                                  tensor.Must(tensor.From(nil, []complex64{1 + 2i})),
	} {
		if got := printed(t, x, 80); got != want {
			t.Errorf("%v:\n%s\nwant\n%s", x, got, want)
		}
	}
}

// TestPrintWraps checks the printing of a row that is longer than the screen is wide. It continues
// on the next line, below the first element of the row.
func TestPrintWraps(t *testing.T) {
	if got, want := printed(t, floats(tensor.Shape{1, 5}, 10, 20, 30, 40, 50), 15), "[[10, 20, 30,\n  40, 50]]"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPrintElides checks that only the ends of each dimension of a large tensor are printed.
func TestPrintElides(t *testing.T) {
	x := floats(tensor.Shape{40, 30}, make([]float32, 1200)...)
	for i := range 1200 {
		x.Data.([]float32)[i] = float32(i)
	}
	want := `[[   0,    1,    2, …,   27,   28,   29],
 [  30,   31,   32, …,   57,   58,   59],
 [  60,   61,   62, …,   87,   88,   89],
 …,
 [1110, 1111, 1112, …, 1137, 1138, 1139],
 [1140, 1141, 1142, …, 1167, 1168, 1169],
 [1170, 1171, 1172, …, 1197, 1198, 1199]]`
	if got := printed(t, x, 80); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := printed(t, tensor.Must(tensor.From(nil, []string{strings.Repeat("ä", 80)})), 80); !strings.HasSuffix(got, `ä"… (160 bytes)`) {
		t.Errorf("a long string: %s", got)
	}
}

// TestPrintedIsRead checks that the printed text of a tensor can be fed, if the tensor was printed
// completely.
func TestPrintedIsRead(t *testing.T) {
	x := floats(tensor.Shape{2, 3}, 1.5, float32(math.Inf(1)), -2, 0, 3, .125)
	got, err := program.ReadFeed(&rt.Port{DType: tensor.Float32, AnyRank: true}, "", printed(t, x, 80), 1<<20)
	if err != nil || printed(t, got, 80) != printed(t, x, 80) {
		t.Errorf("%v, %v", got, err)
	}
}
