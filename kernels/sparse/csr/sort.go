package csr

import (
	"math/bits"
	"slices"

	"github.com/graphc/graphc/rt/mem"
)

// sortBlock is how many numbers are sorted before the next check whether the run has ended.
const sortBlock = 1 << 15

// sortInts sorts numbers as slices.Sort does. It sorts blocks and merges them, so that sorting can
// stop between blocks when the run ends.
func sortInts(call *mem.Call, s []int32) {
	for block := range slices.Chunk(s, sortBlock) {
		call.Work(2 * len(block) * bits.Len(uint(len(block))))
		slices.Sort(block)
	}
	if len(s) <= sortBlock {
		return
	}
	mark := call.Mark()
	from, to := s, mem.Make[int32](call, len(s))
	for size := sortBlock; size < len(s); size *= 2 {
		for at := 0; at < len(s); at += 2 * size {
			mid, end := min(at+size, len(s)), min(at+2*size, len(s))
			mergeInts(call, to[at:end], from[at:mid], from[mid:end])
		}
		from, to = to, from
	}
	copy(s, from)
	call.Release(mark)
}

// mergeInts merges two sorted slices into dst, which overlaps neither.
func mergeInts(call *mem.Call, dst, a, b []int32) {
	for len(dst) > 0 {
		n := min(len(dst), sortBlock)
		call.Work(2 * n)
		for i := range n {
			if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
				dst[i], a = a[0], a[1:]
			} else {
				dst[i], b = b[0], b[1:]
			}
		}
		dst = dst[n:]
	}
}
