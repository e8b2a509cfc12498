//go:build !amd64 || noasm

package vmath

// CopyRows copies rows of n words with strides of dstStep and srcStep words, which may be
// negative.
func CopyRows(dst, src *float32, n, rows, dstStep, srcStep int) bool { return false }
