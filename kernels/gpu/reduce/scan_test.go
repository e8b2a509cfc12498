package reduce

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/reduce"
	"github.com/graphc/graphc/rt/device"
)

func scans() []Scan {
	var all []Scan
	for _, d := range []Dims{{1, 1, 1}, {2, 7, 1}, {2, 40, 3}, {1, 700, 2}, {3, 257, 1}, {0, 3, 2}, {2, 0, 2}} {
		for mode := range 4 {
			all = append(all, Scan{d.Outer, d.N, d.Inner, mode&1 != 0, mode&2 != 0})
		}
	}
	return all
}

type scanner = func(q *device.Queue, dst, src device.Ptr, p Scan)

func scanned[T any](t *testing.T, f scanner, src []T, p Scan) []T {
	r := gputest.New(t)
	at := gputest.Put(r, src)
	r.Do(func(q *device.Queue) { f(q, at, at, p) })
	return gputest.Get[T](r, at, len(src))
}

func TestScans(t *testing.T) {
	for i, p := range scans() {
		n := p.Outer * p.N * p.Inner
		what := fmt.Sprintf("%+v", p)
		x, d := gputest.Floats[float32](uint64(i), n), gputest.Floats[float64](uint64(i), n)
		h, b := gputest.F16(x), gputest.BF16(x)
		c := cpu.Scan(p)
		for _, k := range []struct {
			name             string
			f32, f64, fh, fb scanner
			c                func(dst, src []float64, p cpu.Scan)
		}{
			{"sum", CumsumF32, CumsumF64, CumsumF16, CumsumBF16, cpu.CumsumF64},
			{"prod", CumprodF32, CumprodF64, CumprodF16, CumprodBF16, cpu.CumprodF64},
			{"log sum", CumulativeLogsumexpF32, CumulativeLogsumexpF64, CumulativeLogsumexpF16, CumulativeLogsumexpBF16, cpu.CumulativeLogsumexpF64},
		} {
			want := make([]float64, n)
			k.c(want, d, c)
			gputest.Close(t, k.name+what, scanned(t, k.f64, d, p), want, 1e-13, 10)
			for _, v := range []struct {
				got, src []float32
				tol      float64
			}{
				{scanned(t, k.f32, x, p), x, 1e-6}, {gputest.Wide(scanned(t, k.fh, h, p)), gputest.Wide(h), 0x1p-11}, {gputest.Wide(scanned(t, k.fb, b, p)), gputest.Wide(b), 0x1p-8},
			} {
				wide := make([]float64, n)
				for i, s := range v.src {
					wide[i] = float64(s)
				}
				k.c(want, wide, c)
				for i, g := range v.got {
					wide[i] = float64(g)
				}
				gputest.Close(t, k.name+what, wide, want, v.tol, 10)
			}
		}
		ints, long := gputest.Ints[int32](uint64(i), n, -1<<30, 1<<30), gputest.Ints[int64](uint64(i), n, -1<<60, 1<<60)
		w32, w64 := make([]int32, n), make([]int64, n)
		cpu.CumsumI32(w32, ints, c)
		gputest.Same(t, what, scanned(t, CumsumU32, ints, p), w32)
		cpu.CumprodI32(w32, ints, c)
		gputest.Same(t, what, scanned(t, CumprodU32, ints, p), w32)
		cpu.CumsumI64(w64, long, c)
		gputest.Same(t, what, scanned(t, CumsumU64, long, p), w64)
		cpu.CumprodI64(w64, long, c)
		gputest.Same(t, what, scanned(t, CumprodU64, long, p), w64)
	}
	inf := float32(math.Inf(-1))
	gputest.Same(t, "log sum", scanned(t, CumulativeLogsumexpF32, []float32{inf, inf, 2}, Scan{1, 3, 1, true, false}), []float32{inf, inf, inf})
}
