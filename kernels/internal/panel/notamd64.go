//go:build !amd64 || noasm

package panel

// Stubs of functions that have assembly for amd64 only.

// turnRows writes the first of k rows of 16 floats, each of which is a column of src, and
// returns how many rows it wrote.
func turnRows(dst, src []float32, lds, k int) int { return 0 }

// Peak does nothing: there is no assembly to compare with.
func Peak(n int) int { return 0 }

// Read does nothing: there is no assembly to compare with.
func Read(s []float32) int { return 0 }

// UsesProductF64 reports whether ProductF64 has assembly to run.
func UsesProductF64() bool { return false }

func productF64(c, a, b []float64, rows, k, n, lda, ldc int, add bool) {}
