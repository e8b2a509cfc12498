package elem

import "github.com/graphc/graphc/kernels/internal/vmath"

// The comparisons of this file use package vmath, and the generic row functions for the last
// elements. If the left operand has one element, the operands are exchanged, and < becomes >.

func equalRowF32(dst []bool, a, b []float32) {
	a, b = oneLast(a, b)
	n := vmath.EqualF32(dst, a, b)
	equalRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func equalRowI32(dst []bool, a, b []int32) {
	a, b = oneLast(a, b)
	n := vmath.EqualI32(dst, a, b)
	equalRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func equalRowI64(dst []bool, a, b []int64) {
	a, b = oneLast(a, b)
	n := vmath.EqualI64(dst, a, b)
	equalRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func notEqualRowF32(dst []bool, a, b []float32) {
	a, b = oneLast(a, b)
	n := vmath.NotEqualF32(dst, a, b)
	notEqualRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func notEqualRowI32(dst []bool, a, b []int32) {
	a, b = oneLast(a, b)
	n := vmath.NotEqualI32(dst, a, b)
	notEqualRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func notEqualRowI64(dst []bool, a, b []int64) {
	a, b = oneLast(a, b)
	n := vmath.NotEqualI64(dst, a, b)
	notEqualRowNumber(dst[n:], rest(a, n), rest(b, n))
}

func lessRowF32(dst []bool, a, b []float32) {
	var n int
	if len(a) == 1 {
		n = vmath.GreaterF32(dst, b, a)
	} else {
		n = vmath.LessF32(dst, a, b)
	}
	lessRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func lessRowI32(dst []bool, a, b []int32) {
	var n int
	if len(a) == 1 {
		n = vmath.GreaterI32(dst, b, a)
	} else {
		n = vmath.LessI32(dst, a, b)
	}
	lessRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func lessRowI64(dst []bool, a, b []int64) {
	var n int
	if len(a) == 1 {
		n = vmath.GreaterI64(dst, b, a)
	} else {
		n = vmath.LessI64(dst, a, b)
	}
	lessRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func lessEqualRowF32(dst []bool, a, b []float32) {
	var n int
	if len(a) == 1 {
		n = vmath.GreaterEqualF32(dst, b, a)
	} else {
		n = vmath.LessEqualF32(dst, a, b)
	}
	lessEqualRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func lessEqualRowI32(dst []bool, a, b []int32) {
	var n int
	if len(a) == 1 {
		n = vmath.GreaterEqualI32(dst, b, a)
	} else {
		n = vmath.LessEqualI32(dst, a, b)
	}
	lessEqualRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func lessEqualRowI64(dst []bool, a, b []int64) {
	var n int
	if len(a) == 1 {
		n = vmath.GreaterEqualI64(dst, b, a)
	} else {
		n = vmath.LessEqualI64(dst, a, b)
	}
	lessEqualRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func greaterRowF32(dst []bool, a, b []float32) {
	var n int
	if len(b) == 1 {
		n = vmath.GreaterF32(dst, a, b)
	} else {
		n = vmath.LessF32(dst, b, a)
	}
	greaterRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func greaterRowI32(dst []bool, a, b []int32) {
	var n int
	if len(b) == 1 {
		n = vmath.GreaterI32(dst, a, b)
	} else {
		n = vmath.LessI32(dst, b, a)
	}
	greaterRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func greaterRowI64(dst []bool, a, b []int64) {
	var n int
	if len(b) == 1 {
		n = vmath.GreaterI64(dst, a, b)
	} else {
		n = vmath.LessI64(dst, b, a)
	}
	greaterRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func greaterEqualRowF32(dst []bool, a, b []float32) {
	var n int
	if len(b) == 1 {
		n = vmath.GreaterEqualF32(dst, a, b)
	} else {
		n = vmath.LessEqualF32(dst, b, a)
	}
	greaterEqualRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func greaterEqualRowI32(dst []bool, a, b []int32) {
	var n int
	if len(b) == 1 {
		n = vmath.GreaterEqualI32(dst, a, b)
	} else {
		n = vmath.LessEqualI32(dst, b, a)
	}
	greaterEqualRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func greaterEqualRowI64(dst []bool, a, b []int64) {
	var n int
	if len(b) == 1 {
		n = vmath.GreaterEqualI64(dst, a, b)
	} else {
		n = vmath.LessEqualI64(dst, b, a)
	}
	greaterEqualRowRealT(dst[n:], rest(a, n), rest(b, n))
}

func andRowBytes(dst, a, b []bool) {
	n := 0
	if len(a) == len(b) {
		n = vmath.And(dst, a, b)
	}
	andRowBool(dst[n:], rest(a, n), rest(b, n))
}

func orRowBytes(dst, a, b []bool) {
	n := 0
	if len(a) == len(b) {
		n = vmath.Or(dst, a, b)
	}
	orRowBool(dst[n:], rest(a, n), rest(b, n))
}

func notRowBytes(dst, src []bool) {
	n := vmath.Not(dst, src)
	notRowBool(dst[n:], src[n:])
}
