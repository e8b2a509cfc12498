package gemm

import "github.com/graphc/graphc/kernels/internal/panel"

// BatchParams describes a batch of products C[M,N] = op(A)[M,K] · op(B)[K,N] of
// matrices found by strides: D0 × … × D(Dims-1) of them, one if Dims is 0.
// A zero stride repeats a matrix, which is how broadcasting is written.
type BatchParams struct {
	M, N, K        int
	Lda, Ldb, Ldc  int  // elements between rows as stored, 0 meaning dense
	TransA, TransB bool // a holds [K,M], b holds [N,K]
	ConjA, ConjB   bool // complex types: conjugate (adj_x is TransA and ConjA)

	Dims                   int // 0 … 6
	D0, D1, D2, D3, D4, D5 int
	A0, A1, A2, A3, A4, A5 int // elements of a between neighbours along D0 … D5
	B0, B1, B2, B3, B4, B5 int
	C0, C1, C2, C3, C4, C5 int
}

func (p *BatchParams) dense() {
	set := func(ld *int, trans bool, rows, cols int) {
		if *ld == 0 {
			*ld = cols
			if trans {
				*ld = rows
			}
		}
	}
	set(&p.Lda, p.TransA, p.M, p.K)
	set(&p.Ldb, p.TransB, p.K, p.N)
	set(&p.Ldc, false, p.M, p.N)
}

// steps are the distances of a matrix element's neighbours along its rows and columns.
func steps(ld int, trans bool) (row, col int) {
	if trans {
		return 1, ld
	}
	return ld, 1
}

// walk visits the products of a batch in row-major order.
type walk struct {
	dims    int
	d       [6]int
	a, b, c [6]int
	i       [6]int
	ao      int
	bo      int
	co      int
	left    int
}

func (p *BatchParams) walk() walk {
	w := walk{
		dims: p.Dims,
		d:    [6]int{p.D0, p.D1, p.D2, p.D3, p.D4, p.D5},
		a:    [6]int{p.A0, p.A1, p.A2, p.A3, p.A4, p.A5},
		b:    [6]int{p.B0, p.B1, p.B2, p.B3, p.B4, p.B5},
		c:    [6]int{p.C0, p.C1, p.C2, p.C3, p.C4, p.C5},
		left: 1,
	}
	if p.Dims < 0 || p.Dims > len(w.d) {
		panic("gemm: more than 6 batch dimensions")
	}
	for _, d := range w.d[:p.Dims] {
		w.left *= max(d, 0)
	}
	if p.M <= 0 || p.N <= 0 {
		w.left = 0
	}
	return w
}

// next moves to the following product.
func (w *walk) next() {
	w.left--
	for x := w.dims - 1; x >= 0; x-- {
		w.ao, w.bo, w.co = w.ao+w.a[x], w.bo+w.b[x], w.co+w.c[x]
		if w.i[x]++; w.i[x] < w.d[x] {
			return
		}
		w.ao, w.bo, w.co = w.ao-w.d[x]*w.a[x], w.bo-w.d[x]*w.b[x], w.co-w.d[x]*w.c[x]
		w.i[x] = 0
	}
}

func (p *BatchParams) one() Params {
	return Params{M: p.M, N: p.N, K: p.K, Lda: p.Lda, Ldc: p.Ldc, TransA: p.TransA}
}

// BatchScratchLen is the number of floats of scratch BatchF32 needs.
func BatchScratchLen(p BatchParams) int {
	if p.M <= 0 || p.N <= 0 || p.K <= 0 {
		return 0
	}
	p.dense()
	return PackedLen(p.K, p.N) + ScratchLen(p.one())
}

// BatchF32 computes every product of the batch: c = op(a) · op(b), with
// op(x) = x or its transpose. c overlaps neither a nor b. scratch has
// BatchScratchLen(p) floats. Empty matrices and batches do nothing; K of zero
// gives zeros.
func BatchF32(c, a, b, scratch []float32, p BatchParams) {
	p.dense()
	q := p.one()
	packed := PackedLen(p.K, p.N)
	if p.K <= 0 {
		q.K, packed = 0, 0
	}
	last := -1
	w := p.walk()
	direct := p.direct(&w)
	for ; w.left > 0; w.next() {
		if direct {
			p.byRows(c[w.co:], a[w.ao:], b[w.bo:])
			continue
		}
		if q.K == 0 {
			F32(c[w.co:], nil, nil, nil, nil, nil, q)
			continue
		}
		if w.bo != last {
			panel.Pack(scratch[:packed], b[w.bo:], p.K, p.N, p.Ldb, p.TransB)
			last = w.bo
		}
		F32(c[w.co:], a[w.ao:], scratch[:packed], nil, nil, scratch[packed:], q)
	}
}

// fewRows is the number of rows up to which packing costs more than it saves.
const fewRows = 4

// direct reports whether b is best read as it is.
func (p *BatchParams) direct(w *walk) bool {
	if p.K <= 0 || p.M > fewRows || p.TransB && p.TransA && p.Lda != 1 {
		return false
	}
	for _, step := range w.b[:w.dims] {
		if step != 0 {
			return true
		}
	}
	return w.left*p.M <= fewRows
}

// byRows computes one product without packing b.
func (p *BatchParams) byRows(c, a, b []float32) {
	am, ak := steps(p.Lda, p.TransA)
	for m := range p.M {
		if p.TransB {
			panel.Dots(c[m*p.Ldc:], a[m*am:], b, p.Ldb, p.K, p.N)
		} else {
			panel.MulRow(c[m*p.Ldc:], a[m*am:], ak, b, p.Ldb, p.K, p.N)
		}
	}
}
