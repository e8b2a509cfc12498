package reduce

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/reduce"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// shapes include odd sizes, axes whose length is not a multiple of the number of threads in a block,
// empty axes, and axes that are reduced in parts.
var shapes = []Dims{
	{1, 1, 1}, {3, 7, 1}, {5, 33, 1}, {2, 700, 1}, {1, 5000, 1}, {1, 9001, 1}, {2, 9, 5}, {1, 31, 70}, {3, 1, 4}, {1, 2100, 33}, {2, 600, 2},
	{0, 4, 2}, {2, 4, 0}, {2, 0, 3}, {3, 0, 1},
}

func around(d Dims) cpu.Dims {
	return cpu.Dims{N: 3, D: [cpu.MaxDims]int{d.Outer, d.N, d.Inner}}
}

type gpu func(q *device.Queue, dst, src device.Ptr, p Params)

// apply returns the result of f for src.
func apply[T any](t *testing.T, f gpu, src []T, d Dims, lend bool) []T {
	r := gputest.New(t)
	r.Procs = 40
	n := d.Outer * d.Inner
	dst, from := gputest.Room[T](r, n), gputest.Put(r, src)
	p := Params{Outer: d.Outer, N: d.N, Inner: d.Inner}
	if lend {
		p.Scratch = gputest.Room[byte](r, Scratch)
	}
	r.Do(func(q *device.Queue) { f(q, dst, from, p) })
	return gputest.Get[T](r, dst, n)
}

func floats[T float32 | float64](t *testing.T, name string, f gpu, c func(dst, src []T, d cpu.Dims, acc []T), tolerance float64) {
	for i, d := range shapes {
		for _, lend := range []bool{false, true} {
			src := gputest.Floats[T](uint64(i), d.Outer*d.N*d.Inner)
			want := make([]T, d.Outer*d.Inner)
			c(want, src, around(d), make([]T, len(want)))
			// The magnitudes of the elements are at most 1. The rounding error of their sum grows
			// with the magnitude of the partial sums, which is about √N. So does the tolerance.
			gputest.Close(t, fmt.Sprint(name, d, lend), apply(t, f, src, d, lend), want, tolerance, max(1, math.Sqrt(float64(d.N))/4))
		}
	}
}

// by64 returns a function that calls f with float64 accumulators.
func by64[T any](f func(dst, src []T, d cpu.Dims, acc []float64)) func(dst, src []T, d cpu.Dims, acc []T) {
	return func(dst, src []T, d cpu.Dims, acc []T) { f(dst, src, d, make([]float64, len(acc))) }
}

func TestFloats(t *testing.T) {
	floats(t, "sum f32", SumF32, by64(cpu.SumF32), 2e-6)
	floats(t, "sum f64", SumF64, cpu.SumF64, 1e-14)
	floats(t, "mean f32", MeanF32, by64(cpu.MeanF32), 2e-6)
	floats(t, "mean f64", MeanF64, cpu.MeanF64, 1e-14)
	floats(t, "prod f32", ProdF32, cpu.ProdF32, 2e-6)
	floats(t, "prod f64", ProdF64, cpu.ProdF64, 1e-14)
	floats(t, "max f32", MaxF32, cpu.MaxF32, 0)
	floats(t, "max f64", MaxF64, cpu.MaxF64, 0)
	floats(t, "min f32", MinF32, cpu.MinF32, 0)
	floats(t, "min f64", MinF64, cpu.MinF64, 0)
	floats(t, "norm f32", EuclideanNormF32, by64(cpu.EuclideanNormF32), 2e-6)
	floats(t, "norm f64", EuclideanNormF64, cpu.EuclideanNormF64, 1e-14)
	half := func(dst, src []float32, d cpu.Dims, acc []float32) {
		by64(cpu.EuclideanNormF32)(dst, src, d, acc)
		for i := range dst {
			dst[i] *= dst[i] / 2
		}
	}
	floats(t, "l2 f32", L2LossF32, half, 4e-6)
}

