//go:build !(amd64 || arm64) || noasm

package vmath

// SumColumns adds all src[r·stride + i] in turn to acc[i], except for the last few columns.
// It returns how many columns it did.
func SumColumns(acc []float64, src []float32, rows, stride int) int { return 0 }

// MaxColumns is SumColumns for the largest element instead of the sum. It is NaN if an element
// is NaN.
func MaxColumns(acc, src []float32, rows, stride int) int { return 0 }

// MinColumns is SumColumns for the smallest element instead of the sum. It is NaN if an
// element is NaN.
func MinColumns(acc, src []float32, rows, stride int) int { return 0 }

// SumRows sets dst[r] to the sum of row r of n floats, taken in float64, divided by div.
func SumRows(dst, src []float32, n int, div float64) bool { return false }

// MaxRows sets dst[r] to the largest of row r of n floats, NaN if one is NaN.
func MaxRows(dst, src []float32, n int) bool { return false }

// MinRows is MaxRows for the smallest.
func MinRows(dst, src []float32, n int) bool { return false }

// ArgMax returns the position of the first largest number of a row if it is above start,
// else 0. NaN is skipped.
func ArgMax(src []float32, start float32) (int, bool) { return 0, false }

// ArgMin is ArgMax for the smallest number, if it is below start.
func ArgMin(src []float32, start float32) (int, bool) { return 0, false }

// Clip sets dst to src clamped to [lo, hi]. Elements that are NaN stay NaN, and a bound that is NaN
// has no effect.
func Clip(dst, src []float32, lo, hi float32) bool { return false }

// SumGathered sets dst to the sum of the rows of data at the indices, in their order. Rows
// are as long as dst.
func SumGathered(dst, data []float32, indices []int32) bool { return false }

// SumGatheredLong is SumGathered for int64.
func SumGatheredLong(dst, data []float32, indices []int64) bool { return false }

// Below reports whether all |x| are below limit. It returns false if an x is NaN.
func Below(src []float32, limit float32) bool { return false }
