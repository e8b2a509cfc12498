package panel

// MulF64 computes leading columns of a product with an unpacked matrix:
//
//	c[m*ldc+j] = Σ_i a[m*am+i*ak] * b[i*ldb+j], 0 <= m < rows, 0 <= i < k, 0 <= j < n
//
// in order of i, and returns how many columns it did: n or less, none without
// assembly. c overlaps nothing; k is not zero.
func MulF64(c []float64, ldc int, a []float64, am, ak int, b []float64, ldb, rows, k, n int) int {
	if rows <= 0 || k <= 0 || n <= 0 {
		return 0
	}
	if ldc < 0 || am < 0 || ak < 0 || ldb < 0 || len(c) < (rows-1)*ldc+n || len(a) < (rows-1)*am+(k-1)*ak+1 || len(b) < (k-1)*ldb+n {
		panic("panel: f64 operand too short")
	}
	return mulF64SIMD(c, ldc, a, am, ak, b, ldb, rows, k, n)
}

// DotsF64 computes leading columns of a product with an unpacked transposed matrix:
//
//	c[m*ldc+j] = Σ_i a[m*lda+i] * b[j*ldb+i], 0 <= m < rows, 0 <= i < k, 0 <= j < n
//
// in several partial sums, and returns how many columns it did, like MulF64.
func DotsF64(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, k, n int) int {
	if rows <= 0 || k <= 0 || n <= 0 {
		return 0
	}
	if ldc < 0 || lda < 0 || ldb < 0 || len(c) < (rows-1)*ldc+n || len(a) < (rows-1)*lda+k || len(b) < (n-1)*ldb+k {
		panic("panel: f64 operand too short")
	}
	return dotsF64SIMD(c, ldc, a, lda, b, ldb, rows, k, n)
}
