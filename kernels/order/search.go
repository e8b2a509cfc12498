package order

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

func less[T realNumber](a, b T) bool { return a < b }

func lessF16(a, b tensor.F16) bool { return a.Float32() < b.Float32() }

func lessBF16(a, b tensor.BF16) bool { return a.Float32() < b.Float32() }

// SearchParams describes a search for Values numbers in each of Rows sorted rows of N elements.
type SearchParams struct{ Rows, N, Values int }

func lowerBound[T any, I int32 | int64](dst []I, sorted, values []T, p SearchParams, less func(a, b T) bool) {
	for r := range p.Rows {
		row := sorted[r*p.N:][:p.N]
		for i, v := range values[r*p.Values:][:p.Values] {
			lo, hi := 0, len(row)
			for lo < hi {
				if m := (lo + hi) / 2; less(row[m], v) {
					lo = m + 1
				} else {
					hi = m
				}
			}
			dst[r*p.Values+i] = I(lo)
		}
	}
}

func upperBound[T any, I int32 | int64](dst []I, sorted, values []T, p SearchParams, less func(a, b T) bool) {
	for r := range p.Rows {
		row := sorted[r*p.N:][:p.N]
		for i, v := range values[r*p.Values:][:p.Values] {
			lo, hi := 0, len(row)
			for lo < hi {
				if m := (lo + hi) / 2; less(v, row[m]) {
					hi = m
				} else {
					lo = m + 1
				}
			}
			dst[r*p.Values+i] = I(lo)
		}
	}
}

func finite(v float32) bool { return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0) }

// inTopK sets dst[b] to whether the prediction for the class targets[b] is among the k largest
// predictions of row b. The result is false if the row contains an infinity or a NaN, or if
// targets[b] is not a class.
func inTopK[I int32 | int64](dst []bool, predictions []float32, targets []I, classes, k int) {
	for b, t := range targets {
		row := predictions[b*classes:][:classes]
		dst[b] = false
		if t < 0 || int64(t) >= int64(classes) || !finite(row[t]) {
			continue
		}
		more, sure := 0, true
		for _, v := range row {
			if !finite(v) {
				sure = false
				break
			}
			if v > row[t] {
				if more++; more > k {
					break
				}
			}
		}
		dst[b] = sure && more < k
	}
}
