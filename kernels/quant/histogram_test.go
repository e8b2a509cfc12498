package quant

import (
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestHistogram counts values at and beyond the edges of a range. Some ranges are infinite or wider
// than the type can hold. The results are those of TensorFlow, except where TensorFlow crashes.
func TestHistogram(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		values, bounds []float64
		want           []int32
	}{
		{[]float64{0, 1, inf, -inf, 2}, []float64{0, 2}, []int32{2, 0, 1, 2}},
		{[]float64{0, 1, -1}, []float64{0, inf}, []int32{3, 0, 0, 0}},
		{[]float64{0, -inf, inf}, []float64{-inf, inf}, []int32{3, 0, 0, 0}},
		{nil, []float64{0, 1}, []int32{0, 0, 0, 0}},
		{[]float64{1, nan}, []float64{0, 1}, nil},
		{[]float64{1}, []float64{1, 1}, nil},
		{[]float64{1}, []float64{nan, 1}, nil},
	} {
		out := []int32{9, 9, 9, 9}
		if err := Histogram32F64(out, c.values, c.bounds); c.want == nil != (tensor.CodeOf(err) == tensor.InvalidArgument) || err == nil && !slices.Equal(out, c.want) {
			t.Errorf("%v in %v: got %v, %v, want %v", c.values, c.bounds, out, err, c.want)
		}
	}
	f := []int32{0, 0, 0, 0}
	if err := Histogram32F32(f, []float32{0, 1, -1, 3e38, -3e38}, []float32{-3e38, 3e38}); err != nil || !slices.Equal(f, []int32{1, 0, 3, 1}) {
		t.Error(f, err)
	}
	i := []int64{0, 0}
	if err := Histogram64I64(i, []int64{math.MinInt64, math.MaxInt64, 0}, []int64{math.MinInt64, math.MaxInt64}); err != nil || i[0]+i[1] != 3 {
		t.Error(i, err)
	}
}
