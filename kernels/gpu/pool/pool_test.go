package pool

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/volume"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

var shapes = []Params{
	{N: 2, H: 7, W: 6, C: 3, KH: 2, KW: 2, OH: 3, OW: 3, SH: 2, SW: 2},
	{N: 1, H: 9, W: 8, C: 5, KH: 3, KW: 3, OH: 5, OW: 4, SH: 2, SW: 2, PH: 1, PW: 1},
	{N: 1, D: 4, H: 5, W: 5, C: 2, KD: 2, KH: 3, KW: 2, OD: 3, OH: 5, OW: 4, PH: 1},
	{N: 1, H: 5, W: 5, C: 1, KH: 1, KW: 1, OH: 2, OW: 2, SH: 3, SW: 3},
	{N: 1, H: 3, W: 3, C: 2, KH: 3, KW: 3, OH: 3, OW: 3, PH: 1, PW: 1},
	{N: 0, H: 3, W: 3, C: 2, KH: 3, KW: 3, OH: 1, OW: 1},
}

func full(p Params) cpu.Params {
	return cpu.Params{N: p.N, D: max(p.D, 1), H: p.H, W: p.W, C: p.C, KD: max(p.KD, 1), KH: p.KH, KW: p.KW, OD: max(p.OD, 1), OH: p.OH, OW: p.OW,
		SD: max(p.SD, 1), SH: max(p.SH, 1), SW: max(p.SW, 1), PD: p.PD, PH: p.PH, PW: p.PW}
}

type read func(q *device.Queue, out, in device.Ptr, p Params)
type back func(q *device.Queue, dst, in, grad device.Ptr, p Params)
type backOf func(q *device.Queue, dst, in, out, grad device.Ptr, p Params)

// pools are the tested functions for one element type.
type pools[T any] struct {
	name              string
	max, avg, avgGrad read
	maxGrad           back
	ties, gradGrad    backOf
	maxArg            func(q *device.Queue, out, at, in device.Ptr, batch bool, p Params)
	argGrad           func(q *device.Queue, dst, grad, at device.Ptr, p ArgParams)
	down              func(s []float32) []T
	up                func(s []T) []float64
	tol               float64
}

// numbers returns n random numbers, of which many are equal, so that windows have several maxima.
func numbers(seed uint64, n int, nan bool) []float32 {
	s := make([]float32, n)
	for i, v := range gputest.Ints[int32](seed, n, -4, 5) {
		s[i] = float32(v) / 2
		if nan && v == 3 {
			s[i] = float32(math.NaN())
		}
	}
	return s
}

