package order

import "github.com/graphc/graphc/rt/mem"

// topKUnsorted selects elements, and returns them in the same order as TensorFlow's kernel. This is
// the order in a binary heap, so topKUnsorted must change the heap exactly as TensorFlow does. The
// root of the heap is the element that comes last of the selected ones. The heap is built from the
// first K+1 elements of the row, and then its root is removed. After that, each element of the row
// that comes before the root replaces the root: the root is removed, and the new element is
// appended to the heap and moves up. To remove the root, children move up along a path to the
// bottom of the heap. Then the last element of the heap is put at the end of this path and moves up
// from there.
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

// choose selects the K elements of a row that come before all other elements in the order that the
// function ahead defines. It stores their indices in heap. This slice has K+1 elements; the last
// one is only used during the selection. The function next returns the first index, from i on, at
// which an element must be checked.
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

// drop moves the root of the heap to the end of the slice, and makes a heap of the elements before
// it.
func drop[I any](heap []I, ahead func(a, b I) bool) {
	n := len(heap) - 1
	v := heap[n]
	heap[n] = heap[0]
	vacate(heap[:n], 0, v, ahead)
}

// vacate replaces the element at place i of the heap by v. It moves a child to place i, then a
// child of this child to the place that has become free, and so on to the bottom of the heap. Then
// it puts v at the free place at the bottom and moves it up, at most to place i.
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

// rise puts v at place i of the heap, and moves it up as far as the order requires, but not above
// place top.
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
