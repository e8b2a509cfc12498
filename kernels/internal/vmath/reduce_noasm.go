//go:build !amd64 || noasm

package vmath

// CopyRows copies rows of n words that begin dstStep and srcStep words after one
// another, which may be negative.
func CopyRows(dst, src *float32, n, rows, dstStep, srcStep int) bool { return false }
