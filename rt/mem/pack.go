// Package mem is the memory of runs: where their buffers lie, and how much they may take.
//
// Pack places buffers in one block of memory so that buffers whose
// lifetimes do not meet share bytes. The compiler uses it where all sizes are
// known, an emitted program where they depend on what is fed.
//
// A Budget is what the steps of a run share beyond these buffers: how many bytes the run may still
// take, and whether it has been given up. A kernel whose first parameter is a *Budget is given that of the run that
// calls it. It takes what it allocates by sizes that are fed, before it allocates, and looks whether
// the run goes on at least as often as its work takes some milliseconds. A nil *Budget has
// no limit and no end.
package mem

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Align is the alignment of every buffer in bytes: a cache line, and the widest
// vector register.
const Align = 64

// Raise ends the errors of a run that takes more than its limit.
const Raise = "; rt.WithMaxBytes, or the flag max-bytes, raises it"

// Life is the first and the last step that uses a buffer. Where only steps of tasks
// use it that are never done at the same time, Tasks is the number of these tasks'
// step, from 1 on, and Lane what they have in common, from 1 on.
type Life struct{ First, Last, Tasks, Lane int32 }

// Meets reports that the two may be in use at the same time.
func (l Life) Meets(m Life) bool {
	if l.Tasks != 0 && l.Tasks == m.Tasks && l.Lane != m.Lane {
		return true
	}
	return l.First <= m.Last && m.First <= l.Last
}

// Pack computes an offset for each buffer and the bytes of the whole block.
// Offsets are multiples of Align. Buffers of no bytes are at 0.
//
// Buffers are placed one after the other in the smallest gap between those
// already placed that live at the same time; once from the largest down and
// once in order of first use, and the smaller outcome is taken.
//
// A negative size is InvalidArgument with the buffer's number in the text, a
// block of more than limit bytes ResourceExhausted.
func Pack(sizes []int, lives []Life, offs []int, limit int) (int, error) {
	for i, n := range sizes {
		if n < 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "the sizes that are fed make buffer %d negative", i)
		}
		if n > limit {
			return 0, tensor.Errorf(tensor.ResourceExhausted, "a buffer of %d bytes is needed, the limit of a run is %d"+Raise, n, limit)
		}
	}
	order := make([]int, 0, len(sizes))
	for i, n := range sizes {
		offs[i] = 0
		if n > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(lives[a].First) - int(lives[b].First) })
	byTime := make([]int, len(offs))
	inTime := place(order, sizes, lives, byTime)
	slices.SortStableFunc(order, func(a, b int) int { return sizes[b] - sizes[a] })
	total := place(order, sizes, lives, offs)
	if inTime < total {
		copy(offs, byTime)
		total = inTime
	}
	if total > limit {
		return 0, tensor.Errorf(tensor.ResourceExhausted, "%d bytes of scratch are needed, the limit of a run is %d"+Raise, total, limit)
	}
	return total, nil
}

// place puts the buffers in order and returns the end of the highest.
func place(order, sizes []int, lives []Life, offs []int) int {
	placed := make([]int, 0, len(order)) // by offset
	total := 0
	for _, i := range order {
		size := round(sizes[i])
		best, gap, end := -1, math.MaxInt, 0
		for _, j := range placed {
			if !lives[i].Meets(lives[j]) {
				continue
			}
			if free := offs[j] - end; free >= size && free < gap {
				best, gap = end, free
			}
			end = max(end, add(offs[j], round(sizes[j])))
		}
		if best < 0 {
			best = end
		}
		offs[i] = best
		total = max(total, add(best, size))
		at, _ := slices.BinarySearchFunc(placed, best, func(j, off int) int { return offs[j] - off })
		placed = slices.Insert(placed, at, i)
	}
	return total
}

// round returns n rounded up to Align, at most the largest multiple.
func round(n int) int {
	if n > math.MaxInt-Align {
		return math.MaxInt &^ (Align - 1)
	}
	return (n + Align - 1) &^ (Align - 1)
}

// add is a + b, at most MaxInt.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
