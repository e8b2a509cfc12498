// Package random computes TensorFlow's random number streams on a GPU: Philox 4x32-10 (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3", 2011). The numbers equal those of kernels/random, up
// to the rounding of logarithms, sines and cosines.
//
// A stream is three words of 64 bits on the device: the key, and the counter's lower and upper half.
// They are copied from the host, computed by Seed32 or Seed64, or set by KeyCounter.
package random

import "github.com/graphc/graphc/rt/device"

// KeyCounter sets a stream to a key of one word and a counter of two.
func KeyCounter(q *device.Queue, stream, key, counter device.Ptr) {
	q.Move(stream, key, 8)
	q.Move(stream+8, counter, 16)
}

// draw launches the kernel k, which computes n random numbers in groups. All numbers of a group are
// computed by the same thread. The parameter group is the size of a group.
func draw(q *device.Queue, k *device.Kernel, n, group int, args ...uint64) {
	q.Launch(k, device.Line(device.Blocks((n+group-1)/group, 128, 16*q.Processors())), device.Line(128), 0, append(args, uint64(n))...)
}
