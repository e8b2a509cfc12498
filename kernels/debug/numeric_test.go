package debug

import (
	"fmt"
	"math"
	"testing"
	"time"
)

var inf, nan = math.Inf(1), math.NaN()

// TestNumericSummary: the results are TensorFlow 2.21's.
func TestNumericSummary(t *testing.T) {
	odd := []float64{1, nan, inf, -inf, -3, 0, 5, -2, 4}
	for _, c := range []struct {
		values []float64
		dims   []int
		p      Params
		want   []float64
	}{
		{odd, []int{9}, Params{2, -2, 4}, []float64{1, 9, 1, 3, 0, 1, 1, 3, -3, 5, 5. / 6, 8.472222222222221, 2, 1, 9}},
		{odd, []int{9}, Params{2, -inf, inf}, []float64{1, 9, 1, 1, 2, 1, 3, 1, -3, 5, 5. / 6, 8.472222222222221, 2, 1, 9}},
		{nil, []int{0}, Params{2, -inf, inf}, []float64{1, 0, 0, 0, 0, 0, 0, 0, inf, -inf, nan, nan, 2, 1, 0}},
		{[]float64{1, 2, 3, 4}, []int{2, 2}, Params{3, -2, 4}, []float64{1, 4, 0, 0, 0, 0, 3, 1, 1, 4, 2.5, 1.25, 3, 2, 2, 2}},
		{[]float64{nan}, nil, Params{2, -inf, inf}, []float64{1, 1, 1, 0, 0, 0, 0, 0, inf, -inf, nan, nan, 2, 0}},
	} {
		got := make([]float64, len(c.want))
		NumericSummary(got, c.values, c.dims, c.p)
		for i, v := range got {
			if math.Abs(v-c.want[i]) > 1e-9 || (v != v) != (c.want[i] != c.want[i]) {
				t.Errorf("%v: %v, want %v", c.values, got, c.want)
				break
			}
		}
	}
	var n [1]int64
	if NanCount(n[:], []float64{nan, 1, nan}); n[0] != 2 {
		t.Error(n)
	}
}

func TestHealth(t *testing.T) {
	odd := []float64{1, nan, inf, -inf, -3, 0, 5}
	for _, c := range []struct {
		mode   int
		values []float64
		dims   []int
		want   string
	}{
		{CurtHealth, odd, []int{7}, "[7 1]"}, {CurtHealth, []float64{1}, nil, "[7 0]"},
		{ConciseHealth, odd, []int{7}, "[7 7 1 1 1]"},
		{FullHealth, odd, []int{7}, "[7 -1 2 1 7 1 1 1 1 1 2]"},
		{Shape, odd, []int{7}, "[7 2 1 7 7 0 0 0 0 0]"},
		{Shape, make([]float64, 72), []int{1, 2, 3, 1, 2, 1, 2, 3}, "[7 2 8 72 3 1 2 1 2 3]"},
		{ThreeSlots, odd, []int{7}, "[-Inf +Inf NaN]"}, {ThreeSlots, nil, []int{0}, "[0 0 0]"},
	} {
		f64, f32 := make([]float64, HealthLen(c.mode)), make([]float32, HealthLen(c.mode))
		p := HealthParams{Mode: c.mode, ID: 7, DType: 2}
		HealthF64(f64, c.values, c.dims, p)
		HealthF32(f32, c.values, c.dims, p)
		if fmt.Sprint(f64) != c.want || fmt.Sprint(f32) != c.want {
			t.Errorf("mode %d: %v %v, want %s", c.mode, f64, f32, c.want)
		}
	}
	if HealthLen(1) != 0 {
		t.Error("mode 1")
	}
}

// TestTimestamp compares the result with the machine's clock, in seconds.
func TestTimestamp(t *testing.T) {
	var got [1]float64
	before := float64(time.Now().UnixMicro()) / 1e6
	Timestamp(got[:])
	if after := float64(time.Now().UnixMicro()) / 1e6; got[0] < before || got[0] > after {
		t.Errorf("%v is not between %v and %v", got[0], before, after)
	}
}
