package reduce

import "github.com/graphc/graphc/kernels/internal/vmath"

// The functions in this file call package vmath if a row has at least `short` elements. They use a
// loop if the row has fewer elements or if vmath does not support the machine.

const short = 16

// long is the smallest row length at which a search with vector instructions is faster than a loop.
// Such a search reads the row twice.
const long = 48

func sum32(a float64, src []float32) float64 {
	if len(src) >= short {
		if s, ok := vmath.Sum(src); ok {
			return a + s
		}
	}
	return sumFloat(a, src)
}

func sums32(a []float64, src []float32) {
	for len(a) >= short {
		n := vmath.AddTo(a, src)
		if n == 0 {
			break
		}
		a, src = a[n:], src[n:]
	}
	sumsFloat(a, src)
}

func max32(a float32, src []float32) float32 {
	if len(src) >= short {
		if m, ok := vmath.Max(src); ok {
			return max(a, m)
		}
	}
	return maxRow(a, src)
}

func maxs32(a, src []float32) {
	if len(a) < short || !vmath.Maximum(a, a, src[:len(a)]) {
		maxColumn(a, src)
	}
}

func min32(a float32, src []float32) float32 {
	if len(src) >= short {
		if m, ok := vmath.Min(src); ok {
			return min(a, m)
		}
	}
	return minRow(a, src)
}

func mins32(a, src []float32) {
	if len(a) < short || !vmath.Minimum(a, a, src[:len(a)]) {
		minColumn(a, src)
	}
}

func sumRows32(dst, src []float32, n int) bool { return vmath.SumRows(dst, src, n, 1) }

func meanRows32(dst, src []float32, n int) bool { return vmath.SumRows(dst, src, n, float64(n)) }

func sumColumns32(a []float64, src []float32, rows, stride int) {
	if n := vmath.SumColumns(a, src, rows, stride); n < len(a) {
		for r := range rows {
			sums32(a[n:], src[r*stride+n:][:len(a)-n])
		}
	}
}

func maxColumns32(a, src []float32, rows, stride int) {
	if n := vmath.MaxColumns(a, src, rows, stride); n < len(a) {
		for r := range rows {
			maxs32(a[n:], src[r*stride+n:][:len(a)-n])
		}
	}
}

func minColumns32(a, src []float32, rows, stride int) {
	if n := vmath.MinColumns(a, src, rows, stride); n < len(a) {
		for r := range rows {
			mins32(a[n:], src[r*stride+n:][:len(a)-n])
		}
	}
}

func argMax32(dst []int64, src []float32, p Axis, start float32) {
	if p.Inner != 1 || p.N < long {
		argMax(dst, src, p, start)
		return
	}
	for o := range p.Outer {
		row := src[o*p.N:][:p.N]
		at, ok := vmath.ArgMax(row, start)
		if !ok {
			argMax(dst[o:o+1], row, Axis{Outer: 1, N: p.N, Inner: 1}, start)
			continue
		}
		dst[o] = int64(at)
	}
}

func argMin32(dst []int64, src []float32, p Axis, start float32) {
	if p.Inner != 1 || p.N < long {
		argMin(dst, src, p, start)
		return
	}
	for o := range p.Outer {
		row := src[o*p.N:][:p.N]
		at, ok := vmath.ArgMin(row, start)
		if !ok {
			argMin(dst[o:o+1], row, Axis{Outer: 1, N: p.N, Inner: 1}, start)
			continue
		}
		dst[o] = int64(at)
	}
}
