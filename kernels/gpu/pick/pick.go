// Package pick chooses elements on a GPU whose number only the data tells: those that are
// flagged, those that are the first of their kind, boxes that do not overlap.
package pick

import "github.com/graphc/graphc/rt/device"

// most is how many chunks flags are taken in at most.
const most = 1024

// CountsLen is the length of counts: uint64s, of which the first is the number of flags set.
const CountsLen = 1 + most

// chunks are how many flags make a chunk, and how many chunks there are.
func chunks(n int) (size, blocks int) {
	size = ((n+most-1)/most + 255) / 256 * 256
	return size, (n + size - 1) / size
}

// Count sets counts[CountsLen], of uint64, to how many of n bytes are not 0, and to what
// Places needs.
func Count(q *device.Queue, counts, flags device.Ptr, n int) {
	if n == 0 {
		q.Fill(counts, 8, 0)
		return
	}
	size, blocks := chunks(n)
	q.Launch(&flagged, device.Line(blocks), device.Line(256), 0, uint64(counts), uint64(flags), uint64(n), uint64(size))
	q.Launch(&starts, device.Line(1), device.Line(most), 0, uint64(counts), uint64(blocks))
}

// Flagged describes N flags of which the places are asked for.
type Flagged struct {
	N int
	// Ranks ([N], of uint32) is where Places stores at each place of a flag that is set how many
	// are before it; 0: nowhere.
	Ranks device.Ptr
}

// Places sets places, int64s, to the places of the N bytes that are not 0, in order, and Ranks.
// counts are Count's.
func Places(q *device.Queue, places, flags, counts device.Ptr, p Flagged) {
	if p.N == 0 {
		return
	}
	size, blocks := chunks(p.N)
	q.Launch(&placed, device.Line(blocks), device.Line(256), 0, uint64(places), uint64(p.Ranks), uint64(flags), uint64(counts), uint64(p.N), uint64(size))
}

// TableLen is a length, for n keys, of the table that Firsts takes, in uint32s.
func TableLen(n int) int {
	m := 1
	for m < 2*n {
		m *= 2
	}
	return m
}

// Firsts sets first, n uint32s, to the place of the first of n keys, uint64s, that equals
// each, and flags to 1 where that is the key itself, else 0. With alone, keys with all bits
// set equal none. table has 4·n uint32s, of which TableLen(n) are used.
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

// Boxes describes a choice among N boxes of Most at most, written to Room places.
type Boxes struct {
	N, Most, Room int
	// Least is a float32 that scores must be above; 0: the lowest finite number.
	Least device.Ptr
}

// Suppress sets sel[Room], of int32, to the numbers of chosen boxes and 0 behind them, and
// count to how many they are. boxes is [N,4] of float32, any two opposite corners each;
// scores, float32, fall, NaN in front, and order, int32, has the boxes' numbers by them.
// A box is chosen where its score is above Least and no chosen one's intersection with it over
// their union is above limit, a float32 on the device. gone is scratch of N bytes.
func Suppress(q *device.Queue, sel, count, boxes, scores, order, limit, gone device.Ptr, p Boxes) {
	q.Launch(&suppressed, device.Line(1), device.Line(1024), 0, uint64(sel), uint64(count), uint64(boxes), uint64(scores), uint64(order), uint64(limit),
		uint64(p.Least), uint64(gone), uint64(p.N), uint64(min(p.Most, p.N)), uint64(p.Room))
}