// TestHalves compares reductions of half-precision elements with float32 reductions of the same
// elements.
func TestHalves(t *testing.T) {
	for i, d := range shapes {
		src := gputest.Floats[float32](uint64(i), d.Outer*d.N*d.Inner)
		h, b := gputest.F16(src), gputest.BF16(src)
		for _, lend := range []bool{false, true} {
			for _, c := range []struct {
				name   string
				h, b   gpu
				f      func(dst, src []float32, d cpu.Dims, acc []float32)
				th, tb float64
			}{
				{"sum", SumF16, SumBF16, by64(cpu.SumF32), 0x1p-11, 0x1p-8},
				{"mean", MeanF16, MeanBF16, by64(cpu.MeanF32), 0x1p-11, 0x1p-8},
				{"prod", ProdF16, ProdBF16, cpu.ProdF32, 0x1p-10, 0x1p-7},
				{"max", MaxF16, MaxBF16, cpu.MaxF32, 0, 0},
				{"min", MinF16, MinBF16, cpu.MinF32, 0, 0},
				{"norm", EuclideanNormF16, EuclideanNormBF16, by64(cpu.EuclideanNormF32), 0x1p-11, 0x1p-8},
			} {
				want := make([]float32, d.Outer*d.Inner)
				c.f(want, gputest.Wide(h), around(d), make([]float32, len(want)))
				gputest.Close(t, fmt.Sprint(c.name, " f16 ", d), gputest.Wide(apply(t, c.h, h, d, lend)), want, c.th, 1e-2)
				c.f(want, gputest.Wide(b), around(d), make([]float32, len(want)))
				gputest.Close(t, fmt.Sprint(c.name, " bf16 ", d), gputest.Wide(apply(t, c.b, b, d, lend)), want, c.tb, 1e-2)
			}
		}
	}
}

func exact[T comparable](t *testing.T, name string, f gpu, c func(dst, src []T, d cpu.Dims, acc []T), values func(seed uint64, n int) []T) {
	for i, d := range shapes {
		for _, lend := range []bool{false, true} {
			src := values(uint64(i), d.Outer*d.N*d.Inner)
			want := make([]T, d.Outer*d.Inner)
			c(want, src, around(d), make([]T, len(want)))
			gputest.Same(t, fmt.Sprint(name, d, lend), apply(t, f, src, d, lend), want)
		}
	}
}

func ints[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](low, high int64) func(seed uint64, n int) []T {
	return func(seed uint64, n int) []T { return gputest.Ints[T](seed, n, low, high) }
}

func TestInts(t *testing.T) {
	exact(t, "sum u8", SumU8, cpu.SumU8, ints[uint8](0, 256))
	exact(t, "sum u16", SumU16, cpu.SumU16, ints[uint16](0, 65536))
	exact(t, "sum u32", SumU32, cpu.SumI32, ints[int32](-1<<31, 1<<31))
	exact(t, "sum u64", SumU64, cpu.SumI64, ints[int64](-1<<61, 1<<61))
	exact(t, "prod u8", ProdU8, cpu.ProdI8, ints[int8](-3, 4))
	exact(t, "prod u16", ProdU16, cpu.ProdU16, ints[uint16](0, 65536))
	exact(t, "prod u32", ProdU32, cpu.ProdU32, ints[uint32](0, 1<<32))
	exact(t, "prod u64", ProdU64, cpu.ProdI64, ints[int64](-1<<61, 1<<61))
	exact(t, "max i8", MaxI8, cpu.MaxI8, ints[int8](-128, -3))
	exact(t, "max u8", MaxU8, cpu.MaxU8, ints[uint8](0, 250))
	exact(t, "max i16", MaxI16, cpu.MaxI16, ints[int16](-9999, -3))
	exact(t, "max u16", MaxU16, cpu.MaxU16, ints[uint16](0, 65536))
	exact(t, "max i32", MaxI32, cpu.MaxI32, ints[int32](-1<<31, -3))
	exact(t, "max u32", MaxU32, cpu.MaxU32, ints[uint32](0, 1<<32))
	exact(t, "max i64", MaxI64, cpu.MaxI64, ints[int64](-1<<60, -3))
	exact(t, "max u64", MaxU64, cpu.MaxU64, ints[uint64](0, 1<<60))
	exact(t, "min i8", MinI8, cpu.MinI8, ints[int8](3, 128))
	exact(t, "min u8", MinU8, cpu.MinU8, ints[uint8](3, 250))
	exact(t, "min i16", MinI16, cpu.MinI16, ints[int16](3, 9999))
	exact(t, "min u16", MinU16, cpu.MinU16, ints[uint16](3, 65536))
	exact(t, "min i32", MinI32, cpu.MinI32, ints[int32](3, 1<<31))
	exact(t, "min u32", MinU32, cpu.MinU32, ints[uint32](3, 1<<32))
	exact(t, "min i64", MinI64, cpu.MinI64, ints[int64](3, 1<<60))
	exact(t, "min u64", MinU64, cpu.MinU64, ints[uint64](3, 1<<60))
	bools := func(one int) func(seed uint64, n int) []bool {
		return func(seed uint64, n int) []bool {
			s := make([]bool, n)
			for i, v := range gputest.Ints[int32](seed, n, 0, 50) {
				s[i] = (v == 1) == (one == 1)
			}
			return s
		}
	}
	exact(t, "all", AllBool, cpu.AllBool, bools(0))
	exact(t, "any", AnyBool, cpu.AnyBool, bools(1))
}

