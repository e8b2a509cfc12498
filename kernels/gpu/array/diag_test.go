package array

import (
	"fmt"
	"testing"

	cpu "github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
)

type diagonal = func(q *device.Queue, dst, src, padding device.Ptr, p DiagParams)

func diagonals[T comparable](t *testing.T, part, whole, set diagonal, value func(x float64) T) {
	all := func(s []float64) []T {
		d := make([]T, len(s))
		for i, x := range s {
			d[i] = value(x)
		}
		return d
	}
	for align := range 4 {
		for _, p := range []DiagParams{{Batch: 2, Rows: 5, Cols: 7, Lo: -3, Hi: 2}, {Batch: 1, Rows: 30, Cols: 20, Lo: -1, Hi: 4}, {Batch: 3, Rows: 4, Cols: 4}, {Batch: 1, Rows: 3, Cols: 6, Lo: 2, Hi: 5}, {Batch: 0, Rows: 2, Cols: 2}} {
			p.SuperRight, p.SubRight = align&1 != 0, align&2 != 0
			p.Len, _ = cpu.DiagLen(p.Rows, p.Cols, p.Lo, p.Hi)
			src, packed := make([]float64, p.Batch*p.Rows*p.Cols), make([]float64, p.Batch*(p.Hi-p.Lo+1)*p.Len)
			for i := range src {
				src[i] = float64(i%100 + 1)
			}
			for i := range packed {
				packed[i] = float64(i%90 + 101)
			}
			padding := []float64{7}
			a, b, c := make([]float64, len(packed)), make([]float64, len(src)), make([]float64, len(src))
			cpu.DiagPartF64(a, src, padding, cpu.DiagParams(p))
			cpu.DiagF64(b, packed, padding, cpu.DiagParams(p))
			cpu.SetDiagF64(c, src, packed, cpu.DiagParams(p))
			r := gputest.New(t)
			ps, pp, pad := gputest.Put(r, all(src)), gputest.Put(r, all(packed)), gputest.Put(r, all(padding))
			ra, rb := gputest.Room[T](r, len(a)), gputest.Room[T](r, len(b))
			r.Do(func(q *device.Queue) { part(q, ra, ps, pad, p); whole(q, rb, pp, pad, p); set(q, ps, ps, pp, p) })
			what := fmt.Sprintf("%T %+v", src, p)
			gputest.Same(t, what, gputest.Get[T](r, ra, len(a)), all(a))
			gputest.Same(t, what, gputest.Get[T](r, rb, len(b)), all(b))
			gputest.Same(t, what, gputest.Get[T](r, ps, len(c)), all(c))
		}
	}
}

func TestDiagonals(t *testing.T) {
	diagonals(t, DiagPart1, Diag1, SetDiag1, func(x float64) uint8 { return uint8(x) })
	diagonals(t, DiagPart2, Diag2, SetDiag2, func(x float64) uint16 { return uint16(x) })
	diagonals(t, DiagPart4, Diag4, SetDiag4, func(x float64) float32 { return float32(x) })
	diagonals(t, DiagPart8, Diag8, SetDiag8, func(x float64) float64 { return x })
	diagonals(t, DiagPart16, Diag16, SetDiag16, func(x float64) complex128 { return complex(x, -x) })
}
