package array

import "github.com/graphc/graphc/rt/tensor"

// MirrorFits checks that no margin is larger than what its axis can mirror, which is the dimension
// minus off. off is 1 if the border element is not repeated, else 0.
func MirrorFits(dims, before, after []int, off int) error {
	for k, d := range dims {
		if (before[k] > 0 || after[k] > 0) && (before[k] > d-off || after[k] > d-off) {
			return tensor.Errorf(tensor.InvalidArgument, "paddings %d and %d of axis %d exceed what a dimension of %d can mirror", before[k], after[k], k, d)
		}
	}
	return nil
}

// reflect returns the index, in an axis of n elements, of the element that position i mirrors. off
// is 1 if the border element is not repeated.
func reflect(i, n, off int) int {
	if i < 0 {
		i = -i - 1 + off
	}
	if i >= n {
		i = 2*n - 1 - off - i
	}
	return i
}

// mirrorRows divides the padded tensor into consecutive runs and calls f for each. A run of n
// elements begins at offset padded and corresponds to the run at offset plain of the tensor without
// padding. In the margins of the last axis, the parameter inner is the length of each run. Between the
// two margins there is one run.
func mirrorRows(dims, before, after []int, off, inner int, f func(padded, plain, n int)) {
	last := len(dims) - 1
	var at, plainStride [MaxRank]int
	size, rows := inner, 1
	for k := last; k >= 0; k-- {
		plainStride[k] = size
		size *= dims[k]
		if k < last {
			rows *= dims[k] + before[k] + after[k]
		}
	}
	to := 0
	for range rows {
		from := 0
		for k := range last {
			from += reflect(at[k]-before[k], dims[k], off) * plainStride[k]
		}
		for i := -before[last]; i < 0; i++ {
			f(to, from+reflect(i, dims[last], off)*inner, inner)
			to += inner
		}
		f(to, from, dims[last]*inner)
		to += dims[last] * inner
		for i := range after[last] {
			f(to, from+reflect(dims[last]+i, dims[last], off)*inner, inner)
			to += inner
		}
		for k := last - 1; k >= 0; k-- {
			if at[k]++; at[k] < dims[k]+before[k]+after[k] {
				break
			}
			at[k] = 0
		}
	}
}

// unpadded returns how many axes precede the trailing axes without margins, and how many elements
// those trailing axes have.
func unpadded(dims, before, after []int) (axes, inner int) {
	inner = 1
	axes = len(dims)
	for axes > 0 && before[axes-1] == 0 && after[axes-1] == 0 {
		axes--
		inner *= dims[axes]
	}
	return axes, inner
}

func mirrorPad[T any](dst, src []T, dims, before, after []int, off int) {
	if len(dst) == 0 {
		return
	}
	n, inner := unpadded(dims, before, after)
	if n == 0 {
		copy(dst, src)
		return
	}
	mirrorRows(dims[:n], before, after, off, inner, func(to, from, n int) {
		copy(dst[to:to+n], src[from:from+n])
	})
}

func mirrorPadGrad[T any](dst, src []T, dims, before, after []int, off int, add func(a, b T) T) {
	clear(dst)
	if len(src) == 0 {
		return
	}
	n, inner := unpadded(dims, before, after)
	if n == 0 {
		copy(dst, src)
		return
	}
	mirrorRows(dims[:n], before, after, off, inner, func(from, to, n int) {
		for i, v := range src[from : from+n] {
			dst[to+i] = add(dst[to+i], v)
		}
	})
}
