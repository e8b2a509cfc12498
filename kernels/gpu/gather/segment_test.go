package gather

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// sparse are the tested functions for one element type.
type sparse[T any] struct {
	name          string
	forward, back func(q *device.Queue, dst, data, indices, ids, counts device.Ptr, p SparseParams)
	down          func(s []float32) []T
	up            func(s []T) []float64
	tol           float64
}

func (k sparse[T]) test(t *testing.T) {
	for i, p := range []SparseParams{{N: 40, Inner: 5, Limit: 9, Rows: 7}, {N: 40, Inner: 5, Limit: 9, Rows: 7, Scale: 1, WideIds: true}, {N: 25, Inner: 1, Limit: 4, Rows: 12, Scale: 2, WideIndices: true}, {Inner: 3, Limit: 2, Rows: 2, Scale: 1}} {
		data, grad := k.down(gputest.Floats[float32](uint64(i), p.Limit*p.Inner)), k.down(gputest.Floats[float32](uint64(i)+3, p.Rows*p.Inner))
		ix, lx := indices(uint64(i), p.N, p.Limit)
		id, ld := indices(uint64(i)+60, p.N, p.Rows)
		for j := range ix { // replace indices out of range by 0: they add nothing, but would count as rows of a segment
			if ix[j] < 0 || int(ix[j]) >= p.Limit {
				ix[j], lx[j] = 0, 0
			}
		}
		d, g := k.up(data), k.up(grad)
		want, back, counts := make([]float64, len(grad)), make([]float64, len(data)), make([]int32, p.Rows)
		for _, s := range id {
			if s >= 0 && int(s) < p.Rows {
				counts[s]++
			}
		}
		by := func(s int) float64 {
			switch {
			case p.Scale == 0 || counts[s] == 0:
				return 1
			case p.Scale == 1:
				return float64(counts[s])
			}
			return math.Sqrt(float64(counts[s]))
		}
		for j, s := range id {
			if s < 0 || int(s) >= p.Rows {
				continue
			}
			for c := range p.Inner {
				want[int(s)*p.Inner+c] += d[int(ix[j])*p.Inner+c] / by(int(s))
				back[int(ix[j])*p.Inner+c] += g[int(s)*p.Inner+c] / by(int(s))
			}
		}
		r := gputest.New(t)
		pd, pg, dst, dx, n := gputest.Put(r, data), gputest.Put(r, grad), gputest.Room[T](r, len(grad)), gputest.Room[T](r, len(data)), gputest.Room[int32](r, p.Rows)
		px, pi := gputest.Put(r, ix), gputest.Put(r, id)
		if p.WideIndices {
			px = gputest.Put(r, lx)
		}
		if p.WideIds {
			pi = gputest.Put(r, ld)
		}
		r.Do(func(q *device.Queue) { k.forward(q, dst, pd, px, pi, n, p); k.back(q, dx, pg, px, pi, n, p) })
		gputest.Close(t, fmt.Sprintf("%s %+v", k.name, p), k.up(gputest.Get[T](r, dst, len(grad))), want, k.tol, 8)
		gputest.Close(t, fmt.Sprintf("%s gradient %+v", k.name, p), k.up(gputest.Get[T](r, dx, len(data))), back, k.tol, 8)
	}
}

func TestSparseSegments(t *testing.T) {
	wide := func(s []float32) []float64 {
		d := make([]float64, len(s))
		for i, v := range s {
			d[i] = float64(v)
		}
		return d
	}
	sparse[float32]{"f32", SparseSegmentF32, SparseSegmentGradF32, func(s []float32) []float32 { return s }, wide, 1e-6}.test(t)
	sparse[float64]{"f64", SparseSegmentF64, SparseSegmentGradF64, wide, func(s []float64) []float64 { return s }, 1e-14}.test(t)
	sparse[tensor.F16]{"f16", SparseSegmentF16, SparseSegmentGradF16, gputest.F16, func(s []tensor.F16) []float64 { return wide(gputest.Wide(s)) }, 0x1p-9}.test(t)
	sparse[tensor.BF16]{"bf16", SparseSegmentBF16, SparseSegmentGradBF16, gputest.BF16, func(s []tensor.BF16) []float64 { return wide(gputest.Wide(s)) }, 0x1p-6}.test(t)
}

func TestCount(t *testing.T) {
	small, long := indices(1, 500, 6)
	want := make([]int32, 6)
	for _, v := range small {
		if v >= 0 && v < 6 {
			want[v]++
		}
	}
	r := gputest.New(t)
	a, b, is, il := gputest.Room[int32](r, 6), gputest.Room[int32](r, 6), gputest.Put(r, small), gputest.Put(r, long)
	r.Do(func(q *device.Queue) { CountI32(q, a, is, 500, 6); CountI64(q, b, il, 500, 6) })
	gputest.Same(t, "32", gputest.Get[int32](r, a, 6), want)
	gputest.Same(t, "64", gputest.Get[int32](r, b, 6), want)
}

func TestSparseProduct(t *testing.T) {
	for mode := range 4 {
		p := SparseProduct{N: 30, Rows: 6, K: 5, Cols: 7, TransA: mode&1 != 0, TransB: mode&2 != 0, Wide: mode == 2}
		var places []int32
		a, b := gputest.Floats[float64](1, p.N), gputest.Floats[float64](2, p.K*p.Cols)
		rows, cols := gputest.Ints[int32](3, p.N, 0, 6), gputest.Ints[int32](4, p.N, 0, 5)
		want := make([]float64, p.Rows*p.Cols)
		for i, v := range a {
			at := []int32{rows[i], cols[i]}
			if p.TransA {
				at[0], at[1] = at[1], at[0]
			}
			places = append(places, at...)
			for j := range p.Cols {
				k := int(cols[i])*p.Cols + j
				if p.TransB {
					k = j*p.K + int(cols[i])
				}
				want[int(rows[i])*p.Cols+j] += v * b[k]
			}
		}
		narrow := func(s []float64) []float32 {
			f := make([]float32, len(s))
			for i, v := range s {
				f[i] = float32(v)
			}
			return f
		}
		r := gputest.New(t)
		at := gputest.Put(r, places)
		if p.Wide {
			long := make([]int64, len(places))
			for i, v := range places {
				long[i] = int64(v)
			}
			at = gputest.Put(r, long)
		}
		pa, pb, fa, fb := gputest.Put(r, a), gputest.Put(r, b), gputest.Put(r, narrow(a)), gputest.Put(r, narrow(b))
		d, f := gputest.Room[float64](r, len(want)), gputest.Room[float32](r, len(want))
		r.Do(func(q *device.Queue) { SparseProductF64(q, d, at, pa, pb, p); SparseProductF32(q, f, at, fa, fb, p) })
		gputest.Close(t, fmt.Sprintf("%+v", p), gputest.Get[float64](r, d, len(want)), want, 1e-14, 1)
		gputest.Close(t, fmt.Sprintf("%+v", p), gputest.Get[float32](r, f, len(want)), narrow(want), 1e-6, 1)
	}
}
