// Package random holds TensorFlow's random number streams on a GPU: Philox 4x32-10 (Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3", 2011), with the numbers that
// kernels/random gives, up to the rounding of logarithms, sines and cosines.
//
// A stream is three words of 64 bits on the device: the key, and the counter's lower and upper
// half. They come from the host, from Seed32 or Seed64, or from a key and a counter.
package random

import "github.com/graphc/graphc/rt/device"

// Seed32 sets a stream to that of a stateless op's seed, two int32.
func Seed32(q *device.Queue, stream, seed device.Ptr) {
	q.Launch(&scramble, device.Line(1), device.Line(1), 0, uint64(stream), uint64(seed), 4)
}

// Seed64 is Seed32 for int64.
func Seed64(q *device.Queue, stream, seed device.Ptr) {
	q.Launch(&scramble, device.Line(1), device.Line(1), 0, uint64(stream), uint64(seed), 8)
}

// KeyCounter sets a stream to a key of one word and a counter of two.
func KeyCounter(q *device.Queue, stream, key, counter device.Ptr) {
	q.Move(stream, key, 8)
	q.Move(stream+8, counter, 16)
}

// draw launches a thread for each group of numbers.
func draw(q *device.Queue, k *device.Kernel, n, group int, args ...uint64) {
	q.Launch(k, device.Line(device.Blocks((n+group-1)/group, 128, 16*q.Processors())), device.Line(128), 0, append(args, uint64(n))...)
}

// UniformF32 fills out with n numbers in [0, 1).
func UniformF32(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &uniformF32, n, 4, uint64(out), uint64(stream))
}

// UniformF64 is UniformF32 for float64.
func UniformF64(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &uniformF64, n, 2, uint64(out), uint64(stream))
}

// UniformF16 is UniformF32 for binary16.
func UniformF16(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &uniformF16, n, 4, uint64(out), uint64(stream))
}

// UniformBF16 is UniformF32 for bfloat16.
func UniformBF16(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &uniformBF16, n, 4, uint64(out), uint64(stream))
}

// NormalF32 fills out with n numbers of the standard normal distribution.
func NormalF32(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &normalF32, n, 4, uint64(out), uint64(stream))
}

// NormalF64 is NormalF32 for float64.
func NormalF64(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &normalF64, n, 2, uint64(out), uint64(stream))
}

// NormalF16 is NormalF32 for binary16.
func NormalF16(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &normalF16, n, 4, uint64(out), uint64(stream))
}

// NormalBF16 is NormalF32 for bfloat16.
func NormalBF16(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &normalBF16, n, 4, uint64(out), uint64(stream))
}

// TruncatedF32 fills out with n numbers of the standard normal distribution that lie within
// (-2, 2); others are drawn again.
func TruncatedF32(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &truncatedF32, n, 4, uint64(out), uint64(stream))
}

// TruncatedF64 is TruncatedF32 for float64.
func TruncatedF64(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &truncatedF64, n, 2, uint64(out), uint64(stream))
}

// TruncatedF16 is TruncatedF32 for binary16.
func TruncatedF16(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &truncatedF16, n, 4, uint64(out), uint64(stream))
}

// TruncatedBF16 is TruncatedF32 for bfloat16.
func TruncatedBF16(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &truncatedBF16, n, 4, uint64(out), uint64(stream))
}

// Ints32 fills out with n integers of 32 bits in [*low, *high), signed or not, the remainders of
// 32 bits; one range on the device for all. A range of nothing counts as that of all integers.
func Ints32(q *device.Queue, out, stream, low, high device.Ptr, n int) {
	draw(q, &intsU32, n, 4, uint64(out), uint64(stream), uint64(low), uint64(high))
}

// Full32 fills out with n integers of 32 bits of all values.
func Full32(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &intsU32, n, 4, uint64(out), uint64(stream), 0, 0)
}

// Ints64 fills out with n integers of 64 bits in [*low, *high), signed or not, the remainders of
// 64 bits; one range on the device for all. A range of nothing counts as that of all integers.
func Ints64(q *device.Queue, out, stream, low, high device.Ptr, n int) {
	draw(q, &intsU64, n, 2, uint64(out), uint64(stream), uint64(low), uint64(high))
}

// Full64 fills out with n integers of 64 bits of all values.
func Full64(q *device.Queue, out, stream device.Ptr, n int) {
	draw(q, &intsU64, n, 2, uint64(out), uint64(stream), 0, 0)
}
