package gemm

// BatchParams describes a batch of products C[M,N] = op(A)[M,K] · op(B)[K,N]: D0 × … ×
// D(Dims-1) products, or one if Dims is 0. Strides locate the matrices. A stride of 0
// repeats a matrix, for broadcasting.
type BatchParams struct {
	M, N, K        int
	Lda, Ldb, Ldc  int  // elements between rows as stored, 0 meaning dense
	TransA, TransB bool // whether a and b are stored transposed: a as [K,M], b as [N,K]
	ConjA, ConjB   bool // whether a and b are conjugated, for complex types (adj_x is TransA and ConjA)

	Dims                   int // 0 … 6
	D0, D1, D2, D3, D4, D5 int
	A0, A1, A2, A3, A4, A5 int // strides of the batch in a, in elements, along D0 … D5
	B0, B1, B2, B3, B4, B5 int
	C0, C1, C2, C3, C4, C5 int

	// First and Count select a part of the f32 work for one thread: Count rows from row First on,
	// counted over all results in the order of the batch. A Count of 0 means all remaining rows.
	// The other element types compute the whole batch. If MovedA is set, the slice a begins with
	// row First instead of with the whole batch's first row, and its strides must not be negative.
	// MovedC means the same for c.
	MovedA, MovedC bool
	First, Count   int
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

// steps returns the strides between rows and between columns of a matrix. The matrix, or its
// transpose if trans is set, is stored with the row stride ld.
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

// count returns the number of products.
func (p *BatchParams) count() int {
	if p.M <= 0 || p.N <= 0 {
		return 0
	}
	n := 1
	for i, d := range [...]int{p.D0, p.D1, p.D2, p.D3, p.D4, p.D5} {
		if i < p.Dims {
			n *= max(d, 0)
		}
	}
	return n
}

func (p *BatchParams) walk() walk {
	w := walk{
		dims: p.Dims,
		d:    [6]int{p.D0, p.D1, p.D2, p.D3, p.D4, p.D5},
		a:    [6]int{p.A0, p.A1, p.A2, p.A3, p.A4, p.A5},
		b:    [6]int{p.B0, p.B1, p.B2, p.B3, p.B4, p.B5},
		c:    [6]int{p.C0, p.C1, p.C2, p.C3, p.C4, p.C5},
	}
	if p.Dims < 0 || p.Dims > len(w.d) {
		panic("gemm: more than 6 batch dimensions")
	}
	w.left = p.count()
	return w
}

// skip skips n products.
func (w *walk) skip(n int) {
	w.left -= n
	for x := w.dims - 1; x >= 0 && n > 0; x-- {
		n += w.i[x]
		i := n % w.d[x]
		w.ao, w.bo, w.co = w.ao+(i-w.i[x])*w.a[x], w.bo+(i-w.i[x])*w.b[x], w.co+(i-w.i[x])*w.c[x]
		w.i[x], n = i, n/w.d[x]
	}
}

// next advances to the next product.
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
	return Params{M: p.M, N: p.N, K: p.K, Lda: p.Lda, Ldc: p.Ldc, Ldr: p.Ldc, TransA: p.TransA}
}
