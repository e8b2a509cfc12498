package count

import (
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestCount(t *testing.T) {
	src := []int32{1, 1, 2, 5, 0, 1}
	for _, c := range []struct {
		weights []float32
		p       Bins
		want    []float32
	}{
		{nil, Bins{1, 6, 4, false}, []float32{1, 3, 1, 0}},
		{nil, Bins{2, 3, 4, false}, []float32{0, 2, 1, 0, 1, 1, 0, 0}},
		{[]float32{1, 2, 3, 4, 5, 6}, Bins{2, 3, 4, false}, []float32{0, 3, 3, 0, 5, 6, 0, 0}},
		{[]float32{1, 2, 3, 4, 5, 6}, Bins{2, 3, 4, true}, []float32{0, 1, 1, 0, 1, 1, 0, 0}},
		{nil, Bins{1, 6, 0, false}, []float32{}},
	} {
		got := make([]float32, len(c.want))
		half, hw := make([]tensor.F16, len(c.want)), make([]tensor.F16, len(c.weights))
		for i, w := range c.weights {
			hw[i] = tensor.ToF16(w)
		}
		if err := F32I32(got, src, c.weights, c.p); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, %v, want %v", c.p, got, err, c.want)
		}
		if err := F16I32(half, src, hw, c.p); err != nil {
			t.Error(err)
		}
		for i, h := range half {
			if h.Float32() != c.want[i] {
				t.Errorf("%+v: f16 bin %d is %v, want %v", c.p, i, h.Float32(), c.want[i])
			}
		}
	}
	if err := I64I32([]int64{0}, []int32{-1}, nil, Bins{1, 1, 1, false}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a negative value gives %v", err)
	}
	if Weights(0, 5) != nil || Weights(5, 5) != nil || Weights(4, 5) == nil {
		t.Error("weights are checked wrongly")
	}
}

func TestBucket(t *testing.T) {
	x := []float32{-1, 0, 1, 1.5, 3, float32(math.NaN())}
	got := make([]int32, len(x))
	BucketF32(got, x, []float32{0, 1, 2})
	if want := []int32{0, 1, 2, 2, 3, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	BucketI64(got[:2], []int64{0, 1}, []float32{0.5, 1})
	if got[0] != 0 || got[1] != 2 {
		t.Errorf("integers: %v", got[:2])
	}
}
