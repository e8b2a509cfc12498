package reduce

import "github.com/graphc/graphc/rt/device"

// find launches a search for the positions of extremes. A position is an integer of size bytes.
func find(q *device.Queue, k *device.Kernel, dst, src device.Ptr, d Dims, size int) {
	searches := d.Outer * d.Inner
	if searches == 0 {
		return
	}
	block := device.Dim{X: 1, Y: 256, Z: 1}
	switch {
	case d.N > 4096 && searches < 64*q.Processors():
		block = device.Dim{X: 512, Y: 1, Z: 1}
	case d.Inner == 1 && d.N > 8 || searches < 256*q.Processors() && d.N > 64:
		block = device.Dim{X: 32, Y: 8, Z: 1}
	}
	q.Launch(k, device.Line((searches+block.Y-1)/block.Y), block, 0,
		uint64(dst), uint64(src), uint64(searches), uint64(d.N), uint64(d.Inner), uint64(size))
}
