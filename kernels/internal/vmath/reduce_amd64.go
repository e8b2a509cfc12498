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

// SumColumns sums the columns of a matrix: for each column i, it adds src[r·stride + i] to acc[i]
// for all rows r in order. It processes only the columns that whole vectors cover. It returns their
// number, and the caller computes the other columns.
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

// MaxColumns replaces acc[i] by the largest of acc[i] and the elements of column i, or by NaN if one
// of them is NaN. The arguments and the result are as in SumColumns.
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

// MinColumns replaces acc[i] by the smallest of acc[i] and the elements of column i, or by NaN if
// one of them is NaN. The arguments and the result are as in SumColumns.
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

// MinRows is like MaxRows, but it finds the smallest element.
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

// ArgMax returns the position of the largest number in src, or the first position if this number
// occurs several times. If no number is greater than start, the position is 0. NaN is ignored. The
// bool is false if the machine cannot compute this, or if src is empty or very long.
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

// ArgMin returns the first position of the smallest number in a row. It returns 0 if no number is
// less than start. Otherwise it is like ArgMax.
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
