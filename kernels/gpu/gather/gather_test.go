package gather

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func indices(seed uint64, n, limit int) ([]int32, []int64) {
	small := gputest.Ints[int32](seed, n, -1, int64(limit)+1) // some are outside
	long := make([]int64, n)
	for i, v := range small {
		long[i] = int64(v)
	}
	return small, long
}

type reader[P any] func(q *device.Queue, dst, params, indices device.Ptr, p P)

func read[T comparable](t *testing.T, g32, g64 reader[Params], n32, n64 reader[NdParams], value func(i int) T) {
	for i, p := range []Params{{1, 1, 5, 7, 1}, {2, 3, 5, 4, 6}, {1, 4, 9, 3, 33}, {3, 1, 4, 300, 16}, {1, 1, 0, 3, 2}, {0, 2, 3, 4, 5}, {2, 2, 3, 0, 4}} {
		src := make([]T, p.Batch*p.Outer*p.Limit*p.Inner)
		for j := range src {
			src[j] = value(j + 1)
		}
		small, long := indices(uint64(i), p.Batch*p.N, max(1, p.Limit))
		want := make([]T, p.Batch*p.Outer*p.N*p.Inner)
		for j := range want {
			row, in := j/p.Inner, j%p.Inner
			bo, k := row/p.N, row%p.N
			if x := int(small[bo/p.Outer*p.N+k]); x >= 0 && x < p.Limit {
				want[j] = src[(bo*p.Limit+x)*p.Inner+in]
			}
		}
		r := gputest.New(t)
		a, b, from, is, il := gputest.Room[T](r, len(want)), gputest.Room[T](r, len(want)), gputest.Put(r, src), gputest.Put(r, small), gputest.Put(r, long)
		r.Do(func(q *device.Queue) { g32(q, a, from, is, p); g64(q, b, from, il, p) })
		gputest.Same(t, fmt.Sprintf("%T %+v", src, p), gputest.Get[T](r, a, len(want)), want)
		gputest.Same(t, fmt.Sprintf("%T %+v", src, p), gputest.Get[T](r, b, len(want)), want)
	}
	for i, p := range []NdParams{{N: 9, Inner: 5, Depth: 1, D0: 4}, {N: 40, Inner: 4, Depth: 3, D0: 3, D1: 4, D2: 5}, {N: 3, Inner: 2}, {N: 0, Inner: 2, Depth: 1, D0: 2},
		{N: 300, Inner: 1, Depth: 7, D0: 2, D1: 2, D2: 2, D3: 2, D4: 2, D5: 2, D6: 3}} {
		dims := []int{p.D0, p.D1, p.D2, p.D3, p.D4, p.D5, p.D6}[:p.Depth]
		rows := 1
		for _, d := range dims {
			rows *= d
		}
		src := make([]T, rows*p.Inner)
		for j := range src {
			src[j] = value(j + 1)
		}
		small, long := indices(uint64(i), p.N*p.Depth, 3)
		want := make([]T, p.N*p.Inner)
		for k := range p.N {
			if at := place0(small[k*p.Depth:][:p.Depth], dims); at >= 0 {
				copy(want[k*p.Inner:][:p.Inner], src[at*p.Inner:])
			}
		}
		r := gputest.New(t)
		a, b, from, is, il := gputest.Room[T](r, len(want)), gputest.Room[T](r, len(want)), gputest.Put(r, src), gputest.Put(r, small), gputest.Put(r, long)
		r.Do(func(q *device.Queue) { n32(q, a, from, is, p); n64(q, b, from, il, p) })
		gputest.Same(t, fmt.Sprintf("%T %+v", src, p), gputest.Get[T](r, a, len(want)), want)
		gputest.Same(t, fmt.Sprintf("%T %+v", src, p), gputest.Get[T](r, b, len(want)), want)
	}
}

func place0(ix []int32, dims []int) int {
	at := 0
	for i, x := range ix {
		if x < 0 || int(x) >= dims[i] {
			return -1
		}
		at = at*dims[i] + int(x)
	}
	return at
}

