package order

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

type searcher = func(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams)

func bounds[T any](t *testing.T, f [4]searcher, value func(x int) T) {
	for i, p := range []SearchParams{{3, 40, 9}, {1, 1, 300}, {2, 0, 4}, {0, 3, 3}} {
		in, at := gputest.Ints[int32](uint64(i), p.Rows*p.N, 0, 50), gputest.Ints[int32](uint64(i)+5, p.Rows*p.Values, 0, 50)
		lower, upper := make([]int32, len(at)), make([]int32, len(at))
		sorted, values := make([]T, len(in)), make([]T, len(at))
		for r := range p.Rows {
			row := in[r*p.N:][:p.N]
			slices.Sort(row)
			for j, v := range at[r*p.Values:][:p.Values] {
				for _, x := range row {
					if x < v {
						lower[r*p.Values+j]++
					}
					if x <= v {
						upper[r*p.Values+j]++
					}
				}
			}
		}
		for j, v := range in {
			sorted[j] = value(int(v))
		}
		for j, v := range at {
			values[j] = value(int(v))
		}
		r := gputest.New(t)
		ps, pv := gputest.Put(r, sorted), gputest.Put(r, values)
		var out [4]device.Ptr
		for j := range out {
			out[j] = gputest.Room[int64](r, len(at))
		}
		r.Do(func(q *device.Queue) {
			for j, f := range f {
				f(q, out[j], ps, pv, p)
			}
		})
		for j, want := range [][]int32{lower, upper} {
			gputest.Same(t, fmt.Sprintf("%T %+v", sorted, p), gputest.Get[int32](r, out[2*j], len(at)), want)
			for x, v := range gputest.Get[int64](r, out[2*j+1], len(at)) {
				if v != int64(want[x]) {
					t.Fatalf("%T %+v: %d is %d, want %d", sorted, p, x, v, want[x])
				}
			}
		}
	}
}

func TestBounds(t *testing.T) {
	bounds(t, [4]searcher{LowerBoundF32I32, LowerBoundF32I64, UpperBoundF32I32, UpperBoundF32I64}, func(x int) float32 { return float32(x) - 25 })
	bounds(t, [4]searcher{LowerBoundF64I32, LowerBoundF64I64, UpperBoundF64I32, UpperBoundF64I64}, func(x int) float64 { return float64(x) - 25 })
	bounds(t, [4]searcher{LowerBoundF16I32, LowerBoundF16I64, UpperBoundF16I32, UpperBoundF16I64}, func(x int) tensor.F16 { return tensor.ToF16(float32(x) - 25) })
	bounds(t, [4]searcher{LowerBoundBF16I32, LowerBoundBF16I64, UpperBoundBF16I32, UpperBoundBF16I64}, func(x int) tensor.BF16 { return tensor.ToBF16(float32(x) - 25) })
	bounds(t, [4]searcher{LowerBoundI8I32, LowerBoundI8I64, UpperBoundI8I32, UpperBoundI8I64}, func(x int) int8 { return int8(x - 25) })
	bounds(t, [4]searcher{LowerBoundU8I32, LowerBoundU8I64, UpperBoundU8I32, UpperBoundU8I64}, func(x int) uint8 { return uint8(x + 200) })
	bounds(t, [4]searcher{LowerBoundI16I32, LowerBoundI16I64, UpperBoundI16I32, UpperBoundI16I64}, func(x int) int16 { return int16(x - 25) })
	bounds(t, [4]searcher{LowerBoundU16I32, LowerBoundU16I64, UpperBoundU16I32, UpperBoundU16I64}, func(x int) uint16 { return uint16(x + 65000) })
	bounds(t, [4]searcher{LowerBoundI32I32, LowerBoundI32I64, UpperBoundI32I32, UpperBoundI32I64}, func(x int) int32 { return int32(x - 25) })
	bounds(t, [4]searcher{LowerBoundU32I32, LowerBoundU32I64, UpperBoundU32I32, UpperBoundU32I64}, func(x int) uint32 { return uint32(x) + 1<<31 })
	bounds(t, [4]searcher{LowerBoundI64I32, LowerBoundI64I64, UpperBoundI64I32, UpperBoundI64I64}, func(x int) int64 { return int64(x - 25) })
	bounds(t, [4]searcher{LowerBoundU64I32, LowerBoundU64I64, UpperBoundU64I32, UpperBoundU64I64}, func(x int) uint64 { return uint64(x) + 1<<63 })
}

func TestBuckets(t *testing.T) {
	r := gputest.New(t)
	edges := gputest.Put(r, []float32{-2, 0, 2, 5})
	f, d := gputest.Put(r, []float32{-3, -2, 1, 5, float32(math.NaN())}), gputest.Put(r, []float64{-3, -2, 1, 5, math.NaN()})
	i, l := gputest.Put(r, []int32{-3, -2, 1, 5, 9}), gputest.Put(r, []int64{-3, -2, 1, 5, 9})
	var out [4]device.Ptr
	for j := range out {
		out[j] = gputest.Room[int32](r, 5)
	}
	r.Do(func(q *device.Queue) {
		BucketF32(q, out[0], f, edges, 5, 4)
		BucketF64(q, out[1], d, edges, 5, 4)
		BucketI32(q, out[2], i, edges, 5, 4)
		BucketI64(q, out[3], l, edges, 5, 4)
	})
	for _, o := range out {
		gputest.Same(t, "buckets", gputest.Get[int32](r, o, 5), []int32{0, 1, 2, 4, 4})
	}
}

type binner = func(q *device.Queue, dst, src device.Ptr, p Bins)

func count[T float32 | float64 | int32 | int64](t *testing.T, small, long binner) {
	for _, binary := range []bool{false, true} {
		for _, with := range []bool{false, true} {
			p := Bins{Rows: 3, Cols: 50, Size: 7, Binary: binary}
			src := gputest.Ints[int32](4, p.Rows*p.Cols, -1, 9)
			wide, weights := make([]int64, len(src)), make([]T, len(src))
			want := make([]T, p.Rows*p.Size)
			for i, v := range src {
				wide[i], weights[i] = int64(v), T(i%5)
				if v < 0 || int(v) >= p.Size {
					continue
				}
				to := &want[i/p.Cols*p.Size+int(v)]
				switch {
				case binary:
					*to = 1
				case with:
					*to += weights[i]
				default:
					*to++
				}
			}
			r := gputest.New(t)
			a, b, ps, pl, pw := gputest.Room[T](r, len(want)), gputest.Room[T](r, len(want)), gputest.Put(r, src), gputest.Put(r, wide), gputest.Put(r, weights)
			if with {
				p.Weights = pw
			}
			r.Do(func(q *device.Queue) { small(q, a, ps, p); long(q, b, pl, p) })
			gputest.Same(t, "bins", gputest.Get[T](r, a, len(want)), want)
			gputest.Same(t, "bins", gputest.Get[T](r, b, len(want)), want)
		}
	}
}

func TestBins(t *testing.T) {
	count[float32](t, BinsF32I32, BinsF32I64)
	count[float64](t, BinsF64I32, BinsF64I64)
	count[int32](t, BinsI32I32, BinsI32I64)
	count[int64](t, BinsI64I32, BinsI64I64)
}
