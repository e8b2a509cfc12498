package gather

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestUnfill(t *testing.T) {
	values, rest, seen := make([]float32, 3), []float32{7}, []bool{true, true, true, true}
	grad := []float32{1, 2, 4, 8}
	if err := UnfillF32(values, rest, []int64{2, 0, 2}, grad, seen); err != nil || !slices.Equal(values, []float32{4, 1, 4}) || rest[0] != 10 {
		t.Error(values, rest, err)
	}
	if err := UnfillF32(nil, rest, nil, nil, nil); err != nil || rest[0] != 0 {
		t.Error(rest, err)
	}
	h := []tensor.F16{tensor.ToF16(2048), tensor.ToF16(1), tensor.ToF16(1)}
	sum := make([]tensor.F16, 1)
	if err := UnfillF16(nil, sum, nil, h, make([]bool, 3)); err != nil || sum[0].Float32() != 2048 {
		t.Error("each sum is rounded:", sum[0].Float32(), err)
	}
	for _, bad := range []int64{-1, 4} {
		if err := UnfillF32(values, rest, []int64{0, bad, 1}, grad, seen); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("index %d: %v", bad, err)
		}
	}
}
