package array

import (
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// mirrorGrad launches the kernel k, which computes the gradient of mirror padding. Before that, it
// merges neighbouring dimensions that are not padded. If more than five dimensions remain, it
// reports the error Unimplemented instead.
func mirrorGrad(q *device.Queue, k *device.Kernel, dst, src device.Ptr, dims, before, after []int, off int) {
	var sides [][3]int
	n, plain := 1, false
	for i, d := range dims {
		n *= d
		if before[i] == 0 && after[i] == 0 {
			if plain {
				sides[len(sides)-1][0] *= d
				continue
			}
			plain = true
		} else {
			plain = false
		}
		sides = append(sides, [3]int{d, before[i], after[i]})
	}
	if len(sides) > 5 {
		q.Fail(tensor.Errorf(tensor.Unimplemented, "mirror padding in more than 5 of %d dimensions", len(dims)))
		return
	}
	args := []uint64{uint64(dst), uint64(src), uint64(n), uint64(off)}
	for range 5 - len(sides) {
		args = append(args, 1, 0, 0)
	}
	for _, s := range sides {
		args = append(args, uint64(s[0]), uint64(s[1]), uint64(s[2]))
	}
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}
