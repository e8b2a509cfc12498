package ctc

import "math/bits"

// topN keeps the entries with the highest scores of those that are pushed, at most limit entries.
// It is an unordered list until it is full, and then a heap with the lowest entry first. Equal
// entries are kept and ordered as by TensorFlow's TopN, which uses the algorithms of libstdc++.
type topN struct {
	e       []int32
	limit   int
	heap    bool
	bottom  bool // whether e[0] is the lowest entry
	greater func(a, b int32) bool
}

func (t *topN) reset() { t.e, t.heap, t.bottom = t.e[:0], false, false }

func (t *topN) push(v int32) {
	n := len(t.e)
	switch {
	case t.limit == 0:
	case t.heap:
		if t.greater(v, t.e[0]) {
			popHeap(t.e, t.greater)
			t.e[n-1] = v
			pushHeap(t.e, t.greater)
		}
	case n == t.limit:
		t.e = append(t.e, v)
		makeHeap(t.e, t.greater)
		popHeap(t.e, t.greater)
		t.e, t.heap = t.e[:n], true
	default:
		t.e = append(t.e, v)
		if t.bottom && !t.greater(v, t.e[0]) {
			t.e[0], t.e[n] = t.e[n], t.e[0]
		}
	}
}

// lowest returns the entry with the lowest score. t must not be empty.
func (t *topN) lowest() int32 {
	if !t.heap && !t.bottom {
		low := 0
		for i, v := range t.e {
			if t.greater(t.e[low], v) {
				low = i
			}
		}
		t.e[0], t.e[low] = t.e[low], t.e[0]
		t.bottom = true
	}
	return t.e[0]
}

// extract appends the entries in descending order to dst and empties t.
func (t *topN) extract(dst []int32) []int32 {
	n := len(dst)
	dst = append(dst, t.e...)
	if t.heap {
		sortHeap(dst[n:], t.greater)
	} else {
		introSort(dst[n:], t.greater)
	}
	t.reset()
	return dst
}

// The functions below use the algorithms of libstdc++. Where libstdc++ computes a < b, they call
// before(a, b).

// siftUp moves v up from the position hole, but not above the position top.
func siftUp(a []int32, hole, top int, v int32, before func(a, b int32) bool) {
	for parent := (hole - 1) / 2; hole > top && before(a[parent], v); parent = (hole - 1) / 2 {
		a[hole] = a[parent]
		hole = parent
	}
	a[hole] = v
}

// siftDown moves the hole to a leaf, then v up from there.
func siftDown(a []int32, hole int, v int32, before func(a, b int32) bool) {
	top, n, child := hole, len(a), hole
	for child < (n-1)/2 {
		child = 2 * (child + 1)
		if before(a[child], a[child-1]) {
			child--
		}
		a[hole] = a[child]
		hole = child
	}
	if n&1 == 0 && child == (n-2)/2 {
		child = 2 * (child + 1)
		a[hole] = a[child-1]
		hole = child - 1
	}
	siftUp(a, hole, top, v, before)
}

func makeHeap(a []int32, before func(a, b int32) bool) {
	for parent := (len(a) - 2) / 2; parent >= 0 && len(a) > 1; parent-- {
		siftDown(a, parent, a[parent], before)
	}
}

// pushHeap inserts the last element into the heap of the elements before it.
func pushHeap(a []int32, before func(a, b int32) bool) {
	siftUp(a, len(a)-1, 0, a[len(a)-1], before)
}

// popHeap moves the first element to the end and restores the heap of the others.
func popHeap(a []int32, before func(a, b int32) bool) {
	if n := len(a) - 1; n > 0 {
		v := a[n]
		a[n] = a[0]
		siftDown(a[:n], 0, v, before)
	}
}

func sortHeap(a []int32, before func(a, b int32) bool) {
	for n := len(a); n > 1; n-- {
		popHeap(a[:n], before)
	}
}

// Runs of at most fewElements elements are sorted by insertion.
const fewElements = 16

// introSort uses the algorithm of libstdc++'s std::sort, so that both put equal elements in the same
// order.
func introSort(a []int32, before func(a, b int32) bool) {
	if len(a) < 2 {
		return
	}
	quickSort(a, 2*(bits.Len(uint(len(a)))-1), before)
	for i := 1; i < min(len(a), fewElements); i++ {
		if v := a[i]; before(v, a[0]) {
			copy(a[1:i+1], a[:i])
			a[0] = v
		} else {
			insert(a, i, before)
		}
	}
	for i := fewElements; i < len(a); i++ {
		insert(a, i, before)
	}
}

// insert moves a[i] to the left, past the elements that it must precede.
func insert(a []int32, i int, before func(a, b int32) bool) {
	v := a[i]
	for ; i > 0 && before(v, a[i-1]); i-- {
		a[i] = a[i-1]
	}
	a[i] = v
}

func quickSort(a []int32, depth int, before func(a, b int32) bool) {
	for len(a) > fewElements {
		if depth == 0 {
			makeHeap(a, before)
			sortHeap(a, before)
			return
		}
		depth--
		medianToFront(a, 1, len(a)/2, len(a)-1, before)
		lo, hi := 1, len(a)
		for {
			for lo < len(a)-1 && before(a[lo], a[0]) {
				lo++
			}
			for hi--; hi > 0 && before(a[0], a[hi]); hi-- {
			}
			if lo >= hi {
				break
			}
			a[lo], a[hi] = a[hi], a[lo]
			lo++
		}
		quickSort(a[lo:], depth, before)
		a = a[:lo]
	}
}

func medianToFront(a []int32, x, y, z int, before func(a, b int32) bool) {
	m := z
	switch {
	case before(a[x], a[y]):
		if before(a[y], a[z]) {
			m = y
		} else if !before(a[x], a[z]) {
			m = x
		}
	case before(a[x], a[z]):
		m = x
	case !before(a[y], a[z]):
		m = y
	}
	a[0], a[m] = a[m], a[0]
}
