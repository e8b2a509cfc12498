package gemm

import "github.com/graphc/graphc/kernels/internal/panel"

// BatchRows is the number of rows of a product in a unit of BatchF32.
const BatchRows = 64

// BatchUnits is the number of units of BatchF32: ceil(M/BatchRows) for every
// product of the batch.
func BatchUnits(p BatchParams) int { return p.count() * p.blocks() }

// blocks is the number of units of a product.
func (p *BatchParams) blocks() int { return max(p.M+BatchRows-1, 0) / BatchRows }

// packFloats bounds the part of b that is packed at a time.
const packFloats = 1 << 17

// cols is the number of columns packed at a time.
func (p *BatchParams) cols() int {
	q := p.one()
	return max(packFloats/max(q.step(), 1)/(2*width), 1) * 2 * width
}

// BatchScratchLen is the number of floats of scratch BatchF32 needs for p and any
// part of it. It grows with M, N and K up to a bound.
func BatchScratchLen(p BatchParams) int {
	if p.M <= 0 || p.N <= 0 || p.K <= 0 {
		return 0
	}
	p.dense()
	return min(min(p.K, packFloats)*min(PackedLen(1, p.N), packFloats), packFloats) + ScratchLen(p.one())
}

// BatchF32 computes every product of the batch: c = op(a) · op(b), with
// op(x) = x or its transpose. c overlaps neither a nor b. scratch has
// BatchScratchLen(p) floats. Empty matrices and batches do nothing; K of zero
// gives zeros.
//
// The work is made of BatchUnits(p) units, which are the products in the order of
// the batch, each split in ceil(M/BatchRows) like blocks of rows. First and Count
// choose some of them, the slices being those of the whole: the parts of a batch
// may be computed at the same time, and give the same bits as the whole.
func BatchF32(c, a, b, scratch []float32, p BatchParams) {
	p.dense()
	blocks := p.blocks()
	units := p.count() * blocks
	first := min(max(p.First, 0), units)
	left := units - first
	if p.Count != 0 {
		left = min(left, max(p.Count, 0))
	}
	if left == 0 {
		return
	}
	w := p.walk()
	direct := p.direct(&w)
	w.skip(first / blocks)
	last := -1
	for block := first % blocks; left > 0; w.next() {
		// Rows of this product: blocks from one on, those of all that are left at once.
		n := min(blocks-block, left)
		m0, m1 := p.M*block/blocks, p.M*(block+n)/blocks
		left, block = left-n, 0
		switch {
		case p.K <= 0:
			for m := m0; m < m1; m++ {
				clear(c[w.co+m*p.Ldc:][:p.N])
			}
		case direct:
			p.byRows(c[w.co:], a[w.ao:], b[w.bo:], m0, m1)
		default:
			last = p.byPanels(c[w.co:], a[w.ao:], b[w.bo:], scratch, m0, m1, last == w.bo)
			if last >= 0 {
				last = w.bo
			}
		}
	}
}

// byPanels computes rows m0 … m1 of a product, packing b as far as it fits the
// scratch. It returns 0 if all of b is packed now, and -1 if not; packed says
// that it was before.
func (p *BatchParams) byPanels(c, a, b, scratch []float32, m0, m1 int, packed bool) int {
	q := p.one()
	q.M = m1 - m0
	am, ak := steps(p.Lda, p.TransA)
	bk, bn := steps(p.Ldb, p.TransB)
	step, cols := q.step(), p.cols()
	size := min(PackedLen(step, p.N), step*cols)
	all := p.K <= step && p.N <= cols
	for n := 0; n < p.N; n += cols {
		q.N = min(cols, p.N-n)
		for k := 0; k < p.K; k += step {
			q.K = min(step, p.K-k)
			if !packed {
				panel.Pack(scratch[:size], b[k*bk+n*bn:], q.K, q.N, p.Ldb, p.TransB)
			}
			var sum []float32
			if k > 0 {
				sum = c[m0*p.Ldc+n:]
			}
			F32(c[m0*p.Ldc+n:], a[m0*am+k*ak:], scratch[:size], nil, sum, scratch[size:], q)
		}
	}
	if all {
		return 0
	}
	return -1
}

// fewRows is the number of rows up to which packing costs more than it saves.
const fewRows = 4

// direct reports whether b is best read as it is. It is the same for all parts.
func (p *BatchParams) direct(w *walk) bool {
	if p.K <= 0 || p.M > fewRows || p.TransB && p.TransA && p.Lda != 1 {
		return false
	}
	for _, step := range w.b[:w.dims] {
		if step != 0 {
			return true
		}
	}
	return p.count()*p.M <= fewRows
}

// byRows computes rows m0 … m1 of a product without packing b.
func (p *BatchParams) byRows(c, a, b []float32, m0, m1 int) {
	am, ak := steps(p.Lda, p.TransA)
	for m := m0; m < m1; m++ {
		if p.TransB {
			panel.Dots(c[m*p.Ldc:], a[m*am:], b, p.Ldb, p.K, p.N)
		} else {
			panel.MulRow(c[m*p.Ldc:], a[m*am:], ak, b, p.Ldb, p.K, p.N)
		}
	}
}
