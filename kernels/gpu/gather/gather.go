// Package gather reads and writes slices of a tensor at given indices, on a GPU. Indices out of range
// cause no errors: such reads return 0, and such writes are skipped.
package gather

import "github.com/graphc/graphc/rt/device"

// Params are the sizes of a gather: params[Batch, Outer, Limit, Inner], indices[Batch, N],
// result[Batch, Outer, N, Inner].
type Params struct {
	Batch, Outer, Limit, N, Inner int
}

// gather copies slices in units of up to 16 bytes, as wide as the size of a slice and the alignment
// of the addresses allow.
func gather(q *device.Queue, dst, params, indices device.Ptr, p Params, size, index int) {
	size, p.Inner = widen(size, p.Inner, dst|params)
	n := p.Batch * p.Outer * p.N * p.Inner
	var k *device.Kernel
	switch size {
	case 1:
		k = &gatherB1
	case 2:
		k = &gatherB2
	case 4:
		k = &gatherB4
	case 8:
		k = &gatherB8
	default:
		k = &gatherB16
	}
	each(q, k, n, uint64(dst), uint64(params), uint64(indices), uint64(n), uint64(p.Outer), uint64(p.Limit), uint64(p.N), uint64(p.Inner), uint64(index))
}

// NdParams describes N slices of Inner elements, read from a tensor whose first Depth dimensions, at
// most 7, are D0, D1, … The indices of the slices are [N, Depth].
type NdParams struct {
	N, Inner, Depth            int
	D0, D1, D2, D3, D4, D5, D6 int
}

// gatherNd copies slices like gather, but each slice is selected by several indices, one for each
// of the first dimensions.
func gatherNd(q *device.Queue, dst, params, indices device.Ptr, p NdParams, size, index int) {
	size, p.Inner = widen(size, p.Inner, dst|params)
	var k *device.Kernel
	switch size {
	case 1:
		k = &gatherNdB1
	case 2:
		k = &gatherNdB2
	case 4:
		k = &gatherNdB4
	case 8:
		k = &gatherNdB8
	default:
		k = &gatherNdB16
	}
	each(q, k, p.N*p.Inner, uint64(dst), uint64(params), uint64(indices), uint64(p.N), uint64(p.Inner), uint64(index), uint64(p.Depth),
		uint64(p.D0), uint64(p.D1), uint64(p.D2), uint64(p.D3), uint64(p.D4), uint64(p.D5), uint64(p.D6))
}

// widen returns the size in bytes and the number of wider elements that cover a slice of inner
// elements. It doubles the element size up to 16 bytes, while the size of the slice and the
// addresses are multiples of the doubled size. The parameter addresses is the bitwise or of all
// addresses.
func widen(size, inner int, addresses device.Ptr) (wide, fewer int) {
	for size < 16 && inner%2 == 0 && inner > 0 && addresses%device.Ptr(2*size) == 0 {
		size, inner = 2*size, inner/2
	}
	return size, inner
}

// each(q, k, n, args...) launches the kernel k with blocks of 256 threads that loop over n elements.
func each(q *device.Queue, k *device.Kernel, n int, args ...uint64) {
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}