func (k pools[T]) test(t *testing.T) {
	for i, p := range shapes {
		for _, nan := range []bool{false, true} {
			c := full(p)
			places, positions := c.N*c.D*c.H*c.W*c.C, c.N*c.OD*c.OH*c.OW*c.C
			in, grad, wide := k.down(numbers(uint64(i), places, nan)), k.down(numbers(uint64(i)+9, positions, false)), k.down(numbers(uint64(i)+5, places, false))
			what := fmt.Sprintf("%s %+v %v ", k.name, p, nan)
			r := gputest.New(t)
			pi, pg, pw := gputest.Put(r, in), gputest.Put(r, grad), gputest.Put(r, wide)
			mx, av, arg, gg := gputest.Room[T](r, positions), gputest.Room[T](r, positions), gputest.Room[T](r, positions), gputest.Room[T](r, positions)
			ag, mg, mt := gputest.Room[T](r, places), gputest.Room[T](r, places), gputest.Room[T](r, places)
			at, atBatch, dst := gputest.Room[int64](r, positions), gputest.Room[int64](r, positions), gputest.Room[T](r, places)
			dstBatch := gputest.Room[T](r, places)
			image := ArgParams{N: p.N, Image: places / max(1, p.N), Out: positions / max(1, p.N)}
			batch := image
			batch.Batch = true
			r.Do(func(q *device.Queue) {
				k.max(q, mx, pi, p)
				k.avg(q, av, pi, p)
				k.avgGrad(q, ag, pg, p)
				k.maxGrad(q, mg, pi, pg, p)
				k.maxArg(q, arg, atBatch, pi, true, p)
				k.maxArg(q, arg, at, pi, false, p)
				k.ties(q, mt, pi, arg, pg, p)
				k.gradGrad(q, gg, pi, arg, pw, p)
				k.argGrad(q, dst, pg, at, image)
				k.argGrad(q, dstBatch, pg, atBatch, batch)
			})
			x, g, w := k.up(in), k.up(grad), k.up(wide)
			want, back := make([]float64, positions), make([]float64, places)
			places64, same := make([]int64, positions), make([]int64, positions)
			get := func(p device.Ptr, n int) []float64 { return k.up(gputest.Get[T](r, p, n)) }
			cpu.MaxF64(nil, want, x, c)
			for i, v := range get(mx, positions) {
				if v != want[i] && want[i] > -1e300 {
					t.Fatalf("%s: maximum %d is %v, want %v", what, i, v, want[i])
				}
			}
			cpu.AvgF64(nil, want, x, c)
			gputest.Close(t, what+"avg", get(av, positions), want, k.tol, 1)
			cpu.AvgGradF64(nil, back, g, c)
			gputest.Close(t, what+"avg grad", get(ag, places), back, k.tol, 1)
			cpu.MaxArgF64(nil, want, places64, x, true, c)
			gputest.Same(t, what+"places", gputest.Get[int64](r, atBatch, positions), places64)
			cpu.MaxArgF64(nil, want, same, x, false, c)
			gputest.Same(t, what+"places in images", gputest.Get[int64](r, at, positions), same)
			gputest.Same(t, what+"maximum", get(arg, positions), want)
			cpu.MaxGradF64(nil, back, x, g, places64, c)
			gputest.Close(t, what+"max grad", get(mg, places), back, k.tol, 1)
			gputest.Close(t, what+"arg grad", get(dst, places), back, k.tol, 1)
			gputest.Close(t, what+"arg grad in the batch", get(dstBatch, places), back, k.tol, 1)
			cpu.MaxTiesF64(nil, back, x, want, g, c)
			gputest.Close(t, what+"ties", get(mt, places), back, k.tol, 1)
			second := make([]float64, positions)
			cpu.MaxGradGradF64(nil, second, x, want, w, places64, c)
			gputest.Same(t, what+"grad grad", get(gg, positions), second)
		}
	}
}

func wide(s []float32) []float64 {
	d := make([]float64, len(s))
	for i, v := range s {
		d[i] = float64(v)
	}
	return d
}

func TestPools(t *testing.T) {
	pools[float32]{"f32", MaxF32, AvgF32, AvgGradF32, MaxGradF32, MaxTiesF32, MaxGradGradF32, MaxArgF32, ArgGradF32,
		func(s []float32) []float32 { return s }, wide, 2e-6}.test(t)
	pools[float64]{"f64", MaxF64, AvgF64, AvgGradF64, MaxGradF64, MaxTiesF64, MaxGradGradF64, MaxArgF64, ArgGradF64,
		wide, func(s []float64) []float64 { return s }, 1e-14}.test(t)
	pools[tensor.F16]{"f16", MaxF16, AvgF16, AvgGradF16, MaxGradF16, MaxTiesF16, MaxGradGradF16, MaxArgF16, ArgGradF16,
		gputest.F16, func(s []tensor.F16) []float64 { return wide(gputest.Wide(s)) }, 0x1p-10}.test(t)
	pools[tensor.BF16]{"bf16", MaxBF16, AvgBF16, AvgGradBF16, MaxGradBF16, MaxTiesBF16, MaxGradGradBF16, MaxArgBF16, ArgGradBF16,
		gputest.BF16, func(s []tensor.BF16) []float64 { return wide(gputest.Wide(s)) }, 0x1p-7}.test(t)
}

// TestLowest checks that a window of only -Inf and NaN gives the lowest finite number.
func TestLowest(t *testing.T) {
	r := gputest.New(t)
	inf, nan := float32(math.Inf(-1)), float32(math.NaN())
	in, out := gputest.Put(r, []float32{inf, nan, nan, nan, inf, 3}), gputest.Room[float32](r, 3)
	r.Do(func(q *device.Queue) {
		MaxF32(q, out, in, Params{N: 1, H: 1, W: 6, C: 1, KH: 1, KW: 2, OH: 1, OW: 3, SW: 2})
	})
	gputest.Same(t, "max", gputest.Get[float32](r, out, 3), []float32{-math.MaxFloat32, -math.MaxFloat32, 3})
}
