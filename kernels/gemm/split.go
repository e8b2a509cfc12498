package gemm

// Split returns the best way to divide the product p among threads: by columns or by rows. The
// number of columns or rows of each part must be a multiple of grain, except for the last part.
// Each part is computed by one call, with these changes to the parameters and arguments:
//
//	rows m0 … m0+m:    M = m; c[m0*Ldc:], a[m0*Lda:] (a[m0:] if TransA), res[m0*Ldr:]
//	columns n0 … n0+n: N = n; c[n0:], b[n0*K:], Bias[n0:], Res[n0:]; n0 a multiple of 16
//
// The results have the same bits as those of one call for the whole product. In the calls, Lda, Ldc
// and Ldr must be the strides of the whole product. They must not be zero, because zero means the
// strides of dense matrices with the size of the part.
//
// Split chooses columns if b is larger than a, so that each panel of b is read only once. Otherwise
// it chooses rows.
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
