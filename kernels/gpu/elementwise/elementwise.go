// Package elementwise launches kernels that compute each item independently. graphc generates such
// kernels for each program: see plan/ptx.
package elementwise

import "github.com/graphc/graphc/rt/device"

// threads is the size of a block.
const threads = 256

// rounds is the largest number of blocks that are launched for each multiprocessor. A
// multiprocessor can run this many blocks at the same time. If there are more items than threads,
// each thread computes several items.
const rounds = 8

// Map launches the kernel k for ints[0] items. If there are no items, it launches nothing. ptrs
// holds the addresses of the outputs, followed by those of the inputs. The other elements of ints
// are further arguments, in the order of k's parameters. An output may share the memory of an input
// if k reads only item i of the input before it writes item i of the output.
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
