package array

import (
	"fmt"
	"testing"

	cpu "github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func TestMirrorPadGrad(t *testing.T) {
	for _, c := range []struct {
		dims, before, after []int
		off                 int
	}{
		{[]int{5}, []int{3}, []int{2}, 0}, {[]int{5}, []int{4}, []int{4}, 1}, {[]int{2, 4, 3, 2}, []int{0, 2, 1, 0}, []int{0, 3, 2, 0}, 1},
		{[]int{3, 2, 2, 4, 3, 2}, []int{3, 0, 0, 1, 2, 0}, []int{1, 0, 0, 4, 0, 0}, 0}, {[]int{3, 4}, []int{0, 0}, []int{0, 0}, 1}, {[]int{0, 2}, []int{0, 1}, []int{0, 1}, 0},
		{[]int{1, 3}, []int{1, 0}, []int{1, 2}, 0},
	} {
		n, m := 1, 1
		for i, d := range c.dims {
			n *= d
			m *= d + c.before[i] + c.after[i]
		}
		eighths := make([]float32, m)
		for i, v := range gputest.Ints[int32](1, m, -8, 9) {
			eighths[i] = float32(v) / 8
		}
		wide := make([]float64, m)
		for i, v := range eighths {
			wide[i] = float64(v)
		}
		want, want64 := make([]float32, n), make([]float64, n)
		cpu.MirrorPadGradF32(want, eighths, c.dims, c.before, c.after, c.off)
		cpu.MirrorPadGradF64(want64, wide, c.dims, c.before, c.after, c.off)
		r := gputest.New(t)
		f, d, h, b := gputest.Put(r, eighths), gputest.Put(r, wide), gputest.Put(r, gputest.F16(eighths)), gputest.Put(r, gputest.BF16(eighths))
		of, od, oh, ob := gputest.Room[float32](r, n), gputest.Room[float64](r, n), gputest.Room[tensor.F16](r, n), gputest.Room[tensor.BF16](r, n)
		r.Do(func(q *device.Queue) {
			MirrorPadGradF32(q, of, f, c.dims, c.before, c.after, c.off)
			MirrorPadGradF64(q, od, d, c.dims, c.before, c.after, c.off)
			MirrorPadGradF16(q, oh, h, c.dims, c.before, c.after, c.off)
			MirrorPadGradBF16(q, ob, b, c.dims, c.before, c.after, c.off)
		})
		what := fmt.Sprint(c)
		gputest.Same(t, what, gputest.Get[float32](r, of, n), want)
		gputest.Same(t, what, gputest.Get[float64](r, od, n), want64)
		gputest.Close(t, what, gputest.Wide(gputest.Get[tensor.F16](r, oh, n)), want, 0x1p-10, 1)
		gputest.Close(t, what, gputest.Wide(gputest.Get[tensor.BF16](r, ob, n)), want, 0x1p-8, 1)
	}
}

// TestMirrorLimit checks that the gradient of mirror padding refuses more than five dimensions that
// cannot be merged.
func TestMirrorLimit(t *testing.T) {
	ones := []int{1, 1, 1, 1, 1, 1}
	q, err := device.NewQueue(gputest.New(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	q.Begin(0, false)
	MirrorPadGradF32(q, 0, 0, ones, ones, ones, 0)
	if err := q.End(); tensor.CodeOf(err) != tensor.Unimplemented {
		t.Error(err)
	}
}
