package elem

// MaxRank is the most dimensions a broadcast may have once those that run
// alike are merged.
const MaxRank = 8

// Dims says how the shapes of two operands meet: N dimensions, outermost first,
// of the operands A and B. Where they differ one of them is 1, and that operand
// repeats. Dimensions that broadcast alike should come merged; N 0 is two scalars.
type Dims struct {
	N    int
	A, B [MaxRank]int
}

// rows walks over the rows of a broadcast: stretches of N results at D that
// read NA elements at A and NB at B, each N or 1.
type rows struct {
	D, A, B   int
	N, NA, NB int

	left         int // rows not begun
	inner, limit int // length of a row, and of the pieces it is handed out in
	pos          int // of the next piece within the row
	baseA, baseB int
	fullA, fullB bool // the operand has the inner dimension
	k            int  // outer dimensions, innermost first
	out          [MaxRank]int
	idx          [MaxRank]int
	sa, sb       [MaxRank]int
}

// rows returns a walk with pieces of at most limit elements, 0 for whole rows.
func (s *Dims) rows(limit int) rows {
	w := rows{left: 1, inner: 1, fullA: true, fullB: true, limit: limit}
	runA, runB := 1, 1
	k := -1 // the last dimension kept; 0 is the inner one
	var fa, fb bool
	for i := s.N - 1; i >= 0; i-- {
		a, b := s.A[i], s.B[i]
		o := a
		if a == 1 {
			o = b
		}
		if o == 1 {
			continue
		}
		if k < 0 || fa != (a == o) || fb != (b == o) {
			k++
			fa, fb = a == o, b == o
			w.out[k], w.sa[k], w.sb[k] = 1, 0, 0
			if fa {
				w.sa[k] = runA
			}
			if fb {
				w.sb[k] = runB
			}
		}
		w.out[k] *= o
		runA *= a
		runB *= b
	}
	if k >= 0 {
		w.inner, w.fullA, w.fullB = w.out[0], w.sa[0] != 0, w.sb[0] != 0
		for i := 1; i <= k; i++ {
			w.out[i-1], w.sa[i-1], w.sb[i-1] = w.out[i], w.sa[i], w.sb[i]
			w.left *= w.out[i]
		}
		w.k = k
	}
	if w.inner == 0 {
		w.left = 0
	}
	if w.limit == 0 {
		w.limit = w.inner
	}
	w.pos = w.inner
	w.left++ // the row before the first
	w.baseA, w.baseB = -1, -1
	return w
}

// next goes to the next piece; false at the end.
func (w *rows) next() bool {
	if w.pos >= w.inner && !w.row() {
		return false
	}
	w.D += w.N
	w.N = min(w.limit, w.inner-w.pos)
	w.A, w.NA = w.baseA, 1
	if w.fullA {
		w.A, w.NA = w.baseA+w.pos, w.N
	}
	w.B, w.NB = w.baseB, 1
	if w.fullB {
		w.B, w.NB = w.baseB+w.pos, w.N
	}
	w.pos += w.N
	return true
}

// row goes to the beginning of the next row.
func (w *rows) row() bool {
	if w.left--; w.left <= 0 {
		return false
	}
	w.pos = 0
	if w.baseA < 0 {
		w.baseA, w.baseB = 0, 0
		return true
	}
	for i := 0; i < w.k; i++ {
		w.baseA += w.sa[i]
		w.baseB += w.sb[i]
		if w.idx[i]++; w.idx[i] < w.out[i] {
			break
		}
		w.baseA -= w.sa[i] * w.out[i]
		w.baseB -= w.sb[i] * w.out[i]
		w.idx[i] = 0
	}
	return true
}
