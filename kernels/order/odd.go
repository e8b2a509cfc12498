package order

import (
	"slices"

	"github.com/graphc/graphc/rt/mem"
)

// odd is topK for one row that contains NaNs. A NaN is neither larger nor smaller than any number, so
// TensorFlow's result depends on the order in which its algorithms compare elements. The function
// therefore follows these algorithms step by step: a heap if K < N (see topKUnsorted), and the
// introsort of the GNU C++ library if K = N. It allocates memory if K < N and K is above 63.
func odd[T any, I int16 | int32 | int64](call *mem.Call, values []T, places []I, row []T, sorted bool, before func(a, b T) bool, nan func(T) bool) {
	above := func(a, b T) bool { return before(a, b) && !nan(a) && !nan(b) }
	same := func(a, b T) bool { return !nan(a) && !nan(b) && !above(a, b) && !above(b, a) }
	k := len(places)
	if k == len(row) {
		for i := range places {
			places[i] = I(i)
		}
		s := sorter[I]{places, func(i, j I) bool {
			call.Work(oddWork)
			return above(row[i], row[j])
		}}
		s.sort()
		for lo, hi := 0, 1; lo < k; lo, hi = hi, hi+1 {
			for hi < k && same(row[places[lo]], row[places[hi]]) {
				hi++
			}
			slices.Sort(places[lo:hi])
		}
	} else {
		var few [64]I
		heap := few[:min(k+1, len(few))]
		if k >= len(few) {
			mark := call.Mark()
			defer call.Release(mark)
			heap = mem.Make[I](call, k+1)
		}
		ahead := func(i, j I) bool {
			a, b := row[i], row[j]
			return above(a, b) || !above(b, a) && i < j
		}
		choose(call, heap, row, ahead, func(i int) int { return i })
		for n := k; sorted && n > 1; n-- {
			call.Work(dropWork)
			drop(heap[:n], ahead)
		}
		copy(places, heap)
	}
	for i, at := range places {
		values[i] = row[at]
	}
}

// oddWork is the approximate work of a comparison, as counted for the run's budget.
const oddWork = 16

// sorter sorts a slice with the same comparisons, in the same order, as std::sort of libstdc++. If
// the results of comparisons contradict each other, as with NaN, the order of the comparisons
// determines the result. In this case, libstdc++ may access elements outside the slice, but sorter
// stops at the ends of the slice.
type sorter[I any] struct {
	v    []I
	less func(a, b I) bool
}

// runs is the largest length of a part of the slice that is sorted by insertion sort.
const runs = 16

func (s *sorter[I]) sort() {
	depth := 0
	for n := len(s.v); n > 1; n >>= 1 {
		depth += 2
	}
	s.divide(0, len(s.v), depth)
	for i := 1; i < len(s.v); i++ {
		if i < runs && s.less(s.v[i], s.v[0]) {
			x := s.v[i]
			copy(s.v[1:i+1], s.v[:i])
			s.v[0] = x
			continue
		}
		x, j := s.v[i], i
		for ; j > 0 && s.less(x, s.v[j-1]); j-- {
			s.v[j] = s.v[j-1]
		}
		s.v[j] = x
	}
}

// divide partitions the elements [lo, hi) again and again, as quicksort does. It leaves parts of at
// most `runs` elements unsorted. If the recursion exceeds the given depth, it sorts a part as a heap
// instead.
func (s *sorter[I]) divide(lo, hi, depth int) {
	for ; hi-lo > runs; depth-- {
		if depth == 0 {
			part := s.v[lo:hi]
			for i := (len(part) - 2) / 2; i >= 0; i-- {
				vacate(part, i, part[i], s.less)
			}
			for n := len(part); n > 1; n-- {
				drop(part[:n], s.less)
			}
			return
		}
		s.median(lo, lo+1, lo+(hi-lo)/2, hi-1)
		i, j := lo+1, hi
		for {
			for i < hi && s.less(s.v[i], s.v[lo]) {
				i++
			}
			for j--; j > lo && s.less(s.v[lo], s.v[j]); j-- {
			}
			if i >= j {
				break
			}
			s.v[i], s.v[j] = s.v[j], s.v[i]
			i++
		}
		s.divide(i, hi, depth-1)
		hi = i
	}
}

// median finds the median of the elements with the indices a, b and c, and exchanges it with the
// element at the index `to`.
func (s *sorter[I]) median(to, a, b, c int) {
	less := func(i, j int) bool { return s.less(s.v[i], s.v[j]) }
	at := b
	switch {
	case less(a, b):
		if !less(b, c) {
			if at = a; less(a, c) {
				at = c
			}
		}
	case less(a, c):
		at = a
	case less(b, c):
		at = c
	}
	s.v[to], s.v[at] = s.v[at], s.v[to]
}
