package random

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// double returns a number in [0, 1) with 52 random bits from two words.
func double(x0, x1 uint32) float64 {
	return math.Float64frombits(1023<<52|uint64(x0&0xfffff)<<32|uint64(x1)) - 1
}

// float returns a number in [0, 1) with 23 random bits, the lower bits of x.
func float(x uint32) float32 { return math.Float32frombits(127<<23|x&0x7fffff) - 1 }

// four(out, stream, f) fills the slice out with results of the function f. It calls f with one random
// word for each element, so each block of the stream gives four elements.
func four[T any](out []T, stream []uint64, f func(uint32) T) {
	g := open(stream)
	for len(out) > 0 {
		for i, v := range g.next() {
			if i < len(out) {
				out[i] = f(v)
			}
		}
		out = out[min(4, len(out)):]
	}
}

// two(out, stream, f) fills the slice out with results of the function f. It calls f with two random
// words for each element, so each block of the stream gives two elements.
func two[T any](out []T, stream []uint64, f func(a, b uint32) T) {
	g := open(stream)
	for len(out) > 0 {
		v := g.next()
		out[0] = f(v[0], v[1])
		if len(out) > 1 {
			out[1] = f(v[2], v[3])
		}
		out = out[min(2, len(out)):]
	}
}

// UniformF32 stores uniform random numbers in [0, 1) in the slice out.
func UniformF32(out []float32, stream []uint64) { four(out, stream, float) }

// UniformF64 is UniformF32 for f64, with 52 random bits in each number.
func UniformF64(out []float64, stream []uint64) { two(out, stream, double) }

func halfUniform(x uint32) tensor.F16 {
	return tensor.ToF16(tensor.F16(15<<10|x&0x3ff).Float32() - 1)
}

func brainUniform(x uint32) tensor.BF16 {
	return tensor.ToBF16(tensor.BF16(127<<7|x&0x7f).Float32() - 1)
}

// UniformF16 is UniformF32 for f16, with 10 random bits in each number.
func UniformF16(out []tensor.F16, stream []uint64) {
	four(out, stream, halfUniform)
}

// UniformBF16 is UniformF32 for bf16, with 7 random bits in each number.
func UniformBF16(out []tensor.BF16, stream []uint64) {
	four(out, stream, brainUniform)
}

func badRange(lo, hi any) error {
	return tensor.Errorf(tensor.InvalidArgument, "need minval < maxval, got %v and %v", lo, hi)
}

// RangeI32 checks that n numbers can be drawn from [lo[0], hi[0]). It returns InvalidArgument if n
// is positive and this range is empty.
func RangeI32(lo, hi []int32, n int) error {
	if n > 0 && lo[0] >= hi[0] {
		return badRange(lo[0], hi[0])
	}
	return nil
}

// RangeI64 is RangeI32 for i64.
func RangeI64(lo, hi []int64, n int) error {
	if n > 0 && lo[0] >= hi[0] {
		return badRange(lo[0], hi[0])
	}
	return nil
}

// UniformI32 stores random integers in [lo[0], hi[0]) in the slice out. Each integer is lo[0] + x
// mod (hi[0]-lo[0]), where x is a random word of 32 bits. It returns InvalidArgument if the range
// is empty, unless len(out) is 0.
func UniformI32(out, lo, hi []int32, stream []uint64) error {
	if err := RangeI32(lo, hi, len(out)); err != nil {
		return err
	}
	n := uint32(hi[0]) - uint32(lo[0])
	four(out, stream, func(x uint32) int32 { return int32(uint32(lo[0]) + x%n) })
	return nil
}

// UniformI64 is UniformI32 for int64 numbers. Here x has 64 random bits.
func UniformI64(out, lo, hi []int64, stream []uint64) error {
	if err := RangeI64(lo, hi, len(out)); err != nil {
		return err
	}
	n := uint64(hi[0]) - uint64(lo[0])
	two(out, stream, func(a, b uint32) int64 { return int64(uint64(lo[0]) + (uint64(a)|uint64(b)<<32)%n) })
	return nil
}

// UniformU32 is UniformI32 for u32.
func UniformU32(out, lo, hi []uint32, stream []uint64) error {
	if len(out) > 0 && lo[0] >= hi[0] {
		return badRange(lo[0], hi[0])
	}
	n := hi[0] - lo[0]
	four(out, stream, func(x uint32) uint32 { return lo[0] + x%n })
	return nil
}

// UniformU64 is UniformI64 for u64.
func UniformU64(out, lo, hi []uint64, stream []uint64) error {
	if len(out) > 0 && lo[0] >= hi[0] {
		return badRange(lo[0], hi[0])
	}
	n := hi[0] - lo[0]
	two(out, stream, func(a, b uint32) uint64 { return lo[0] + (uint64(a)|uint64(b)<<32)%n })
	return nil
}

// FullI32 stores random integers from the whole range of int32 in the slice out.
func FullI32(out []int32, stream []uint64) {
	four(out, stream, func(x uint32) int32 { return int32(x) })
}

// FullU32 is FullI32 for u32.
func FullU32(out []uint32, stream []uint64) { four(out, stream, func(x uint32) uint32 { return x }) }

// FullI64 is FullI32 for i64.
func FullI64(out []int64, stream []uint64) {
	two(out, stream, func(a, b uint32) int64 { return int64(uint64(a) | uint64(b)<<32) })
}

// FullU64 is FullI32 for u64.
func FullU64(out []uint64, stream []uint64) {
	two(out, stream, func(a, b uint32) uint64 { return uint64(a) | uint64(b)<<32 })
}
