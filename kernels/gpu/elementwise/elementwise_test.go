package elementwise

import (
	"os"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
)

// TestMap checks a kernel that plan/ptx generated, which adds a bias to rows and applies relu. The
// largest cases have more items than the grid has threads.
func TestMap(t *testing.T) {
	b, err := os.ReadFile("../../../plan/ptx/testdata/bias_relu.ptx")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	k := &device.Kernel{Module: &device.Module{PTX: &text}, Entry: "bias_relu"}
	for _, c := range []struct{ rows, cols int }{{0, 8}, {1, 1}, {3, 7}, {700, 8}, {701, 13}} {
		r := gputest.New(t)
		r.Procs = 1
		x, bias := gputest.Floats[float32](1, c.rows*c.cols), gputest.Floats[float32](2, c.cols)
		dst, px, pb := gputest.Room[float32](r, len(x)), gputest.Put(r, x), gputest.Put(r, bias)
		r.Do(func(q *device.Queue) {
			Map(q, k, []device.Ptr{dst, px, pb}, []int{len(x), c.rows, c.cols, 0, 0, 1})
			Map(q, k, nil, nil)
		})
		want := make([]float32, len(x))
		for i := range want {
			want[i] = max(x[i]+bias[i%c.cols], 0)
		}
		gputest.Same(t, "bias and relu", gputest.Get[float32](r, dst, len(x)), want)
	}
}
