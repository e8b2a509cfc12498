// Package elementwise launches kernels that compute each item independently. graphc generates such
// kernels for each program: see plan/ptx.
package elementwise

import "github.com/graphc/graphc/rt/device"

// threads is the size of a block.
const threads = 256

// rounds is the largest number of blocks launched for each multiprocessor, which holds this many at
// once. If there are more items than threads, each thread computes several.
const rounds = 8

// Map launches k for ints[0] items, if there are any. ptrs are the outputs and then the inputs. ints
// are the number of items and k's other arguments, in the order of k's parameters. An output may
// share the memory of an input if k reads only item i of the input before it writes item i of the
// output.
func Map(q *device.Queue, k *device.Kernel, ptrs []device.Ptr, ints []int) {
	if len(ints) == 0 || ints[0] <= 0 {
		return
	}
	var room [32]uint64
	args := append(room[:0], uint64(ints[0]))
	for _, p := range ptrs {
		args = append(args, uint64(p))
	}
	for _, i := range ints[1:] {
		args = append(args, uint64(i))
	}
	q.Launch(k, device.Line(device.Blocks(ints[0], threads, rounds*q.Processors())), device.Line(threads), 0, args...)
}
