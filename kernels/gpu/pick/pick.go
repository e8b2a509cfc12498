// Package pick selects elements on a GPU whose count depends on the data: flagged elements,
// the first of equal keys, boxes that do not overlap.
package pick

import "github.com/graphc/graphc/rt/device"

// most is the largest number of chunks into which flags are split.
const most = 1024

// CountsLen is the length of counts: uint64s, of which the first is the number of flags set.
const CountsLen = 1 + most

// chunks returns the number of flags in a chunk and the number of chunks.
func chunks(n int) (size, blocks int) {
	size = ((n+most-1)/most + 255) / 256 * 256
	return size, (n + size - 1) / size
}

// Count sets counts[0], of uint64, to how many of n bytes are not 0. The rest of
// counts[CountsLen] is for Places.
func Count(q *device.Queue, counts, flags device.Ptr, n int) {
	if n == 0 {
		q.Fill(counts, 8, 0)
		return
	}
	size, blocks := chunks(n)
	q.Launch(&flagged, device.Line(blocks), device.Line(256), 0, uint64(counts), uint64(flags), uint64(n), uint64(size))
	q.Launch(&starts, device.Line(1), device.Line(most), 0, uint64(counts), uint64(blocks))
}

// Flagged describes N flags for Places.
type Flagged struct {
	N int
	// Ranks ([N], of uint32) receives, at the position of each set flag, the number of set flags
	// before it. If the address is 0, this is not stored.
	Ranks device.Ptr
}

// Places sets places, int64s, to the positions of the N bytes that are not 0, in order, and
// sets Ranks. counts are Count's.
func Places(q *device.Queue, places, flags, counts device.Ptr, p Flagged) {
	if p.N == 0 {
		return
	}
	size, blocks := chunks(p.N)
	q.Launch(&placed, device.Line(blocks), device.Line(256), 0, uint64(places), uint64(p.Ranks), uint64(flags), uint64(counts), uint64(p.N), uint64(size))
}

// TableLen returns the length of Firsts' table for n keys, in uint32s.
func TableLen(n int) int {
	m := 1
	for m < 2*n {
		m *= 2
	}
	return m
}

// Firsts sets first[i], of n uint32s, to the position of the first of n keys, uint64s, that equals
// key i. flags[i] is 1 if this position is i itself, else 0. With alone, a key with all bits set
// equals no other key. table has 4·n uint32s, of which TableLen(n) are used.
func Firsts(q *device.Queue, flags, first, table, keys device.Ptr, alone bool, n int) {
	m := TableLen(n)
	if n == 0 {
		return
	}
	q.Fill(table, 4*m, 0xff)
	odd := uint64(0)
	if alone {
		odd = 1
	}
	grid, block := device.Line(device.Blocks(n, 256, 8*q.Processors())), device.Line(256)
	q.Launch(&found, grid, block, 0, uint64(table), uint64(first), uint64(keys), uint64(n), uint64(m-1), odd)
	q.Launch(&firsts, grid, block, 0, uint64(flags), uint64(first), uint64(table), uint64(n))
}

// Boxes describes a choice of at most Most among N boxes, written to Room elements.
type Boxes struct {
	N, Most, Room int
	// Least points to a float32 that scores must exceed; 0 means the lowest finite number.
	Least device.Ptr
}

// Suppress sets sel[Room], of int32, to the numbers of the chosen boxes followed by zeros, and
// count to how many are chosen. boxes is [N,4] of float32: two opposite corners of each.
// scores, float32, are sorted, NaN first, then falling; order, int32, has the boxes' numbers
// in that order. A box is chosen if its score is above Least, and if its intersection over
// union with each chosen box is at most limit, a float32 on the device. gone is scratch of N
// bytes.
func Suppress(q *device.Queue, sel, count, boxes, scores, order, limit, gone device.Ptr, p Boxes) {
	q.Launch(&suppressed, device.Line(1), device.Line(1024), 0, uint64(sel), uint64(count), uint64(boxes), uint64(scores), uint64(order), uint64(limit),
		uint64(p.Least), uint64(gone), uint64(p.N), uint64(min(p.Most, p.N)), uint64(p.Room))
}
