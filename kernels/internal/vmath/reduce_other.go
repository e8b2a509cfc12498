//go:build !(amd64 || arm64) || noasm

package vmath

// SumColumns adds nothing and returns 0: this build has no assembly for it.
func SumColumns(acc []float64, src []float32, rows, stride int) int { return 0 }

// MaxColumns returns 0: this build has no assembly for it.
func MaxColumns(acc, src []float32, rows, stride int) int { return 0 }

// MinColumns returns 0: this build has no assembly for it.
func MinColumns(acc, src []float32, rows, stride int) int { return 0 }

// SumRows returns false: this build has no assembly for it.
func SumRows(dst, src []float32, n int, div float64) bool { return false }

// MaxRows returns false: this build has no assembly for it.
func MaxRows(dst, src []float32, n int) bool { return false }

// MinRows returns false: this build has no assembly for it.
func MinRows(dst, src []float32, n int) bool { return false }

// ArgMax returns false: this build has no assembly for it.
func ArgMax(src []float32, start float32) (int, bool) { return 0, false }

// ArgMin returns false: this build has no assembly for it.
func ArgMin(src []float32, start float32) (int, bool) { return 0, false }

// Clip returns false: this build has no assembly for it.
func Clip(dst, src []float32, lo, hi float32) bool { return false }

// SumGathered returns false: this build has no assembly for it.
func SumGathered(dst, data []float32, indices []int32) bool { return false }

// SumGatheredLong returns false: this build has no assembly for it.
func SumGatheredLong(dst, data []float32, indices []int64) bool { return false }

// Below returns false: this build has no assembly for it.
func Below(src []float32, limit float32) bool { return false }
