package order

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestOdd selects elements from rows with NaNs and compares them with those that TensorFlow 2.21
// selects.
func TestOdd(t *testing.T) {
	raw, err := os.ReadFile("testdata/topk_nan.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		at := slices.Index(fields, "->")
		x, want := make([]float32, at-1), make([]int32, len(fields)-at-1)
		wide := make([]float64, len(x))
		for i := range x {
			v, err := strconv.ParseFloat(fields[1+i], 32)
			if err != nil {
				t.Fatal(err)
			}
			x[i], wide[i] = float32(v), v
		}
		for i := range want {
			v, err := strconv.Atoi(fields[at+1+i])
			if err != nil {
				t.Fatal(err)
			}
			want[i] = int32(v)
		}
		k := len(want)
		p := TopParams{1, len(x), k}
		values, got, scratch := make([]float32, k), make([]int32, k), make([]int32, k+1)
		wides, other := make([]float64, k), make([]int32, k)
		if fields[0] == "sorted" {
			TopKF32I32(nil, values, got, x, p)
			TopKF64I32(nil, wides, other, wide, p)
		} else {
			TopKUnsortedF32I32(nil, values, got, x, scratch, p)
			TopKUnsortedF64I32(nil, wides, other, wide, scratch, p)
		}
		if !slices.Equal(got, want) || !slices.Equal(other, want) {
			t.Errorf("%s %v\ngot  %v\n f64 %v\nwant %v", fields[0], x, got, other, want)
		}
		for i, at := range want {
			if v := x[at]; v != values[i] && (v == v || values[i] == values[i]) {
				t.Errorf("%v: value %d is %v", x, i, values[i])
			}
		}
	}
}
