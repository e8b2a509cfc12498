//go:build !amd64 || noasm

package vmath

// CopyRows returns false: only amd64 has assembly for it.
func CopyRows(dst, src *float32, n, rows, dstStep, srcStep int) bool { return false }
