package gemm

// Split returns how to divide the product p best among threads: by columns or by rows, in
// parts of a multiple of grain (the last may be shorter). A part is the same call with some
// parameters and arguments changed, and gives the same bits:
//
//	rows m0 … m0+m:    M = m; c[m0*Ldc:], a[m0*Lda:] (a[m0:] if TransA), res[m0*Ldr:]
//	columns n0 … n0+n: N = n; c[n0:], b[n0*K:], Bias[n0:], Res[n0:]; n0 a multiple of 16
//
// Lda, Ldc and Ldr must be set to those of the whole, since zero would mean the dense strides of
// the part. Split chooses columns if b is larger than a, so that each panel of b is read only once.
// Otherwise it chooses rows.
func Split(p Params) (byColumns bool, grain int) {
	switch {
	case p.M < p.N && p.M <= 3:
		return true, 8 * width
	case p.M < p.N && p.M <= 6:
		return true, 4 * width
	case p.M < p.N:
		return true, 2 * width
	}
	return false, tileRows
}

// tileRows is the number of rows of the largest tile.
const tileRows = 14
