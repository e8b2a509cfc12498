// Package order holds the kernels that select the largest or the n-th element of rows, and those
// that search in sorted rows.
package order

import (
	"slices"

	"github.com/graphc/graphc/kernels/internal/vmath"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

type realNumber interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// before reports whether a precedes b: larger numbers come first, and NaN comes before all numbers.
func before[T realNumber](a, b T) bool { return a > b || a != a && b == b }

func beforeF16(a, b tensor.F16) bool { return before(a.Float32(), b.Float32()) }

func beforeBF16(a, b tensor.BF16) bool { return before(a.Float32(), b.Float32()) }

func nan[T realNumber](v T) bool { return v != v }

func nanF16(v tensor.F16) bool { return nan(v.Float32()) }

func nanBF16(v tensor.BF16) bool { return nan(v.Float32()) }

// TopParams describes rows of N elements of which K are selected.
type TopParams struct{ Rows, N, K int }

func topK[T any, I int16 | int32 | int64](run *mem.Budget, values []T, places []I, x []T, p TopParams, before func(a, b T) bool, nan func(T) bool) {
	if p.K <= 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	if p.K == 1 {
		for r := range p.Rows {
			call.Work(p.N)
			row := x[r*p.N:][:p.N]
			best := 0
			for i, v := range row {
				if before(v, row[best]) && !nan(v) || nan(row[best]) && !nan(v) {
					best = i
				}
			}
			values[r], places[r] = row[best], I(best)
		}
		return
	}
	for r := range p.Rows {
		row := x[r*p.N:][:p.N]
		if few(values[r*p.K:][:p.K], places[r*p.K:][:p.K], row) {
			continue
		}
		heap := places[r*p.K:][:p.K]
		// ahead reports whether element i comes before element j.
		ahead := func(i, j I) bool {
			a, b := row[i], row[j]
			return before(a, b) || !before(b, a) && i < j
		}
		for i := range heap {
			heap[i] = I(i)
		}
		for i := len(heap)/2 - 1; i >= 0; i-- {
			call.Work(dropWork)
			sink(heap, i, ahead)
		}
		worst := row[heap[0]]
		for i := p.K; i < p.N; {
			i = skip(row, i, int(heap[0]))
			call.Work(scanned)
			for end := min(i+scanned, p.N); i < end; i++ {
				if before(row[i], worst) {
					call.Work(dropWork)
					heap[0] = I(i)
					sink(heap, 0, ahead)
					worst = row[heap[0]]
				}
			}
		}
		for n := len(heap) - 1; n > 0; n-- {
			call.Work(dropWork)
			heap[0], heap[n] = heap[n], heap[0]
			sink(heap[:n], 0, ahead)
		}
		to := values[r*p.K:][:p.K]
		for i, at := range heap {
			to[i] = row[at]
		}
		if nan(to[0]) { // a NaN comes before all numbers
			odd(&call, to, heap, row, true, before, nan)
		}
	}
}

// scanned is the number of elements that the function skip checks together.
const scanned = 512

// dropWork is the approximate work of restoring a heap, as counted for the run's budget.
const dropWork = 128

// skip returns the first index, from i on, at which elements must be checked one by one. It skips
// groups of elements in which no element is NaN or larger than row[worst].
func skip[T any](row []T, i, worst int) int {
	x, ok := any(row).([]float32)
	if !ok {
		return i
	}
	for len(x)-i >= scanned {
		if m, ok := vmath.Max(x[i : i+scanned]); !ok || !(m <= x[worst]) {
			break
		}
		i += scanned
	}
	return i
}

// most is the largest K for which the function few is used.
const most = 24

// few is topK for one row of float32 numbers without NaNs, where K is at most the constant `most`. It
// keeps the selected elements in a sorted slice instead of a heap. It returns false if it does not
// support the type or K, or if it finds a NaN.
func few[T any, I int16 | int32 | int64](values []T, places []I, row []T) bool {
	to, ok := any(values).([]float32)
	if !ok || len(to) > most {
		return false
	}
	x := any(row).([]float32)
	places = places[:len(to)]
	n := 0
	for ; n < len(to); n++ {
		v := x[n]
		if v != v {
			return false
		}
		insert(to[:n+1], places[:n+1], v, I(n))
	}
	worst := to[len(to)-1]
	for n < len(x) {
		end := min(n+glanced, len(x))
		if m, ok := vmath.Max(x[n:end]); ok && m <= worst {
			n = end
			continue
		}
		for ; n < end; n++ {
			v := x[n]
			if v <= worst {
				continue
			}
			if v != v {
				return false
			}
			insert(to, places, v, I(n))
			worst = to[len(to)-1]
		}
	}
	return true
}

// glanced is the number of elements that the function few checks together.
const glanced = 32

// insert adds the value v to the sorted slice `to`, after all elements that are not less than v, and
// removes the last element of this slice. The slice places holds the index in the row of each of these
// elements. For v, this index is `at`.
func insert[I int16 | int32 | int64](to []float32, places []I, v float32, at I) {
	i := len(to) - 1
	for ; i > 0 && to[i-1] < v; i-- {
		to[i], places[i] = to[i-1], places[i-1]
	}
	to[i], places[i] = v, at
}

// sink moves element i of a heap down until neither child must be above it. The root of the heap is
// the element that comes last in the order that the function ahead defines.
func sink[I any](heap []I, i int, ahead func(a, b I) bool) {
	for {
		k := 2*i + 1
		if k >= len(heap) {
			return
		}
		if k+1 < len(heap) && ahead(heap[k], heap[k+1]) {
			k++
		}
		if !ahead(heap[i], heap[k]) {
			return
		}
		heap[i], heap[k] = heap[k], heap[i]
		i = k
	}
}

// KFits returns InvalidArgument if k, the number of elements to select from rows of n elements, is
// negative or exceeds n.
func KFits(k, n int) error {
	switch {
	case k < 0:
		return tensor.Errorf(tensor.InvalidArgument, "Need k >= 0, got %d", k)
	case k > n:
		return tensor.Errorf(tensor.InvalidArgument, "input must have at least k columns. Had %d, needed %d", n, k)
	}
	return nil
}

// K checks k, which is known only at run time, with KFits. It returns k and the error.
func K(k, n int) (int, error) { return k, KFits(k, n) }

// NFits returns an error unless n, the position that NthElement selects, is within a row of
// the given size.
func NFits(n, size int) error {
	if n < 0 || n >= size {
		return tensor.Errorf(tensor.InvalidArgument, "Input must have at least n+1 columns: n is %d, the last dimension %d", n, size)
	}
	return nil
}

func nth[T any](run *mem.Budget, dst, x, scratch []T, n, k int, before func(a, b T) bool) {
	call := run.Call()
	for i := range dst {
		row := scratch[:n]
		copy(row, x[i*n:(i+1)*n])
		call.Work(n)
		slices.SortFunc(row, func(a, b T) int {
			call.Work(4)
			switch {
			case before(b, a):
				return -1
			case before(a, b):
				return 1
			}
			return 0
		})
		dst[i] = row[k]
	}
}
