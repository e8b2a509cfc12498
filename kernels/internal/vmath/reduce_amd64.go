//go:build !noasm

package vmath

import "github.com/graphc/graphc/rt/cpu"

// lanes returns how many floats a vector has.
func lanes() int {
	if cpu.UseAVX512() {
		return 16
	}
	return 8
}

// columnRows is the largest number of rows that one call of assembly processes.
const columnRows = 1 << 12

// SumColumns adds src[r·stride + i] to acc[i] for all rows r in order, and for as many columns i as
// whole vectors cover. It returns the number of these columns; the caller computes the rest.
func SumColumns(acc []float64, src []float32, rows, stride int) int {
	if !cpu.UseAVX2() || rows <= 0 {
		return 0
	}
	v := len(acc) / lanes()
	if v == 0 {
		return 0
	}
	n := v * lanes()
	_ = src[(rows-1)*stride+n-1]
	for r := 0; r < rows; r += columnRows {
		k := min(columnRows, rows-r)
		if cpu.UseAVX512() {
			sumColumns512(&acc[0], &src[r*stride], v, k, 4*stride)
		} else {
			sumColumns256(&acc[0], &src[r*stride], v, k, 4*stride)
		}
	}
	return n
}

// MaxColumns is SumColumns for the largest element instead of the sum. The result for a column is NaN
// if an element is NaN.
func MaxColumns(acc, src []float32, rows, stride int) int {
	if !cpu.UseAVX2() || rows <= 0 {
		return 0
	}
	v := len(acc) / lanes()
	if v == 0 {
		return 0
	}
	n := v * lanes()
	_ = src[(rows-1)*stride+n-1]
	for r := 0; r < rows; r += columnRows {
		k := min(columnRows, rows-r)
		if cpu.UseAVX512() {
			maxColumns512(&acc[0], &src[r*stride], v, k, 4*stride)
		} else {
			maxColumns256(&acc[0], &src[r*stride], v, k, 4*stride)
		}
	}
	return n
}

// MinColumns is SumColumns for the smallest element instead of the sum. The result for a column is
// NaN if an element is NaN.
func MinColumns(acc, src []float32, rows, stride int) int {
	if !cpu.UseAVX2() || rows <= 0 {
		return 0
	}
	v := len(acc) / lanes()
	if v == 0 {
		return 0
	}
	n := v * lanes()
	_ = src[(rows-1)*stride+n-1]
	for r := 0; r < rows; r += columnRows {
		k := min(columnRows, rows-r)
		if cpu.UseAVX512() {
			minColumns512(&acc[0], &src[r*stride], v, k, 4*stride)
		} else {
			minColumns256(&acc[0], &src[r*stride], v, k, 4*stride)
		}
	}
	return n
}

// SumRows sets dst[r] to the sum of row r of n floats, divided by div. It computes in float64. It
// returns false for very long rows.
func SumRows(dst, src []float32, n int, div float64) bool {
	if !cpu.UseAVX2() || n <= 0 || n > plenty {
		return false
	}
	src = src[:len(dst)*n]
	for len(dst) > 0 {
		rows := min(len(dst), max(plenty/n, 1))
		if cpu.UseAVX512() {
			sumRows512(&dst[0], &src[0], n, rows, div)
		} else {
			sumRows256(&dst[0], &src[0], n, rows, div)
		}
		dst, src = dst[rows:], src[rows*n:]
	}
	return true
}

// MaxRows sets dst[r] to the largest element of row r of n floats, or NaN if an element is NaN. It
// returns false for very long rows.
func MaxRows(dst, src []float32, n int) bool {
	if !cpu.UseAVX2() || n <= 0 || n > plenty {
		return false
	}
	src = src[:len(dst)*n]
	for len(dst) > 0 {
		rows := min(len(dst), max(plenty/n, 1))
		if cpu.UseAVX512() {
			maxRows512(&dst[0], &src[0], n, rows)
		} else {
			maxRows256(&dst[0], &src[0], n, rows)
		}
		dst, src = dst[rows:], src[rows*n:]
	}
	return true
}

// MinRows is MaxRows for the smallest element.
func MinRows(dst, src []float32, n int) bool {
	if !cpu.UseAVX2() || n <= 0 || n > plenty {
		return false
	}
	src = src[:len(dst)*n]
	for len(dst) > 0 {
		rows := min(len(dst), max(plenty/n, 1))
		if cpu.UseAVX512() {
			minRows512(&dst[0], &src[0], n, rows)
		} else {
			minRows256(&dst[0], &src[0], n, rows)
		}
		dst, src = dst[rows:], src[rows*n:]
	}
	return true
}

// ArgMax returns the position of the largest number in a row, the first of several, or 0 if no number
// is above start. NaN is skipped. The bool is false for very long rows.
func ArgMax(src []float32, start float32) (int, bool) {
	if !cpu.UseAVX2() || len(src) == 0 || len(src) > plenty {
		return 0, false
	}
	var m float32
	if cpu.UseAVX512() {
		m = maxNumber512(&src[0], len(src))
	} else {
		m = maxNumber256(&src[0], len(src))
	}
	if m <= start {
		return 0, true
	}
	return findFirst(src, m), true
}

// ArgMin is ArgMax for the smallest number. It returns 0 if no number is below start.
func ArgMin(src []float32, start float32) (int, bool) {
	if !cpu.UseAVX2() || len(src) == 0 || len(src) > plenty {
		return 0, false
	}
	var m float32
	if cpu.UseAVX512() {
		m = minNumber512(&src[0], len(src))
	} else {
		m = minNumber256(&src[0], len(src))
	}
	if m >= start {
		return 0, true
	}
	return findFirst(src, m), true
}

// findFirst returns the first position of x, which must be in src.
func findFirst(src []float32, x float32) int {
	at := 0
	if v := len(src) / lanes(); v > 0 {
		if cpu.UseAVX512() {
			at = find512(&src[0], v, x)
		} else {
			at = find256(&src[0], v, x)
		}
	}
	for at < len(src) && src[at] != x {
		at++
	}
	return at
}
