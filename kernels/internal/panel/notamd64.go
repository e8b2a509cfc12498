//go:build !amd64 || noasm

package panel

// The functions in this file replace those that are implemented in assembly for amd64 only.

// turnRows returns 0 and writes no rows: it has assembly for amd64 only.
func turnRows(dst, src []float32, lds, k int) int { return 0 }

// Peak returns 0: only amd64 has assembly for this benchmark.
func Peak(n int) int { return 0 }

// Read returns 0: only amd64 has assembly for this benchmark.
func Read(s []float32) int { return 0 }

// UsesProductF64 reports whether ProductF64 has assembly to run.
func UsesProductF64() bool { return false }

func productF64(c, a, b []float64, rows, k, n, lda, ldc int, add bool) {}
