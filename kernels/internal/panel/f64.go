package panel

// MulF64 computes the first columns of a product with an unpacked matrix:
//
//	c[m*ldc+j] = Σ_i a[m*am+i*ak] * b[i*ldb+j], 0 <= m < rows, 0 <= i < k, 0 <= j < n
//
// Each sum is added up in the order of i. MulF64 returns how many columns it computed: at most n, and
// 0 without assembly. c overlaps neither a nor b. k is not zero.
func MulF64(c []float64, ldc int, a []float64, am, ak int, b []float64, ldb, rows, k, n int) int {
	if rows <= 0 || k <= 0 || n <= 0 {
		return 0
	}
	if ldc < 0 || am < 0 || ak < 0 || ldb < 0 || len(c) < (rows-1)*ldc+n || len(a) < (rows-1)*am+(k-1)*ak+1 || len(b) < (k-1)*ldb+n {
		panic("panel: f64 operand too short")
	}
	return mulF64SIMD(c, ldc, a, am, ak, b, ldb, rows, k, n)
}

// DotsF64 computes the first columns of a product with an unpacked transposed matrix:
//
//	c[m*ldc+j] = Σ_i a[m*lda+i] * b[j*ldb+i], 0 <= m < rows, 0 <= i < k, 0 <= j < n
//
// Each sum is split into several partial sums. DotsF64 returns how many columns it computed, as
// MulF64 does.
func DotsF64(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, k, n int) int {
	if rows <= 0 || k <= 0 || n <= 0 {
		return 0
	}
	if ldc < 0 || lda < 0 || ldb < 0 || len(c) < (rows-1)*ldc+n || len(a) < (rows-1)*lda+k || len(b) < (n-1)*ldb+k {
		panic("panel: f64 operand too short")
	}
	return dotsF64SIMD(c, ldc, a, lda, b, ldb, rows, k, n)
}

// WidthF64 is the number of columns of a panel of float64 elements.
const WidthF64 = 8

// LenF64 returns the number of float64 elements of a matrix B[k,n] that PackF64 has packed.
func LenF64(k, n int) int { return (n + WidthF64 - 1) / WidthF64 * WidthF64 * k }

// PackF64 is like Pack, but for float64 elements and panels of 8 columns.
func PackF64(dst, b []float64, k, n, ldb int, trans bool) {
	if k <= 0 || n <= 0 {
		return
	}
	dst = dst[:LenF64(k, n)]
	for j := 0; j < n; j += WidthF64 {
		w := min(WidthF64, n-j)
		p := dst[j*k : (j+WidthF64)*k]
		if w < WidthF64 {
			clear(p)
		}
		switch {
		case !trans:
			for i := range k {
				copy(p[i*WidthF64:][:WidthF64], b[i*ldb+j:][:w])
			}
		case w == WidthF64:
			var r [WidthF64][]float64
			for x := range r {
				r[x] = b[(j+x)*ldb:][:k]
			}
			for i := range k {
				d := p[i*WidthF64:][:WidthF64]
				d[0], d[1], d[2], d[3] = r[0][i], r[1][i], r[2][i], r[3][i]
				d[4], d[5], d[6], d[7] = r[4][i], r[5][i], r[6][i], r[7][i]
			}
		default:
			for x := range w {
				for i, v := range b[(j+x)*ldb:][:k] {
					p[i*WidthF64+x] = v
				}
			}
		}
	}
}

// ProductF64 computes a product with a matrix B, which PackF64 has packed into b:
//
//	c[m*ldc+j] = Σ_i a[m*lda+i] * B[i,j], 0 <= m < rows, 0 <= i < k, 0 <= j < n
//
// If add is set, the product is added to the elements of c instead of replacing them. Each sum is
// added up in the order of i. Neighbouring panels begin k·8 elements apart. c overlaps neither a
// nor b. If the machine has no assembly for it, ProductF64 does nothing and returns false.
func ProductF64(c, a, b []float64, rows, k, n, lda, ldc int, add bool) bool {
	if !UsesProductF64() {
		return false
	}
	if rows <= 0 || n <= 0 {
		return true
	}
	if k <= 0 || lda < 0 || ldc < n && rows > 1 || len(c) < (rows-1)*ldc+n || len(a) < (rows-1)*lda+k || len(b) < LenF64(k, n) {
		panic("panel: f64 operand too short")
	}
	productF64(c, a, b, rows, k, n, lda, ldc, add)
	return true
}