func TestReads(t *testing.T) {
	read(t, Gather1I32, Gather1I64, GatherNd1I32, GatherNd1I64, func(i int) uint8 { return uint8(i) })
	read(t, Gather2I32, Gather2I64, GatherNd2I32, GatherNd2I64, func(i int) uint16 { return uint16(i) })
	read(t, Gather4I32, Gather4I64, GatherNd4I32, GatherNd4I64, func(i int) uint32 { return uint32(i) })
	read(t, Gather8I32, Gather8I64, GatherNd8I32, GatherNd8I64, func(i int) uint64 { return uint64(i) })
	read(t, Gather16I32, Gather16I64, GatherNd16I32, GatherNd16I64, func(i int) [2]uint64 { return [2]uint64{uint64(i), 7} })
}

type writer func(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams)

// write tests a scatter operation with int32 and with int64 indices: s32 and s64 are its two
// versions.
func write[T comparable](t *testing.T, name string, s32, s64 writer, ref func(i int) T, update func(i int) T, op func(a, b T) T) {
	for i, p := range []ScatterParams{{N: 9, Inner: 5, Depth: 1, D0: 4}, {N: 70, Inner: 4, Depth: 2, D0: 3, D1: 5}, {N: 5, Inner: 2, Depth: 1, D0: 3, Scalar: true}, {Inner: 2, Depth: 1, D0: 2}, {N: 1, Inner: 6}} {
		if p.Scalar && update == nil {
			continue
		}
		dims := []int{p.D0, p.D1}[:p.Depth]
		rows := 1
		for _, d := range dims {
			rows *= d
		}
		small, long := indices(uint64(i), p.N*p.Depth, 4)
		if name == "set" { // keep only one update for each place, since the order of several updates is not fixed
			seen := map[int]bool{}
			for k := range p.N {
				at := place0(small[k*p.Depth:][:p.Depth], dims)
				if seen[at] && p.Depth > 0 {
					small[k*p.Depth], long[k*p.Depth] = -1, -1
				}
				seen[at] = true
			}
		}
		want, ups := make([]T, rows*p.Inner), make([]T, p.N*p.Inner)
		for j := range want {
			want[j] = ref(j)
		}
		if p.Scalar {
			ups = ups[:1]
		}
		for j := range ups {
			ups[j] = update(j)
		}
		r := gputest.New(t)
		a, b, u, is, il := gputest.Put(r, want), gputest.Put(r, want), gputest.Put(r, ups), gputest.Put(r, small), gputest.Put(r, long)
		for k := range p.N {
			at := place0(small[k*p.Depth:][:p.Depth], dims)
			for in := range p.Inner {
				if at >= 0 {
					from := k*p.Inner + in
					if p.Scalar {
						from = 0
					}
					want[at*p.Inner+in] = op(want[at*p.Inner+in], ups[from])
				}
			}
		}
		r.Do(func(q *device.Queue) { s32(q, a, u, is, p); s64(q, b, u, il, p) })
		gputest.Same(t, fmt.Sprintf("%s of %T %+v", name, want, p), gputest.Get[T](r, a, len(want)), want)
		gputest.Same(t, fmt.Sprintf("%s of %T %+v", name, want, p), gputest.Get[T](r, b, len(want)), want)
	}
}

// all(t, w, down, up) tests the six operations that combine numbers. w holds the functions of these
// operations. The numbers are small, so that the results are exact in any order.
func all[T comparable](t *testing.T, w [12]writer, down func(x float64) T, up func(T) float64) {
	num := func(f func(i int) float64) func(i int) T { return func(i int) T { return down(f(i)) } }
	op := func(f func(a, b float64) float64) func(a, b T) T {
		return func(a, b T) T { return down(f(up(a), up(b))) }
	}
	small := num(func(i int) float64 { return float64(i%3 + 1) })
	write(t, "add", w[0], w[1], num(func(i int) float64 { return float64(i % 7) }), small, op(func(a, b float64) float64 { return a + b }))
	write(t, "sub", w[2], w[3], num(func(i int) float64 { return float64(i%7 + 200) }), small, op(func(a, b float64) float64 { return a - b }))
	twos := num(func(i int) float64 { return float64(int(1) << (i * 5 % 2)) })
	write(t, "mul", w[4], w[5], num(func(i int) float64 { return float64(i%3 + 1) }), twos, op(func(a, b float64) float64 { return a * b }))
	write(t, "div", w[6], w[7], num(func(i int) float64 { return float64(int(1) << (i%3 + 12)) }), twos, op(func(a, b float64) float64 { return math.Trunc(a / b) }))
	write(t, "min", w[8], w[9], num(func(i int) float64 { return float64(i % 5) }), num(func(i int) float64 { return float64(i * 7 % 11) }), op(math.Min))
	write(t, "max", w[10], w[11], num(func(i int) float64 { return float64(i % 5) }), num(func(i int) float64 { return float64(i * 7 % 11) }), op(math.Max))
}

