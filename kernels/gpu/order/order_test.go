package order

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/order"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

var tops = []TopParams{{3, 7, 3}, {2, 300, 300}, {1, 600, 40}, {2, 900, 2}, {5, 40, 1}, {1, 700, 1}, {2, 1, 1}, {0, 4, 2}, {4, 4, 0}}

type topper = func(q *device.Queue, values, places, src device.Ptr, p TopParams)

func test[T comparable](t *testing.T, f [3]topper, value func(x float64) T, up func(T) float64) {
	for i, p := range tops {
		x := gputest.Ints[int32](uint64(i), p.Rows*p.N, 0, 90)
		src := make([]T, len(x))
		for j, v := range x {
			src[j] = value(float64(v))
		}
		var values []T
		var places []int64
		for r := range p.Rows {
			at := make([]int64, p.N)
			for j := range at {
				at[j] = int64(j)
			}
			row := src[r*p.N:][:p.N]
			slices.SortStableFunc(at, func(a, b int64) int {
				switch x, y := up(row[a]), up(row[b]); {
				case x > y:
					return -1
				case x < y:
					return 1
				}
				return 0
			})
			for _, a := range at[:p.K] {
				values, places = append(values, row[a]), append(places, a)
			}
		}
		n := p.Rows * p.K
		r := gputest.New(t)
		from := gputest.Put(r, src)
		a, b, c := gputest.Room[T](r, n), gputest.Room[T](r, n), gputest.Room[T](r, n)
		a16, b32, c64 := gputest.Room[int16](r, n), gputest.Room[int32](r, n), gputest.Room[int64](r, n)
		r.Do(func(q *device.Queue) { f[0](q, a, a16, from, p); f[1](q, b, b32, from, p); f[2](q, c, c64, from, p) })
		what := fmt.Sprintf("%T %+v", src, p)
		for _, v := range []device.Ptr{a, b, c} {
			gputest.Same(t, what, gputest.Get[T](r, v, n), values)
		}
		gputest.Same(t, what, gputest.Get[int64](r, c64, n), places)
		g16, g32 := gputest.Get[int16](r, a16, n), gputest.Get[int32](r, b32, n)
		for j, v := range places {
			if int64(g16[j]) != v || int64(g32[j]) != v {
				t.Fatalf("%s: place %d is %d and %d, want %d", what, j, g16[j], g32[j], v)
			}
		}
	}
}

func number[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64](t *testing.T, low float64, f [3]topper) {
	test(t, f, func(x float64) T { return T(x + low) }, func(x T) float64 { return float64(x) })
}

func TestTop(t *testing.T) {
	number[float32](t, -40, [3]topper{TopKF32I16, TopKF32I32, TopKF32I64})
	number[float64](t, -40, [3]topper{TopKF64I16, TopKF64I32, TopKF64I64})
	number[int8](t, -40, [3]topper{TopKI8I16, TopKI8I32, TopKI8I64})
	number[uint8](t, 100, [3]topper{TopKU8I16, TopKU8I32, TopKU8I64})
	number[int16](t, -40, [3]topper{TopKI16I16, TopKI16I32, TopKI16I64})
	number[uint16](t, 40000, [3]topper{TopKU16I16, TopKU16I32, TopKU16I64})
	number[int32](t, -40, [3]topper{TopKI32I16, TopKI32I32, TopKI32I64})
	number[uint32](t, 1<<31, [3]topper{TopKU32I16, TopKU32I32, TopKU32I64})
	number[int64](t, -40, [3]topper{TopKI64I16, TopKI64I32, TopKI64I64})
	number[uint64](t, 0, [3]topper{TopKU64I16, TopKU64I32, TopKU64I64})
	test(t, [3]topper{TopKF16I16, TopKF16I32, TopKF16I64}, func(x float64) tensor.F16 { return tensor.ToF16(float32(x - 40)) }, func(x tensor.F16) float64 { return float64(x.Float32()) })
	test(t, [3]topper{TopKBF16I16, TopKBF16I32, TopKBF16I64}, func(x float64) tensor.BF16 { return tensor.ToBF16(float32(x - 40)) }, func(x tensor.BF16) float64 { return float64(x.Float32()) })
}

// TestNaN checks the order of NaN. It comes before all numbers if several elements are selected,
// but after all numbers if only one element is selected.
func TestNaN(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	src := append([]float32{1, nan, inf, nan, -inf}, make([]float32, 200)...)
	for _, c := range []struct {
		src    []float32
		k      int
		values []float32
		places []int32
	}{
		{src[:5], 4, []float32{nan, nan, inf, 1}, []int32{1, 3, 2, 0}},
		{src, 4, []float32{nan, nan, inf, 1}, []int32{1, 3, 2, 0}},
		{src[:5], 1, []float32{inf}, []int32{2}},
		{[]float32{nan, nan}, 1, []float32{nan}, []int32{0}},
		{[]float32{nan, -inf}, 1, []float32{-inf}, []int32{1}},
	} {
		r := gputest.New(t)
		r.Procs = 1
		values, places, from := gputest.Room[float32](r, c.k), gputest.Room[int32](r, c.k), gputest.Put(r, c.src)
		r.Do(func(q *device.Queue) { TopKF32I32(q, values, places, from, TopParams{1, len(c.src), c.k}) })
		gputest.Same(t, "values", gputest.Get[float32](r, values, c.k), c.values)
		gputest.Same(t, "places", gputest.Get[int32](r, places, c.k), c.places)
	}
}

func TestInTopK(t *testing.T) {
	inf := float32(math.Inf(1))
	x := []float32{0.1, 0.5, 0.2, 0.2, 0.3, 0.3, 0.1, 0.3, inf, 0, 0, 0, 1, 2, 3, 4}
	targets, long := []int32{2, 1, 1, 4}, []int64{2, 1, 1, 4}
	for k := range 5 {
		want := make([]bool, 4)
		cpu.InTopKI32(want, x, targets, 4, k)
		r := gputest.New(t)
		a, b, p, ti, tl := gputest.Room[bool](r, 4), gputest.Room[bool](r, 4), gputest.Put(r, x), gputest.Put(r, targets), gputest.Put(r, long)
		r.Do(func(q *device.Queue) { InTopKI32(q, a, p, ti, 4, 4, k); InTopKI64(q, b, p, tl, 4, 4, k) })
		gputest.Same(t, fmt.Sprint(k), gputest.Get[bool](r, a, 4), want)
		gputest.Same(t, fmt.Sprint(k), gputest.Get[bool](r, b, 4), want)
	}
}
