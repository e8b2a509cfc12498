package elem

import "github.com/graphc/graphc/kernels/internal/vmath"

// Dims3 describes how the shapes of a condition C and two operands A and B broadcast: see Dims. In
// each dimension, any two of the three sizes may be 1.
type Dims3 struct {
	N       int
	C, A, B [MaxRank]int
}

// choose broadcasts c, a and b, and sets dst to a where c is true, else to b.
func choose[T any](dst []T, c []bool, a, b []T, s Dims3) {
	if len(dst) == 0 {
		return
	}
	var out, idx, sc, sa, sb [MaxRank]int
	runC, runA, runB := 1, 1, 1
	for i := s.N - 1; i >= 0; i-- {
		o := s.C[i]
		if o == 1 {
			o = s.A[i]
		}
		if o == 1 {
			o = s.B[i]
		}
		out[i] = o
		if s.C[i] == o {
			sc[i] = runC
		}
		if s.A[i] == o {
			sa[i] = runA
		}
		if s.B[i] == o {
			sb[i] = runB
		}
		runC, runA, runB = runC*s.C[i], runA*s.A[i], runB*s.B[i]
	}
	inner, k := 1, s.N-1
	if k >= 0 {
		inner = out[k]
	} else {
		k = 0
	}
	ic, ia, ib := sc[k], sa[k], sb[k]
	oc, oa, ob := 0, 0, 0
	for d := 0; d < len(dst); d += inner {
		chooseRow(dst[d:d+inner], c[oc:], a[oa:], b[ob:], ic, ia, ib)
		for i := k - 1; i >= 0; i-- {
			oc, oa, ob = oc+sc[i], oa+sa[i], ob+sb[i]
			if idx[i]++; idx[i] < out[i] {
				break
			}
			oc, oa, ob = oc-sc[i]*out[i], oa-sa[i]*out[i], ob-sb[i]*out[i]
			idx[i] = 0
		}
	}
}

// chooseRow computes one row. The steps sc, sa and sb are 1, or 0 for an operand that has one
// element.
func chooseRow[T any](dst []T, c []bool, a, b []T, sc, sa, sb int) {
	if sc == 0 {
		if !c[0] {
			a, sa = b, sb
		}
		if sa == 1 {
			copy(dst, a[:len(dst)])
			return
		}
		x := a[0]
		for i := range dst {
			dst[i] = x
		}
		return
	}
	c = c[:len(dst)]
	if d, ok := any(dst).([]float32); ok {
		x, y := any(a).([]float32), any(b).([]float32)
		n := vmath.Select(d, c, x[:1+(len(d)-1)*sa], y[:1+(len(d)-1)*sb])
		dst, c, a, b = dst[n:], c[n:], a[n*sa:], b[n*sb:]
	}
	if sa == 1 && sb == 1 {
		a, b = a[:len(dst)], b[:len(dst)]
		for i, y := range c {
			x := b[i]
			if y {
				x = a[i]
			}
			dst[i] = x
		}
		return
	}
	for i, y := range c {
		if y {
			dst[i] = a[i*sa]
		} else {
			dst[i] = b[i*sb]
		}
	}
}

// clip sets dst to src clamped to [lo, hi]. lo and hi each have one element or as many as src. If
// lo > hi the result is lo. A NaN stays, and a NaN bound does nothing.
func clip[T realT](dst, src, lo, hi []T) {
	src = src[:len(dst)]
	sl, sh := 0, 0
	if len(lo) == len(dst) {
		sl = 1
	}
	if len(hi) == len(dst) {
		sh = 1
	}
	if sl == 0 && sh == 0 && len(dst) > 0 {
		l, h := lo[0], hi[0]
		if d, ok := any(dst).([]float32); ok && vmath.Clip(d, any(src).([]float32), float32(l), float32(h)) {
			return
		}
		for i, x := range src {
			if h < x {
				x = h
			}
			if l > x {
				x = l
			}
			dst[i] = x
		}
		return
	}
	for i, x := range src {
		if h := hi[i*sh]; h < x {
			x = h
		}
		if l := lo[i*sl]; l > x {
			x = l
		}
		dst[i] = x
	}
}