func TestWrites(t *testing.T) {
	all(t, [12]writer{ScatterAddF32I32, ScatterAddF32I64, ScatterSubF32I32, ScatterSubF32I64, ScatterMulF32I32, ScatterMulF32I64, ScatterDivF32I32, ScatterDivF32I64,
		ScatterMinF32I32, ScatterMinF32I64, ScatterMaxF32I32, ScatterMaxF32I64}, func(x float64) float32 { return float32(x) }, func(x float32) float64 { return float64(x) })
	all(t, [12]writer{ScatterAddF64I32, ScatterAddF64I64, ScatterSubF64I32, ScatterSubF64I64, ScatterMulF64I32, ScatterMulF64I64, ScatterDivF64I32, ScatterDivF64I64,
		ScatterMinF64I32, ScatterMinF64I64, ScatterMaxF64I32, ScatterMaxF64I64}, func(x float64) float64 { return x }, func(x float64) float64 { return x })
	all(t, [12]writer{ScatterAddF16I32, ScatterAddF16I64, ScatterSubF16I32, ScatterSubF16I64, ScatterMulF16I32, ScatterMulF16I64, ScatterDivF16I32, ScatterDivF16I64,
		ScatterMinF16I32, ScatterMinF16I64, ScatterMaxF16I32, ScatterMaxF16I64}, func(x float64) tensor.F16 { return tensor.ToF16(float32(x)) }, func(x tensor.F16) float64 { return float64(x.Float32()) })
	all(t, [12]writer{ScatterAddBF16I32, ScatterAddBF16I64, ScatterSubBF16I32, ScatterSubBF16I64, ScatterMulBF16I32, ScatterMulBF16I64, ScatterDivBF16I32, ScatterDivBF16I64,
		ScatterMinBF16I32, ScatterMinBF16I64, ScatterMaxBF16I32, ScatterMaxBF16I64}, func(x float64) tensor.BF16 { return tensor.ToBF16(float32(x)) }, func(x tensor.BF16) float64 { return float64(x.Float32()) })
	all(t, [12]writer{ScatterAddI32I32, ScatterAddI32I64, ScatterSubI32I32, ScatterSubI32I64, ScatterMulI32I32, ScatterMulI32I64, ScatterDivI32I32, ScatterDivI32I64,
		ScatterMinI32I32, ScatterMinI32I64, ScatterMaxI32I32, ScatterMaxI32I64}, func(x float64) int32 { return int32(x) }, func(x int32) float64 { return float64(x) })
	all(t, [12]writer{ScatterAddU32I32, ScatterAddU32I64, ScatterSubU32I32, ScatterSubU32I64, ScatterMulU32I32, ScatterMulU32I64, ScatterDivU32I32, ScatterDivU32I64,
		ScatterMinU32I32, ScatterMinU32I64, ScatterMaxU32I32, ScatterMaxU32I64}, func(x float64) uint32 { return uint32(x) }, func(x uint32) float64 { return float64(x) })
	all(t, [12]writer{ScatterAddI64I32, ScatterAddI64I64, ScatterSubI64I32, ScatterSubI64I64, ScatterMulI64I32, ScatterMulI64I64, ScatterDivI64I32, ScatterDivI64I64,
		ScatterMinI64I32, ScatterMinI64I64, ScatterMaxI64I32, ScatterMaxI64I64}, func(x float64) int64 { return int64(x) }, func(x int64) float64 { return float64(x) })
	all(t, [12]writer{ScatterAddU64I32, ScatterAddU64I64, ScatterSubU64I32, ScatterSubU64I64, ScatterMulU64I32, ScatterMulU64I64, ScatterDivU64I32, ScatterDivU64I64,
		ScatterMinU64I32, ScatterMinU64I64, ScatterMaxU64I32, ScatterMaxU64I64}, func(x float64) uint64 { return uint64(x) }, func(x uint64) float64 { return float64(x) })
	set := func(_, b uint8) uint8 { return b }
	write(t, "set", ScatterUpdate1I32, ScatterUpdate1I64, func(i int) uint8 { return 0 }, func(i int) uint8 { return uint8(i + 1) }, set)
	write(t, "set", ScatterUpdate2I32, ScatterUpdate2I64, func(i int) uint16 { return 0 }, func(i int) uint16 { return uint16(i + 1) }, func(_, b uint16) uint16 { return b })
	write(t, "set", ScatterUpdate4I32, ScatterUpdate4I64, func(i int) uint32 { return 0 }, func(i int) uint32 { return uint32(i + 1) }, func(_, b uint32) uint32 { return b })
	write(t, "set", ScatterUpdate8I32, ScatterUpdate8I64, func(i int) uint64 { return 0 }, func(i int) uint64 { return uint64(i + 1) }, func(_, b uint64) uint64 { return b })
	write(t, "set", ScatterUpdate16I32, ScatterUpdate16I64, func(i int) [2]uint64 { return [2]uint64{} }, func(i int) [2]uint64 { return [2]uint64{uint64(i), 3} }, func(_, b [2]uint64) [2]uint64 { return b })
}

