package reduce

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/finite"
	"github.com/graphc/graphc/rt/tensor"
)

type ordered interface{ integer | float }

// maxRow returns the largest of a and the elements of src, or NaN if one of them is NaN.
func maxRow[T ordered](a T, src []T) T {
	b, c, d := a, a, a // four accumulators, so that successive operations do not depend on each other
	for len(src) >= 4 {
		a, b, c, d = max(a, src[0]), max(b, src[1]), max(c, src[2]), max(d, src[3])
		src = src[4:]
	}
	for _, x := range src {
		a = max(a, x)
	}
	return max(a, b, c, d)
}

func maxColumn[T ordered](a []T, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] = max(a[i], x)
	}
}

// minRow returns the smallest of a and the elements of src, or NaN if one of them is NaN.
func minRow[T ordered](a T, src []T) T {
	b, c, d := a, a, a // four accumulators, so that successive operations do not depend on each other
	for len(src) >= 4 {
		a, b, c, d = min(a, src[0]), min(b, src[1]), min(c, src[2]), min(d, src[3])
		src = src[4:]
	}
	for _, x := range src {
		a = min(a, x)
	}
	return min(a, b, c, d)
}

func minColumn[T ordered](a []T, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] = min(a[i], x)
	}
}

func maxRowF16(a float32, src []tensor.F16) float32 {
	for _, x := range src {
		a = max(a, x.Float32())
	}
	return a
}

func maxColumnF16(a []float32, src []tensor.F16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] = max(a[i], x.Float32())
	}
}

func maxRowBF16(a float32, src []tensor.BF16) float32 {
	for _, x := range src {
		a = max(a, x.Float32())
	}
	return a
}

func maxColumnBF16(a []float32, src []tensor.BF16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] = max(a[i], x.Float32())
	}
}

func minRowF16(a float32, src []tensor.F16) float32 {
	for _, x := range src {
		a = min(a, x.Float32())
	}
	return a
}

func minColumnF16(a []float32, src []tensor.F16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] = min(a[i], x.Float32())
	}
}

func minRowBF16(a float32, src []tensor.BF16) float32 {
	for _, x := range src {
		a = min(a, x.Float32())
	}
	return a
}

func minColumnBF16(a []float32, src []tensor.BF16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] = min(a[i], x.Float32())
	}
}

func halfF16(a float32, _ int) tensor.F16 { return tensor.ToF16(a) }

func halfBF16(a float32, _ int) tensor.BF16 { return tensor.ToBF16(a) }

// lowest returns the lowest T, which is the maximum of no elements.
func lowest[T ordered]() T {
	switch any(T(0)).(type) {
	case float32, float64:
		return T(math.Inf(-1))
	}
	return finite.Lowest[T]()
}

// highest returns the highest T, which is the minimum of no elements.
func highest[T ordered]() T {
	switch any(T(0)).(type) {
	case float32, float64:
		return T(math.Inf(1))
	}
	return finite.Highest[T]()
}

func prodRow[T ordered | complex64 | complex128](a T, src []T) T {
	for _, x := range src {
		a *= x
	}
	return a
}

func prodColumn[T ordered | complex64 | complex128](a []T, src []T) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] *= x
	}
}

func prodRowF16(a float32, src []tensor.F16) float32 {
	for _, x := range src {
		a *= x.Float32()
	}
	return a
}

func prodColumnF16(a []float32, src []tensor.F16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] *= x.Float32()
	}
}

func prodRowBF16(a float32, src []tensor.BF16) float32 {
	for _, x := range src {
		a *= x.Float32()
	}
	return a
}

func prodColumnBF16(a []float32, src []tensor.BF16) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] *= x.Float32()
	}
}

func allRow(a bool, src []bool) bool {
	for _, x := range src {
		if !x {
			return false
		}
	}
	return a
}

func allColumn(a []bool, src []bool) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] = a[i] && x
	}
}

func anyRow(a bool, src []bool) bool {
	for _, x := range src {
		if x {
			return true
		}
	}
	return a
}

func anyColumn(a []bool, src []bool) {
	src = src[:len(a)]
	for i, x := range src {
		a[i] = a[i] || x
	}
}

// AllBool sets each element of dst to whether all elements that are reduced to it are true. If
// there are no such elements, the result is true.
func AllBool(dst, src []bool, d Dims, acc []bool) {
	reduce(dst, src, d, acc, reducer[bool, bool, bool]{true, allRow, allColumn, sameOf[bool], nil, nil})
}

// AnyBool sets each element of dst to whether at least one element that is reduced to it is true.
// If there are no such elements, the result is false.
func AnyBool(dst, src []bool, d Dims, acc []bool) {
	reduce(dst, src, d, acc, reducer[bool, bool, bool]{false, anyRow, anyColumn, sameOf[bool], nil, nil})
}
