// Package array copies and fills tensors on a GPU; a copy is described by the strides of source and
// destination. An op that transposes, slices, joins, tiles, broadcasts, reverses or pads calls one of
// the Copy functions, once or several times. Each Copy function serves all element types of one size.
// For example, Copy4 copies float32, int32 and uint32.
package array

import "github.com/graphc/graphc/rt/device"

// Strided describes the elements that a copy moves. For all indices i0 < N0, i1 < N1, … in Rank
// dimensions,
//
//	dst[DstAt + i0·D0 + i1·D1 + …] = src[SrcAt + i0·S0 + i1·S1 + …]
//
// Offsets and strides count elements. Strides may be negative. A stride of 0 in src repeats elements.
// No element of dst is written twice.
type Strided struct {
	Rank                           int // 0 … 8
	N0, N1, N2, N3, N4, N5, N6, N7 int
	D0, D1, D2, D3, D4, D5, D6, D7 int
	S0, S1, S2, S3, S4, S5, S6, S7 int
	DstAt, SrcAt                   int
}

// Fill1 sets n bytes to the lowest byte of value.
func Fill1(q *device.Queue, dst device.Ptr, n int, value uint64) { fill(q, &fillB1, dst, n, value, 0) }

// Fill2 sets n elements of two bytes to the lowest two bytes of value.
func Fill2(q *device.Queue, dst device.Ptr, n int, value uint64) { fill(q, &fillB2, dst, n, value, 0) }

// Fill4 sets n elements of four bytes to the lowest four bytes of value.
func Fill4(q *device.Queue, dst device.Ptr, n int, value uint64) { fill(q, &fillB4, dst, n, value, 0) }

// Fill8 sets n elements of eight bytes to value.
func Fill8(q *device.Queue, dst device.Ptr, n int, value uint64) { fill(q, &fillB8, dst, n, value, 0) }

// Fill16 sets n elements of sixteen bytes: the lower eight to value, the upper eight to high.
func Fill16(q *device.Queue, dst device.Ptr, n int, value, high uint64) {
	fill(q, &fillB16, dst, n, value, high)
}

func fill(q *device.Queue, k *device.Kernel, dst device.Ptr, n int, value, high uint64) {
	q.Launch(k, device.Line(device.Blocks(n, 256, 16*q.Processors())), device.Line(256), 0, uint64(dst), uint64(n), value, high)
}
