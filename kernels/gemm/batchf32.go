package gemm

import "github.com/graphc/graphc/kernels/internal/panel"

// BatchRows is a good number of rows for one thread to compute in one call, if products have more rows.
// It is small enough for sharing the work among threads, and large enough that packing b pays.
const BatchRows = 64

// packFloats bounds the number of floats of b that are packed at a time.
const packFloats = 1 << 17

// cols returns the number of columns that are packed at a time.
func (p *BatchParams) cols() int {
	q := p.one()
	return max(packFloats/max(q.step(), 1)/(2*width), 1) * 2 * width
}

// BatchScratchLen returns the number of floats of scratch that BatchF32 needs for p and any
// part of it. It grows with M, N and K up to a bound.
func BatchScratchLen(p BatchParams) int {
	if p.M <= 0 || p.N <= 0 || p.K <= 0 {
		return 0
	}
	p.dense()
	return min(min(p.K, packFloats)*min(PackedLen(1, p.N), packFloats), packFloats) + ScratchLen(p.one())
}

// BatchF32 computes every product of the batch: c = op(a) · op(b), with op(x) = x or its transpose.
// c overlaps neither a nor b. scratch has BatchScratchLen(p) floats. If c or the batch is empty,
// BatchF32 does nothing; if K is zero, the results are zeros.
//
// First and Count select some of the rows. Parts of a batch may be computed at the same
// time, and give the same bits as the whole. The best parts are whole products, or BatchRows
// rows of large ones.
func BatchF32(c, a, b, scratch []float32, p BatchParams) {
	p.dense()
	total := p.count() * p.M
	first := min(max(p.First, 0), total)
	left := total - first
	if p.Count != 0 {
		left = min(left, max(p.Count, 0))
	}
	if left <= 0 {
		return
	}
	w := p.walk()
	direct := p.direct(&w)
	w.skip(first / p.M)
	m0 := first % p.M
	am, _ := steps(p.Lda, p.TransA)
	a0, c0 := 0, 0 // the offsets in the whole batch at which a and c begin
	if p.MovedA {
		a0 = w.ao + m0*am
	}
	if p.MovedC {
		c0 = w.co + m0*p.Ldc
	}
	last := -1 // offset in b of the matrix that scratch holds in packed form; -1 for none
	for ; left > 0; w.next() {
		m := min(p.M-m0, left)
		dst, src := c[w.co+m0*p.Ldc-c0:], a[min(w.ao+m0*am-a0, len(a)):]
		switch {
		case p.K <= 0:
			for r := range m {
				clear(dst[r*p.Ldc:][:p.N])
			}
		case direct:
			p.byRows(dst, src, b[w.bo:], m)
		case p.byPanels(dst, src, b[w.bo:], scratch, m, last == w.bo):
			last = w.bo
		}
		left, m0 = left-m, 0
	}
}

// byPanels computes rows of a product. It packs as much of b at a time as fits in scratch, and
// reports whether all of b did fit. If packed is set, scratch contains all of b already.
func (p *BatchParams) byPanels(c, a, b, scratch []float32, rows int, packed bool) bool {
	q := p.one()
	q.M = rows
	_, ak := steps(p.Lda, p.TransA)
	bk, bn := steps(p.Ldb, p.TransB)
	step, cols := q.step(), p.cols()
	size := min(PackedLen(step, p.N), step*cols)
	for n := 0; n < p.N; n += cols {
		q.N = min(cols, p.N-n)
		for k := 0; k < p.K; k += step {
			q.K = min(step, p.K-k)
			if !packed {
				panel.Pack(scratch[:size], b[k*bk+n*bn:], q.K, q.N, p.Ldb, p.TransB)
			}
			q.Res = nil
			if k > 0 {
				q.Res = c[n:]
			}
			F32(c[n:], a[k*ak:], scratch[:size], scratch[size:], q)
		}
	}
	return p.K <= step && p.N <= cols
}

// FewRows is the largest number of rows for which packing b costs more than it saves.
const FewRows = 4

// direct reports whether reading b without packing is faster. The answer is the same for all parts
// of a batch.
func (p *BatchParams) direct(w *walk) bool {
	if p.K <= 0 || p.M > FewRows || p.TransB && p.TransA && p.Lda != 1 {
		return false
	}
	for _, step := range w.b[:w.dims] {
		if step != 0 {
			return true
		}
	}
	return p.count()*p.M <= FewRows
}

// byRows computes rows of a product without packing b.
func (p *BatchParams) byRows(c, a, b []float32, rows int) {
	am, ak := steps(p.Lda, p.TransA)
	for m := range rows {
		if p.TransB {
			panel.Dots(c[m*p.Ldc:], a[m*am:], b, p.Ldb, p.K, p.N)
		} else {
			panel.MulRow(c[m*p.Ldc:], a[m*am:], ak, b, p.Ldb, p.K, p.N)
		}
	}
}