func TestComplex(t *testing.T) {
	for i, d := range shapes {
		re, im := gputest.Floats[float64](uint64(i), d.Outer*d.N*d.Inner), gputest.Floats[float64](uint64(i)+99, d.Outer*d.N*d.Inner)
		src, narrow := make([]complex128, len(re)), make([]complex64, len(re))
		for i := range src {
			narrow[i] = complex64(complex(re[i], im[i]))
			src[i] = complex128(narrow[i])
		}
		want := make([]complex128, d.Outer*d.Inner)
		for _, c := range []struct {
			name  string
			small gpu
			large gpu
			f     func(dst, src []complex128, d cpu.Dims, acc []complex128)
		}{{"sum", SumC64, SumC128, cpu.SumC128}, {"mean", MeanC64, MeanC128, cpu.MeanC128}, {"prod", ProdC64, ProdC128, cpu.ProdC128},
			{"norm", EuclideanNormC64, EuclideanNormC128, cpu.EuclideanNormC128}} {
			c.f(want, src, around(d), make([]complex128, len(want)))
			for _, lend := range []bool{false, true} {
				gputest.Close(t, fmt.Sprint(c.name, " c128 ", d), parts(apply(t, c.large, src, d, lend)), parts(want), 1e-13, 1)
				got := apply(t, c.small, narrow, d, lend)
				wide := make([]complex128, len(got))
				for i, v := range got {
					wide[i] = complex128(v)
				}
				gputest.Close(t, fmt.Sprint(c.name, " c64 ", d), parts(wide), parts(want), 3e-5, 1)
			}
		}
	}
}

func parts(s []complex128) []float64 {
	var f []float64
	for _, v := range s {
		f = append(f, real(v), imag(v))
	}
	return f
}

// TestSpecial checks that a NaN makes the result NaN, and that infinities are treated like other
// numbers.
func TestSpecial(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	src := []float32{1, nan, 2, inf, -inf, 3, -inf, -inf, -inf, 5, inf, inf}
	d := Dims{4, 3, 1}
	for _, c := range []struct {
		name string
		f    gpu
		want []float32
	}{
		{"max", MaxF32, []float32{nan, inf, -inf, inf}},
		{"min", MinF32, []float32{nan, -inf, -inf, 5}},
		{"sum", SumF32, []float32{nan, nan, -inf, inf}},
	} {
		gputest.Same(t, c.name, apply(t, c.f, src, d, false), c.want)
		gputest.Same(t, c.name+" columns", apply(t, c.f, []float32{1, inf, -inf, 5, nan, -inf, -inf, inf, 2, 3, -inf, inf}, Dims{1, 3, 4}, false), c.want)
	}
}

// TestOrder checks that a sum has the same bits each time it is computed, even if several parts are
// added in parallel.
func TestOrder(t *testing.T) {
	d := Dims{1, 20000, 1}
	src := gputest.Floats[float32](1, d.N)
	a, b := apply(t, SumF32, src, d, true), apply(t, SumF32, src, d, true)
	gputest.Same(t, "again", a, b)
	r := gputest.New(t)
	dst, from, scratch := gputest.Room[float32](r, 1), gputest.Put(r, src), gputest.Room[byte](r, Scratch)
	r.Do(func(q *device.Queue) { SumF32(q, dst, from, Params{Outer: 1, N: d.N, Inner: 1, Scratch: scratch}) })
	if r.Launches != 2 {
		t.Errorf("%d launches", r.Launches)
	}
}

func args[T any](t *testing.T, name string, f func(q *device.Queue, dst, src device.Ptr, d Dims), f32 func(q *device.Queue, dst, src device.Ptr, d Dims),
	c func(dst []int64, src []T, p cpu.Axis), values func(seed uint64, n int) []T) {
	for i, d := range append(shapes, Dims{1, 5000, 2}, Dims{300, 70, 1}, Dims{40, 9, 40}) {
		if d.N == 0 {
			continue
		}
		src := values(uint64(i), d.Outer*d.N*d.Inner)
		want := make([]int64, d.Outer*d.Inner)
		c(want, src, cpu.Axis{Outer: d.Outer, N: d.N, Inner: d.Inner})
		r := gputest.New(t)
		dst, small, from := gputest.Room[int64](r, len(want)), gputest.Room[int32](r, len(want)), gputest.Put(r, src)
		r.Do(func(q *device.Queue) { f(q, dst, from, d); f32(q, small, from, d) })
		gputest.Same(t, fmt.Sprint(name, d), gputest.Get[int64](r, dst, len(want)), want)
		for i, v := range gputest.Get[int32](r, small, len(want)) {
			if int64(v) != want[i] {
				t.Fatalf("%s %v: position %d is %d, want %d", name, d, i, v, want[i])
			}
		}
	}
}

