// Package mem manages the memory of runs: where buffers are placed, and how much memory a run may
// use.
//
// Pack places buffers in one block of memory. Buffers whose lifetimes do not overlap share bytes.
// If all sizes are known at compile time, the compiler calls Pack. If sizes depend on the feeds,
// the emitted program calls it.
//
// A Budget bounds the memory that a run uses beyond these buffers; all steps of the run share it.
// It holds how many bytes the run may still use, and whether the run was ended early. A kernel
// whose first parameter is a *Budget gets the budget of its run. Before such a kernel allocates
// memory whose size depends on the feeds, it counts this memory in the budget. At least every few
// milliseconds of work, it also checks whether the run was ended. A nil *Budget has no limit, and
// its run never ends early.
package mem

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Align is the alignment of every buffer in bytes: the size of a cache line and of the widest
// vector register.
const Align = 64

// Raise is the last part of the text of errors about the limit of a run. It says how to raise the
// limit.
const Raise = "; rt.WithMaxBytes, or the flag max-bytes, raises it"

// Life is the lifetime of a buffer: the first and the last step that uses it.
//
// The fields Tasks and Lane are not zero if all uses of the buffer are in tasks of one graph that
// never run at the same time. Tasks then identifies the graph: it is the number of the step that runs
// the graph. Lane is the number of the set of tasks that use the buffer. Both count from 1. Tasks of
// different lanes may run at the same time.
type Life struct{ First, Last, Tasks, Lane int32 }

// Meets reports whether buffers with the lifetimes l and m may be in use at the same time.
func (l Life) Meets(m Life) bool {
	if l.Tasks != 0 && l.Tasks == m.Tasks && l.Lane != m.Lane {
		return true
	}
	return l.First <= m.Last && m.First <= l.Last
}

// Pack computes an offset for each buffer and returns the size of the whole block in bytes.
// Offsets are multiples of Align. Empty buffers have offset 0.
//
// Pack places the buffers one by one, each in the smallest sufficient gap between the buffers
// already placed whose lifetimes overlap its own. It does so once from the largest buffer to the
// smallest and once in order of first use, and chooses the smaller result.
//
// The error is InvalidArgument, with the buffer's number, for a negative size, and
// ResourceExhausted for a block of more than limit bytes.
func Pack(sizes []int, lives []Life, offs []int, limit int) (int, error) {
	for i, n := range sizes {
		if n < 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "the fed shapes make the size of buffer %d negative", i)
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

// place places the buffers in order and returns the end of the highest one.
func place(order, sizes []int, lives []Life, offs []int) int {
	placed := make([]int, 0, len(order)) // sorted by offset
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

// round returns n rounded up to a multiple of Align, or the largest multiple if this would
// overflow.
func round(n int) int {
	if n > math.MaxInt-Align {
		return math.MaxInt &^ (Align - 1)
	}
	return (n + Align - 1) &^ (Align - 1)
}

// add returns a + b, at most MaxInt.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
