package reduce

import "github.com/graphc/graphc/rt/device"

// Scan describes a running sum along the middle axis of [Outer, N, Inner].
type Scan struct {
	Outer, N, Inner int
	Exclusive       bool // whether result i is the sum of the elements before i only, without element i
	Reverse         bool // from the end
}

func scan(q *device.Queue, k *device.Kernel, dst, src device.Ptr, p Scan) {
	flag := func(on bool) uint64 {
		if on {
			return 1
		}
		return 0
	}
	if p.N == 0 {
		return
	}
	q.Launch(k, device.Line(p.Outer*p.Inner), device.Line(256), 0, uint64(dst), uint64(src), uint64(p.N), uint64(p.Inner), flag(p.Exclusive), flag(p.Reverse))
}
