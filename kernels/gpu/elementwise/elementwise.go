// Package elementwise launches kernels that do one thing for each item, as graphc
// prints them for a program: see plan/ptx.
package elementwise

import "github.com/graphc/graphc/rt/device"

// threads is the size of a block.
const threads = 256

// rounds is how many blocks a multiprocessor is given at most: as many as it holds,
// each of whose threads loops over items.
const rounds = 8

// Map launches k for ints[0] items. ptrs are the outputs and then the inputs, ints the
// number of items and what else k takes, in the order of its parameters. Nothing is
// launched for no items. Outputs may be the memory of inputs that k reads item by item.
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
