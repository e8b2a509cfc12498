package order

import "github.com/graphc/graphc/rt/mem"

// topKUnsorted leaves the selected elements in the order of the heap with which TensorFlow selects,
// since callers see that order. The heap is binary. Its root is the element that comes last in
// order. The heap is built from K+1 elements, and then the root is dropped. After that, each
// element that is ahead of the root replaces it: the root is dropped, and the new element becomes
// the last of the K elements and rises. To drop a root, children move up along a path to the
// bottom. Then the heap's last element goes to the end of that path and rises from there.
func topKUnsorted[T any, I int16 | int32 | int64](run *mem.Budget, values []T, places []I, x []T, scratch []I, p TopParams, before func(a, b T) bool, nan func(T) bool) {
	if p.K <= 1 || p.K >= p.N {
		topK(run, values, places, x, p, before, nan)
		return
	}
	call := run.Call()
	defer call.Free()
	heap := scratch[:p.K+1]
	for r := range p.Rows {
		row := x[r*p.N:][:p.N]
		ahead := func(i, j I) bool {
			a, b := row[i], row[j]
			return before(a, b) || !before(b, a) && i < j
		}
		choose(&call, heap, row, ahead, func(i int) int { return skip(row, i, int(heap[0])) })
		odds := false
		for i, at := range heap[:p.K] {
			places[r*p.K+i], values[r*p.K+i] = at, row[at]
			odds = odds || nan(row[at])
		}
		if odds {
			odd(&call, values[r*p.K:][:p.K], places[r*p.K:][:p.K], row, false, before, nan)
		}
	}
}

// choose selects into heap the K elements of a row that are ahead of all others. heap has K+1
// elements, of which the last is unused afterwards. next returns the first index from i on that may
// hold a better element.
func choose[T any, I int16 | int32 | int64](call *mem.Call, heap []I, row []T, ahead func(a, b I) bool, next func(i int) int) {
	last := len(heap) - 1
	for i := range heap {
		heap[i] = I(i)
	}
	for i := (len(heap) - 2) / 2; i >= 0; i-- {
		call.Work(dropWork)
		vacate(heap, i, heap[i], ahead)
	}
	drop(heap, ahead)
	for i := len(heap); i < len(row); {
		call.Work(scanned)
		i = next(i)
		for end := min(i+scanned, len(row)); i < end; i++ {
			if ahead(I(i), heap[0]) {
				call.Work(2 * dropWork)
				drop(heap[:last], ahead)
				rise(heap[:last], last-1, 0, I(i), ahead)
			}
		}
	}
}

// drop moves the root to the last place and makes the elements before it a heap again.
func drop[I any](heap []I, ahead func(a, b I) bool) {
	n := len(heap) - 1
	v := heap[n]
	heap[n] = heap[0]
	vacate(heap[:n], 0, v, ahead)
}

// vacate fills place i with a child, and the child's place in turn, down to the bottom of the heap.
// Then v rises from the free place at the bottom, at most to place i.
func vacate[I any](heap []I, i int, v I, ahead func(a, b I) bool) {
	top := i
	for 2*i+1 < len(heap) {
		k := 2*i + 2
		if k >= len(heap) || ahead(heap[k], heap[k-1]) {
			k--
		}
		heap[i] = heap[k]
		i = k
	}
	rise(heap, i, top, v, ahead)
}

// rise puts v at place i or at one of its ancestors, but not above place top.
func rise[I any](heap []I, i, top int, v I, ahead func(a, b I) bool) {
	for i > top {
		parent := (i - 1) / 2
		if !ahead(heap[parent], v) {
			break
		}
		heap[i] = heap[parent]
		i = parent
	}
	heap[i] = v
}
