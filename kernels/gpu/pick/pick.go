// Package pick selects elements on a GPU, in cases where the number of selected elements depends on
// the data. It selects elements whose flags are set, the first element of each group of equal keys,
// or boxes that do not overlap.
package pick

import "github.com/graphc/graphc/rt/device"

// most is the largest number of chunks into which flags are split.
const most = 1024

// CountsLen is the length of the array counts, which Count writes and Places reads. It consists of
// uint64 numbers in device memory. The first one is the number of flags that are set.
const CountsLen = 1 + most

// chunks returns the number of flags in a chunk and the number of chunks.
func chunks(n int) (size, blocks int) {
	size = ((n+most-1)/most + 255) / 256 * 256
	return size, (n + size - 1) / size
}

// Count sets counts[0] to the number of flags that are not 0. There are n flags of one byte each.
// counts is an array of CountsLen uint64 numbers. Its other elements are intermediate results for
// Places.
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
	// before it. If the address is 0, no ranks are stored.
	Ranks device.Ptr
}

// Places finds the flags that are not 0 among p.N flags. It stores their positions in ascending order
// in the array places, as int64 numbers. It also sets p.Ranks. A call of Count for the same flags must
// have filled the array counts before.
func Places(q *device.Queue, places, flags, counts device.Ptr, p Flagged) {
	if p.N == 0 {
		return
	}
	size, blocks := chunks(p.N)
	q.Launch(&placed, device.Line(blocks), device.Line(256), 0, uint64(places), uint64(p.Ranks), uint64(flags), uint64(counts), uint64(p.N), uint64(size))
}

// TableLen returns the number of uint32s in the hash table that Firsts needs for n keys.
func TableLen(n int) int {
	m := 1
	for m < 2*n {
		m *= 2
	}
	return m
}

// Firsts finds the first of equal keys among n uint64s. It sets first[i], a uint32, to the position
// of the first key that equals key i, and flags[i] to 1 if this position is i itself, else to 0. If
// alone is set, a key with all bits set equals no other key. table has 4·n uint32s, of which
// TableLen(n) are used.
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

// Boxes describes how Suppress chooses boxes. N is the number of boxes, Most is the largest number of
// boxes to choose, and Room is the length of the result sel.
type Boxes struct {
	N, Most, Room int
	// Least is the address of a float32 that a score must exceed. An address of 0 means the lowest
	// finite number.
	Least device.Ptr
}

// Suppress chooses boxes by non-maximum suppression. It sets sel[Room] to the indices of the chosen
// boxes, followed by zeros, and count to the number of chosen boxes. All of these are int32 numbers.
// boxes[N,4] holds two opposite corners of each box as float32 numbers. The scores are float32
// numbers and must be sorted: NaN first, then from high to low. The array order holds the indices of
// the boxes in this order, as int32 numbers.
//
// A box is chosen if its score is above p.Least, and if its intersection over union with each box
// chosen before it does not exceed a bound. The parameter limit is the address of this bound, a
// float32. gone is scratch of N bytes.
func Suppress(q *device.Queue, sel, count, boxes, scores, order, limit, gone device.Ptr, p Boxes) {
	q.Launch(&suppressed, device.Line(1), device.Line(1024), 0, uint64(sel), uint64(count), uint64(boxes), uint64(scores), uint64(order), uint64(limit),
		uint64(p.Least), uint64(gone), uint64(p.N), uint64(min(p.Most, p.N)), uint64(p.Room))
}
