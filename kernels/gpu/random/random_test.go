package random

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	cpu "github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/mem"
)

var sizes = []int{0, 1, 3, 4, 7, 501, 5000}

// stream has a counter whose lower half is about to overflow into the upper half.
var stream = []uint64{0x123456789abcdef0, 1<<64 - 60, 7}

func draws[T any](t *testing.T, f func(q *device.Queue, out, stream device.Ptr, n int), n int) []T {
	r := gputest.New(t)
	out, s := gputest.Room[T](r, n), gputest.Put(r, stream)
	r.Do(func(q *device.Queue) { f(q, out, s, n) })
	return gputest.Get[T](r, out, n)
}

type drawing = func(q *device.Queue, out, stream device.Ptr, n int)

func floats[T float32 | float64](t *testing.T, name string, f drawing, c func(out []T, stream []uint64), tol float64) {
	for _, n := range sizes {
		want := make([]T, n)
		c(want, stream)
		gputest.Close(t, fmt.Sprint(name, n), draws[T](t, f, n), want, tol, 1)
	}
}

func halves[T interface{ Float32() float32 }](t *testing.T, name string, f drawing, c func(out []T, stream []uint64), tol float64) {
	for _, n := range sizes {
		want := make([]T, n)
		c(want, stream)
		gputest.Close(t, fmt.Sprint(name, n), gputest.Wide(draws[T](t, f, n)), gputest.Wide(want), tol, 1e-3)
	}
}

func TestFloats(t *testing.T) {
	floats(t, "uniform f32", UniformF32, cpu.UniformF32, 0)
	floats(t, "uniform f64", UniformF64, cpu.UniformF64, 0)
	halves(t, "uniform f16", UniformF16, cpu.UniformF16, 0)
	halves(t, "uniform bf16", UniformBF16, cpu.UniformBF16, 0)
	floats(t, "normal f32", NormalF32, unlimited(cpu.NormalF32), 1e-6)
	floats(t, "normal f64", NormalF64, unlimited(cpu.NormalF64), 1e-15)
	halves(t, "normal f16", NormalF16, unlimited(cpu.NormalF16), 0x1p-10)
	halves(t, "normal bf16", NormalBF16, unlimited(cpu.NormalBF16), 0x1p-7)
	floats(t, "truncated f32", TruncatedF32, unlimited(cpu.TruncatedF32), 1e-6)
	floats(t, "truncated f64", TruncatedF64, unlimited(cpu.TruncatedF64), 1e-15)
	halves(t, "truncated f16", TruncatedF16, unlimited(cpu.TruncatedF16), 0x1p-10)
	halves(t, "truncated bf16", TruncatedBF16, unlimited(cpu.TruncatedBF16), 0x1p-7)
}

func TestInts(t *testing.T) {
	for _, n := range sizes {
		small, large := make([]int32, n), make([]uint64, n)
		if err := cpu.UniformI32(small, []int32{-5}, []int32{1000}, stream); err != nil {
			t.Fatal(err)
		}
		if err := cpu.UniformU64(large, []uint64{3}, []uint64{1 << 40}, stream); err != nil {
			t.Fatal(err)
		}
		r := gputest.New(t)
		a, b, s := gputest.Room[int32](r, n), gputest.Room[uint64](r, n), gputest.Put(r, stream)
		l32, h32, l64, h64 := gputest.Put(r, []int32{-5}), gputest.Put(r, []int32{1000}), gputest.Put(r, []uint64{3}), gputest.Put(r, []uint64{1 << 40})
		r.Do(func(q *device.Queue) { Ints32(q, a, s, l32, h32, n); Ints64(q, b, s, l64, h64, n) })
		gputest.Same(t, "i32", gputest.Get[int32](r, a, n), small)
		gputest.Same(t, "u64", gputest.Get[uint64](r, b, n), large)
		cpu.FullI32(small, stream)
		cpu.FullU64(large, stream)
		gputest.Same(t, "all i32", draws[int32](t, Full32, n), small)
		gputest.Same(t, "all u64", draws[uint64](t, Full64, n), large)
	}
}

func TestStreams(t *testing.T) {
	r := gputest.New(t)
	a, b, c := gputest.Room[uint64](r, 3), gputest.Room[uint64](r, 3), gputest.Room[uint64](r, 3)
	s32, s64 := gputest.Put(r, []int32{-7, 9}), gputest.Put(r, []int64{1 << 40, -3})
	key, counter := gputest.Put(r, []uint64{5}), gputest.Put(r, []uint64{6, 7})
	r.Do(func(q *device.Queue) { Seed32(q, a, s32); Seed64(q, b, s64); KeyCounter(q, c, key, counter) })
	want := make([]uint64, cpu.StreamLen)
	cpu.SeedI32(want, []int32{-7, 9})
	gputest.Same(t, "seed of 32 bits", gputest.Get[uint64](r, a, 3), want)
	cpu.SeedI64(want, []int64{1 << 40, -3})
	gputest.Same(t, "seed of 64 bits", gputest.Get[uint64](r, b, 3), want)
	gputest.Same(t, "key and counter", gputest.Get[uint64](r, c, 3), []uint64{5, 6, 7})
}

// unlimited returns a function that calls f with a nil budget, which limits nothing.
func unlimited[T any](f func(run *mem.Budget, out []T, stream []uint64)) func(out []T, stream []uint64) {
	return func(out []T, stream []uint64) { f(nil, out, stream) }
}