func TestComplex(t *testing.T) {
	r := gputest.New(t)
	a, b := gputest.Put(r, []complex64{1, 2i}), gputest.Put(r, []complex128{1, 2i})
	small, wide, is, il := gputest.Put(r, []complex64{1 + 2i, 3, 4i}), gputest.Put(r, []complex128{1 + 2i, 3, 4i}), gputest.Put(r, []int32{0, 5, 0}), gputest.Put(r, []int64{1, -1, 1})
	p := ScatterParams{N: 3, Inner: 1, Depth: 1, D0: 2}
	r.Do(func(q *device.Queue) {
		ScatterAddC64I32(q, a, small, is, p)
		ScatterAddC64I64(q, a, small, il, p)
		ScatterAddC128I32(q, b, wide, is, p)
		ScatterAddC128I64(q, b, wide, il, p)
	})
	after := func(q *device.Queue) {
		ScatterSubC64I32(q, a, small, is, p)
		ScatterSubC64I64(q, a, small, il, p)
		ScatterSubC128I32(q, b, wide, is, p)
		ScatterSubC128I64(q, b, wide, il, p)
	}
	gputest.Same(t, "c64", gputest.Get[complex64](r, a, 2), []complex64{2 + 6i, 1 + 8i})
	gputest.Same(t, "c128", gputest.Get[complex128](r, b, 2), []complex128{2 + 6i, 1 + 8i})
	r.Do(after)
	gputest.Same(t, "c64", gputest.Get[complex64](r, a, 2), []complex64{1, 2i})
	gputest.Same(t, "c128", gputest.Get[complex128](r, b, 2), []complex128{1, 2i})
}

func TestDivide(t *testing.T) {
	r := gputest.New(t)
	x := []float32{6, 8, 5, 7, 32, 64}
	counts := gputest.Put(r, []int32{2, 0, 16})
	a, b := gputest.Put(r, x), gputest.Put(r, []float64{6, 8, 5, 7, 32, 64})
	h, bh := gputest.Put(r, gputest.F16(x)), gputest.Put(r, gputest.BF16(x))
	r.Do(func(q *device.Queue) {
		DivideF32(q, a, counts, 3, 2, false)
		DivideF64(q, b, counts, 3, 2, true)
		DivideF16(q, h, counts, 3, 2, false)
		DivideBF16(q, bh, counts, 3, 2, false)
	})
	root := math.Sqrt(2)
	want := []float32{3, 4, 5, 7, 2, 4}
	gputest.Same(t, "f32", gputest.Get[float32](r, a, 6), want)
	gputest.Same(t, "f16", gputest.Wide(gputest.Get[tensor.F16](r, h, 6)), want)
	gputest.Same(t, "bf16", gputest.Wide(gputest.Get[tensor.BF16](r, bh, 6)), want)
	gputest.Same(t, "f64", gputest.Get[float64](r, b, 6), []float64{6 / root, 8 / root, 5, 7, 8, 16})
}
