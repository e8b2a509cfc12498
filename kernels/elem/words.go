package elem

import "github.com/graphc/graphc/kernels/internal/vmath"

// The row functions of this file use package vmath, and the generic row functions for the last
// elements.

// rest returns what remains of an operand after n results. An operand of one element remains as it
// is.
func rest[T any](x []T, n int) []T {
	if len(x) == 1 {
		return x
	}
	return x[n:]
}

// oneLast swaps the operands of a commutative function if only the first operand is a single
// element.
func oneLast[T any](a, b []T) ([]T, []T) {
	if len(a) == 1 {
		return b, a
	}
	return a, b
}

func addRowI32(dst, a, b []int32) {
	a, b = oneLast(a, b)
	n := vmath.AddI32(dst, a, b)
	addRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func addRowI64(dst, a, b []int64) {
	a, b = oneLast(a, b)
	n := vmath.AddI64(dst, a, b)
	addRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func addRowF64(dst, a, b []float64) {
	a, b = oneLast(a, b)
	n := vmath.AddF64(dst, a, b)
	addRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func subRowI32(dst, a, b []int32) {
	n := vmath.SubI32(dst, a, b)
	subRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func subRowI64(dst, a, b []int64) {
	n := vmath.SubI64(dst, a, b)
	subRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func subRowF64(dst, a, b []float64) {
	n := vmath.SubF64(dst, a, b)
	subRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func mulRowI32(dst, a, b []int32) {
	a, b = oneLast(a, b)
	n := vmath.MulI32(dst, a, b)
	mulRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func mulRowI64(dst, a, b []int64) {
	a, b = oneLast(a, b)
	n := vmath.MulI64(dst, a, b)
	mulRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func mulRowF64(dst, a, b []float64) {
	a, b = oneLast(a, b)
	n := vmath.MulF64(dst, a, b)
	mulRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func divRowF64(dst, a, b []float64) {
	n := vmath.DivF64(dst, a, b)
	divRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func maximumRowI32(dst, a, b []int32) {
	a, b = oneLast(a, b)
	n := vmath.MaxI32(dst, a, b)
	maximumRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func minimumRowI32(dst, a, b []int32) {
	a, b = oneLast(a, b)
	n := vmath.MinI32(dst, a, b)
	minimumRowRealT(dst[n:], rest(a, n), rest(b, n))
}
