//go:build arm64 && !noasm

package vmath

import "github.com/graphc/graphc/rt/cpu"

// columnRows is the largest number of rows that one call of assembly processes.
const columnRows = 1 << 10

// columnWidth is the largest number of columns that one call of assembly processes.
const columnWidth = 64

// SumColumns sums the columns of a matrix: for each column i, it adds src[r·stride + i] to acc[i]
// for all rows r in order. It processes only the columns that whole vectors cover. It returns their
// number, and the caller computes the other columns.
func SumColumns(acc []float64, src []float32, rows, stride int) int {
	n := len(acc) &^ (lanes - 1)
	if !cpu.UseNEON() || rows <= 0 || n == 0 {
		return 0
	}
	_ = src[(rows-1)*stride+n-1]
	for i := 0; i < n; i += columnWidth {
		for r := 0; r < rows; r += columnRows {
			sumColumnsNEON(&acc[i], &src[r*stride+i], min(columnWidth, n-i)/lanes, min(columnRows, rows-r), 4*stride)
		}
	}
	return n
}

// MaxColumns replaces acc[i] by the largest of acc[i] and the elements of column i, or by NaN if one
// of them is NaN. The arguments and the result are as in SumColumns.
func MaxColumns(acc, src []float32, rows, stride int) int {
	n := len(acc) &^ (lanes - 1)
	if !cpu.UseNEON() || rows <= 0 || n == 0 {
		return 0
	}
	_ = src[(rows-1)*stride+n-1]
	for i := 0; i < n; i += columnWidth {
		for r := 0; r < rows; r += columnRows {
			maxColumnsNEON(&acc[i], &src[r*stride+i], min(columnWidth, n-i)/lanes, min(columnRows, rows-r), 4*stride)
		}
	}
	return n
}

// MinColumns replaces acc[i] by the smallest of acc[i] and the elements of column i, or by NaN if
// one of them is NaN. The arguments and the result are as in SumColumns.
func MinColumns(acc, src []float32, rows, stride int) int {
	n := len(acc) &^ (lanes - 1)
	if !cpu.UseNEON() || rows <= 0 || n == 0 {
		return 0
	}
	_ = src[(rows-1)*stride+n-1]
	for i := 0; i < n; i += columnWidth {
		for r := 0; r < rows; r += columnRows {
			minColumnsNEON(&acc[i], &src[r*stride+i], min(columnWidth, n-i)/lanes, min(columnRows, rows-r), 4*stride)
		}
	}
	return n
}

// SumRows sets dst[r] to the sum of row r of n floats, divided by div. It computes in float64.
func SumRows(dst, src []float32, n int, div float64) bool {
	if !cpu.UseNEON() || n <= 0 {
		return false
	}
	src = src[:len(dst)*n]
	for r := range dst {
		s, _ := Sum(src[r*n : (r+1)*n])
		dst[r] = float32(s / div)
	}
	return true
}

// MaxRows sets dst[r] to the largest element of row r of n floats, or NaN if an element is NaN.
func MaxRows(dst, src []float32, n int) bool {
	if !cpu.UseNEON() || n <= 0 {
		return false
	}
	src = src[:len(dst)*n]
	for r := range dst {
		dst[r], _ = Max(src[r*n : (r+1)*n])
	}
	return true
}

// MinRows is like MaxRows, but it finds the smallest element.
func MinRows(dst, src []float32, n int) bool {
	if !cpu.UseNEON() || n <= 0 {
		return false
	}
	src = src[:len(dst)*n]
	for r := range dst {
		dst[r], _ = Min(src[r*n : (r+1)*n])
	}
	return true
}

// ArgMax returns the first position of the largest number in a row. It returns 0 if no number is
// greater than start. NaN is ignored. The bool is false if the machine cannot compute this.
func ArgMax(src []float32, start float32) (int, bool) {
	if !cpu.UseNEON() {
		return 0, false
	}
	m := start
	rest := src
	for len(rest) >= lanes {
		n := min(len(rest), chunk) / lanes
		if v := maxNumberNEON(&rest[0], n); v > m {
			m = v
		}
		rest = rest[n*lanes:]
	}
	for _, v := range rest {
		if v > m {
			m = v
		}
	}
	if !(m > start) {
		return 0, true
	}
	return findFirst(src, m), true
}

// ArgMin returns the first position of the smallest number in a row. It returns 0 if no number is
// less than start. Otherwise it is like ArgMax.
func ArgMin(src []float32, start float32) (int, bool) {
	if !cpu.UseNEON() {
		return 0, false
	}
	m := start
	rest := src
	for len(rest) >= lanes {
		n := min(len(rest), chunk) / lanes
		if v := minNumberNEON(&rest[0], n); v < m {
			m = v
		}
		rest = rest[n*lanes:]
	}
	for _, v := range rest {
		if v < m {
			m = v
		}
	}
	if !(m < start) {
		return 0, true
	}
	return findFirst(src, m), true
}

// findFirst returns the first position of x, which must be in src.
func findFirst(src []float32, x float32) int {
	at := 0
	for len(src)-at >= lanes {
		n := min(len(src)-at, chunk) / lanes
		k := findNEON(&src[at], n, x)
		at += k * lanes
		if k < n {
			break
		}
	}
	for at < len(src) && src[at] != x {
		at++
	}
	return at
}

// Clip sets dst to src clamped to [lo, hi]. Elements that are NaN stay NaN, and a bound that is NaN
// has no effect.
func Clip(dst, src []float32, lo, hi float32) bool {
	if !cpu.UseNEON() {
		return false
	}
	src = src[:len(dst)]
	for len(dst) >= lanes {
		n := min(len(dst), chunk) / lanes
		clipNEON(&dst[0], &src[0], n, lo, hi)
		dst, src = dst[n*lanes:], src[n*lanes:]
	}
	for i, x := range src[:len(dst)] {
		if hi < x {
			x = hi
		}
		if lo > x {
			x = lo
		}
		dst[i] = x
	}
	return true
}

// Below reports whether all |x| are below limit. It returns false if an x is NaN, or if the machine
// lacks NEON.
func Below(src []float32, limit float32) bool {
	hi, ok := Max(src)
	lo, _ := Min(src)
	return ok && (len(src) == 0 || hi < limit && lo > -limit)
}

// SumGathered sets dst to a sum of rows of data. The elements of indices are the numbers of these
// rows, and the rows are added in this order. Each row has as many elements as dst. The indices
// must be in range.
func SumGathered(dst, data []float32, indices []int32) bool {
	return sumGathered(dst, data, indices)
}

// SumGatheredLong is SumGathered for int64 indices.
func SumGatheredLong(dst, data []float32, indices []int64) bool {
	return sumGathered(dst, data, indices)
}

func sumGathered[I int32 | int64](dst, data []float32, indices []I) bool {
	if !cpu.UseNEON() {
		return false
	}
	clear(dst)
	n := len(dst)
	for _, i := range indices {
		Add(dst, dst, data[int(i)*n:][:n])
	}
	return true
}
