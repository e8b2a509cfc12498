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
// smallest and once in order of first use, and chooses the smaller result. If there are many buffers
// and the order of first use gives the smallest possible block, it does so only once.
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
	if len(order) > fewBuffers && inTime == needed(order, sizes, lives) {
		copy(offs, byTime)
		return within(inTime, limit)
	}
	slices.SortStableFunc(order, func(a, b int) int { return sizes[b] - sizes[a] })
	total := place(order, sizes, lives, offs)
	if inTime < total {
		copy(offs, byTime)
		total = inTime
	}
	return within(total, limit)
}

// within returns the size of a block, or an error if it is larger than limit.
func within(total, limit int) (int, error) {
	if total > limit {
		return 0, tensor.Errorf(tensor.ResourceExhausted, "%d bytes of scratch are needed, the limit of a run is %d"+Raise, total, limit)
	}
	return total, nil
}

// fewBuffers is the number of buffers up to which place compares each pair of them.
const fewBuffers = 256

// place places the buffers in order and returns the end of the highest one.
func place(order, sizes []int, lives []Life, offs []int) int {
	var t *times
	if len(order) > fewBuffers && !inTasks(order, lives) {
		t = newTimes(order, lives)
	}
	placed := make([]int, 0, len(order)) // sorted by offset
	var some []int
	total := 0
	for _, i := range order {
		size := round(sizes[i])
		near := placed
		if t != nil {
			if some = t.meeting(some[:0], lives[i]); len(some) < len(placed)/8 {
				slices.SortFunc(some, func(a, b int) int { return offs[a] - offs[b] })
				near = some
			}
			t.add(i, lives[i])
		}
		best, gap, end := -1, math.MaxInt, 0
		for _, j := range near {
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

// inTasks reports whether any of the buffers is used in tasks only.
func inTasks(order []int, lives []Life) bool {
	return slices.ContainsFunc(order, func(i int) bool { return lives[i].Tasks != 0 })
}

// needed returns the number of bytes that buffers in use at the same time need at least. The buffers
// are in the order of their first steps.
func needed(order, sizes []int, lives []Life) int {
	last := slices.Clone(order) // in the order of their last steps
	slices.SortFunc(last, func(a, b int) int { return int(lives[a].Last) - int(lives[b].Last) })
	most, now := 0, 0
	for _, i := range order {
		for lives[last[0]].Last < lives[i].First {
			now -= round(sizes[last[0]])
			last = last[1:]
		}
		now = add(now, round(sizes[i]))
		most = max(most, now)
	}
	return most
}

// times finds the buffers whose lifetimes meet a given lifetime. It is a segment tree over the
// steps: node 1 stands for all steps, and nodes 2n and 2n + 1 for the halves of node n. The leaf of
// step s is node leaves + s.
type times struct {
	leaves int
	first  [][]int // for each node, the buffers whose first step is below the node
	whole  [][]int // for each node, the buffers that live during all steps below it, but not below its parent
}

func newTimes(order []int, lives []Life) *times {
	t := &times{leaves: 1}
	for _, i := range order {
		for t.leaves <= int(lives[i].Last) {
			t.leaves *= 2
		}
	}
	t.first, t.whole = make([][]int, 2*t.leaves), make([][]int, 2*t.leaves)
	return t
}

// below calls f with the largest nodes that together stand for the steps from first to last.
func (t *times) below(first, last int, f func(node int)) {
	for lo, hi := t.leaves+first, t.leaves+last+1; lo < hi; lo, hi = lo/2, hi/2 {
		if lo%2 == 1 {
			f(lo)
			lo++
		}
		if hi%2 == 1 {
			hi--
			f(hi)
		}
	}
}

func (t *times) add(i int, l Life) {
	t.below(int(l.First), int(l.Last), func(n int) { t.whole[n] = append(t.whole[n], i) })
	for n := t.leaves + int(l.First); n > 0; n /= 2 {
		t.first[n] = append(t.first[n], i)
	}
}

// meeting appends the buffers whose lifetimes meet l: those that live during l's first step, and
// those whose first step is a later step of l.
func (t *times) meeting(to []int, l Life) []int {
	for n := t.leaves + int(l.First); n > 0; n /= 2 {
		to = append(to, t.whole[n]...)
	}
	t.below(int(l.First)+1, int(l.Last), func(n int) { to = append(to, t.first[n]...) })
	return to
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
