package norm

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/rt/device"
)

func TestLRN(t *testing.T) {
	for i, p := range []LRNParams{{3, 7, 2, 1, 0.5, 0.5}, {50, 5, 5, 2, 0.1, 0.75}, {2, 9, 0, 1, 1, 1}, {1, 3, 1 << 30, 1, 0.3, 0.6}, {0, 4, 1, 1, 1, 1}} {
		n := p.Rows * p.C
		x, dy := gputest.Floats[float32](uint64(i), n), gputest.Floats[float32](uint64(i)+9, n)
		y, dx := make([]float32, n), make([]float32, n)
		c := cpu.LRNParams(p)
		c.Radius = min(c.Radius, p.C)
		cpu.LRNF32(nil, y, x, c)
		cpu.LRNGradF32(nil, dx, dy, x, y, c)
		r := gputest.New(t)
		px, pd, py, pdx := gputest.Put(r, x), gputest.Put(r, dy), gputest.Room[float32](r, n), gputest.Room[float32](r, n)
		r.Do(func(q *device.Queue) { LRNF32(q, py, px, p); LRNGradF32(q, pdx, pd, px, py, p) })
		gputest.Close(t, fmt.Sprint(p), gputest.Get[float32](r, py, n), y, 1e-6, 1)
		gputest.Close(t, fmt.Sprint(p, " gradient"), gputest.Get[float32](r, pdx, n), dx, 3e-6, 1)
	}
}
