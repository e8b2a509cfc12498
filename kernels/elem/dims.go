package elem

import "github.com/graphc/graphc/kernels/internal/vmath"

// MaxRank is the largest number of dimensions of a broadcast, after dimensions that broadcast alike
// are merged.
const MaxRank = 8

// Dims describes how the shapes of two operands A and B broadcast: N dimensions, outermost first.
// Where the sizes of A and B differ, one of them is 1, and that operand repeats. Dimensions that
// broadcast alike should be merged. N is 0 for two scalars.
type Dims struct {
	N    int
	A, B [MaxRank]int
}

// rows walks over the rows of a broadcast, or over pieces of the rows. The current row or piece has
// N results, from position D on. It reads NA elements of the first operand from position A on, and
// NB elements of the second from position B on. NA and NB are N or 1.
type rows struct {
	D, A, B   int
	N, NA, NB int

	left         int // rows not begun
	inner        int // length of a row
	limit        int // longest piece of a row, if rows are split into pieces
	pos          int // position of the next piece in the row; inner at the row's end
	baseA, baseB int // where the row begins in each operand
	stepA, stepB int // 1 if the operand's inner dimension is not 1, else 0
	k            int // number of outer dimensions; the arrays list them innermost first
	out          [MaxRank]int
	idx          [MaxRank]int
	sa, sb       [MaxRank]int
}

// rows returns a walk over pieces of at most limit elements. If limit is 0, it walks over whole
// rows.
func (s *Dims) rows(limit int) rows {
	w := rows{left: 1, inner: 1, stepA: 1, stepB: 1, limit: limit}
	runA, runB := 1, 1
	k := -1 // the last dimension after merging; 0 is the innermost
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
		w.inner, w.stepA, w.stepB = w.out[0], w.sa[0], w.sb[0]
		for i := 1; i <= k; i++ {
			w.out[i-1], w.sa[i-1], w.sb[i-1] = w.out[i], w.sa[i], w.sb[i]
			w.left *= w.out[i]
		}
		w.k = k
	}
	if w.inner == 0 {
		w.left = 0
	}
	if w.k == 0 {
		w.out[0], w.sa[0], w.sb[0] = 1, 0, 0
	}
	if w.limit == 0 || w.limit > w.inner {
		w.limit = w.inner
	}
	// The walk is now before the first row, because next advances it first.
	w.pos, w.idx[0] = w.inner, -1
	w.baseA, w.baseB = -w.sa[0], -w.sb[0]
	w.D = -w.limit
	w.N, w.NA, w.NB = w.limit, 1+(w.limit-1)*w.stepA, 1+(w.limit-1)*w.stepB
	return w
}

// next advances to the next piece. It returns false at the end.
func (w *rows) next() bool {
	w.D += w.N
	if w.pos < w.inner {
		w.piece()
		return true
	}
	if w.left--; w.left < 0 {
		return false
	}
	w.baseA += w.sa[0]
	w.baseB += w.sb[0]
	if w.idx[0]++; w.idx[0] == w.out[0] {
		w.carry()
	}
	w.A, w.B = w.baseA, w.baseB
	if w.limit < w.inner {
		w.pos = 0
		w.piece()
	}
	return true
}

// piece advances to the next piece of the row.
func (w *rows) piece() {
	w.N = min(w.limit, w.inner-w.pos)
	w.A, w.NA = w.baseA+w.pos*w.stepA, 1+(w.N-1)*w.stepA
	w.B, w.NB = w.baseB+w.pos*w.stepB, 1+(w.N-1)*w.stepB
	w.pos += w.N
}

// carry advances the walk when an outer dimension is at its end: it sets this dimension back to its
// beginning and advances the next outer dimension, which may then be at its end, too.
func (w *rows) carry() {
	for i := 0; i < w.k; i++ {
		if w.idx[i] < w.out[i] {
			return
		}
		w.baseA -= w.sa[i] * w.out[i]
		w.baseB -= w.sb[i] * w.out[i]
		w.idx[i] = 0
		if i+1 < w.k {
			w.baseA += w.sa[i+1]
			w.baseB += w.sb[i+1]
			w.idx[i+1]++
		}
	}
}

// single returns the lengths of the result and the operands if the broadcast is one row
// that is not empty.
func (s *Dims) single() (n, na, nb int, ok bool) {
	n, na, nb = 1, 1, 1
	same := true
	for i := range s.N {
		a, b := s.A[i], s.B[i]
		na *= a
		nb *= b
		same = same && a == b
	}
	if same {
		return na, na, nb, na > 0
	}
	if na == 1 || nb == 1 {
		n = na * nb
		return n, na, nb, n > 0
	}
	return 0, 0, 0, false
}

// plane returns the broadcast as rows if it has at most two dimensions after dimensions that
// broadcast alike are merged.
func (s *Dims) plane() (r vmath.Rows, ok bool) {
	r.N, r.Count = 1, 1
	runA, runB := 1, 1
	k := -1
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
			switch {
			case k > 1:
				return r, false
			case k == 0:
				r.OneA, r.OneB = !fa, !fb
			default:
				if fa {
					r.StepA = runA
				}
				if fb {
					r.StepB = runB
				}
			}
		}
		if k == 0 {
			r.N *= o
		} else {
			r.Count *= o
		}
		runA *= a
		runB *= b
	}
	return r, true
}

// planes walks over the planes of a broadcast; a plane consists of the inner two dimensions. The
// results of the current plane begin at position D, and its operands at A and B.
type planes struct {
	D, A, B int
	vmath.Rows

	w    rows
	left int // planes not begun
}

// planes returns a walk over all planes.
func (s *Dims) planes() planes {
	w := s.rows(0)
	p := planes{Rows: vmath.Rows{N: w.inner, Count: 1, OneA: w.stepA == 0, OneB: w.stepB == 0}, left: min(w.left, 1)}
	if w.k > 0 {
		p.Count, p.StepA, p.StepB = w.out[0], w.sa[0], w.sb[0]
		for i := 1; i < w.k; i++ {
			p.left *= w.out[i]
		}
		if p.Count == 0 {
			p.left = 0
		}
	}
	p.w = w
	p.w.idx[0] = 0
	p.D = -p.Count * p.N
	return p
}

// next advances to the next plane. It returns false at the end.
func (p *planes) next() bool {
	if p.left--; p.left < 0 {
		return false
	}
	p.D += p.Count * p.N
	if p.D == 0 {
		return true
	}
	w := &p.w
	for i := 1; i < w.k; i++ {
		p.A += w.sa[i]
		p.B += w.sb[i]
		if w.idx[i]++; w.idx[i] < w.out[i] {
			break
		}
		p.A -= w.sa[i] * w.out[i]
		p.B -= w.sb[i] * w.out[i]
		w.idx[i] = 0
	}
	return true
}