func TestArg(t *testing.T) {
	special := func(seed uint64, n int) []float32 {
		s := make([]float32, n)
		for i, v := range gputest.Ints[int32](seed, n, 0, 9) {
			s[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), -math.MaxFloat32, math.MaxFloat32, 0, 1, -1, 2}[v]
			if seed%3 == 0 && v != 2 && v != 3 { // keep only NaN, -Inf and the lowest finite number
				s[i] = float32(math.NaN())
			}
		}
		return s
	}
	wide := func(seed uint64, n int) []float64 {
		s := make([]float64, n)
		for i, v := range special(seed, n) {
			if s[i] = float64(v); math.Abs(s[i]) == math.MaxFloat32 {
				s[i] = math.Copysign(math.MaxFloat64, s[i])
			}
		}
		return s
	}
	args(t, "argmax f32", ArgMaxF32, ArgMaxF32To32, cpu.ArgMaxF32, special)
	args(t, "argmin f32", ArgMinF32, ArgMinF32To32, cpu.ArgMinF32, special)
	args(t, "argmax f64", ArgMaxF64, ArgMaxF64To32, cpu.ArgMaxF64, wide)
	args(t, "argmin f64", ArgMinF64, ArgMinF64To32, cpu.ArgMinF64, wide)
	h := func(seed uint64, n int) []tensor.F16 { return gputest.F16(special(seed, n)) }
	b := func(seed uint64, n int) []tensor.BF16 { return gputest.BF16(special(seed, n)) }
	args(t, "argmax f16", ArgMaxF16, ArgMaxF16To32, cpu.ArgMaxF16, h)
	args(t, "argmin f16", ArgMinF16, ArgMinF16To32, cpu.ArgMinF16, h)
	args(t, "argmax bf16", ArgMaxBF16, ArgMaxBF16To32, cpu.ArgMaxBF16, b)
	args(t, "argmin bf16", ArgMinBF16, ArgMinBF16To32, cpu.ArgMinBF16, b)
	args(t, "argmax i8", ArgMaxI8, ArgMaxI8To32, cpu.ArgMaxI8, ints[int8](-128, 128))
	args(t, "argmin i8", ArgMinI8, ArgMinI8To32, cpu.ArgMinI8, ints[int8](-128, 128))
	args(t, "argmax u8", ArgMaxU8, ArgMaxU8To32, cpu.ArgMaxU8, ints[uint8](0, 256))
	args(t, "argmin u8", ArgMinU8, ArgMinU8To32, cpu.ArgMinU8, ints[uint8](0, 256))
	args(t, "argmax i16", ArgMaxI16, ArgMaxI16To32, cpu.ArgMaxI16, ints[int16](-300, 300))
	args(t, "argmin i16", ArgMinI16, ArgMinI16To32, cpu.ArgMinI16, ints[int16](-300, 300))
	args(t, "argmax u16", ArgMaxU16, ArgMaxU16To32, cpu.ArgMaxU16, ints[uint16](0, 300))
	args(t, "argmin u16", ArgMinU16, ArgMinU16To32, cpu.ArgMinU16, ints[uint16](0, 300))
	args(t, "argmax i32", ArgMaxI32, ArgMaxI32To32, cpu.ArgMaxI32, ints[int32](-1<<31, 1<<31))
	args(t, "argmin i32", ArgMinI32, ArgMinI32To32, cpu.ArgMinI32, ints[int32](-1<<31, 1<<31))
	args(t, "argmax u32", ArgMaxU32, ArgMaxU32To32, cpu.ArgMaxU32, ints[uint32](0, 1<<32))
	args(t, "argmin u32", ArgMinU32, ArgMinU32To32, cpu.ArgMinU32, ints[uint32](0, 1<<32))
	args(t, "argmax i64", ArgMaxI64, ArgMaxI64To32, cpu.ArgMaxI64, ints[int64](-1<<61, 1<<61))
	args(t, "argmin i64", ArgMinI64, ArgMinI64To32, cpu.ArgMinI64, ints[int64](-1<<61, 1<<61))
	args(t, "argmax u64", ArgMaxU64, ArgMaxU64To32, cpu.ArgMaxU64, ints[uint64](0, 1<<61))
	args(t, "argmin u64", ArgMinU64, ArgMinU64To32, cpu.ArgMinU64, ints[uint64](0, 1<<61))
	bools := func(of bool) func(seed uint64, n int) []bool {
		return func(seed uint64, n int) []bool {
			s := make([]bool, n)
			for i, v := range gputest.Ints[int32](seed, n, 0, 20) {
				s[i] = (v == 0 && seed%3 > 0) == of
			}
			return s
		}
	}
	args(t, "argmax bool", ArgMaxBool, ArgMaxBoolTo32, cpu.ArgMaxBool, bools(true))
	args(t, "argmin bool", ArgMinBool, ArgMinBoolTo32, cpu.ArgMinBool, bools(false))
}
