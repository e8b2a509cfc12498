package linalg

// SolveF32 computes x = op(a)⁻¹·b for a [Batch,M,M] and b [Batch,M,K], op being the
// adjoint with Adjoint. An empty b is the unit matrix. InvalidArgument when a is singular.
func SolveF32(x, a, b []float32, p Params) error {
	return solve[float64](x, a, b, &p)
}

// SolveF64 is SolveF32 for f64.
func SolveF64(x, a, b []float64, p Params) error {
	return solve[float64](x, a, b, &p)
}

// SolveC64 is SolveF32 for c64.
func SolveC64(x, a, b []complex64, p Params) error {
	return solve[complex128](x, a, b, &p)
}

// SolveC128 is SolveF32 for c128.
func SolveC128(x, a, b []complex128, p Params) error {
	return solve[complex128](x, a, b, &p)
}

// DeterminantF32 writes the determinants of a [Batch,M,M].
func DeterminantF32(det, a []float32, p Params) {
	determinant[float64](det, a, &p)
}

// DeterminantF64 is DeterminantF32 for f64.
func DeterminantF64(det, a []float64, p Params) {
	determinant[float64](det, a, &p)
}

// DeterminantC64 is DeterminantF32 for c64.
func DeterminantC64(det, a []complex64, p Params) {
	determinant[complex128](det, a, &p)
}

// DeterminantC128 is DeterminantF32 for c128.
func DeterminantC128(det, a []complex128, p Params) {
	determinant[complex128](det, a, &p)
}

// LogDeterminantF32 writes the sign and the logarithm of the absolute value of determinants.
func LogDeterminantF32(sign, log, a []float32, p Params) {
	logDeterminant[float64](sign, log, a, &p)
}

// LogDeterminantF64 is LogDeterminantF32 for f64.
func LogDeterminantF64(sign, log, a []float64, p Params) {
	logDeterminant[float64](sign, log, a, &p)
}

// LogDeterminantC64 is LogDeterminantF32 for c64.
func LogDeterminantC64(sign, log, a []complex64, p Params) {
	logDeterminant[complex128](sign, log, a, &p)
}

// LogDeterminantC128 is LogDeterminantF32 for c128.
func LogDeterminantC128(sign, log, a []complex128, p Params) {
	logDeterminant[complex128](sign, log, a, &p)
}

// CholeskyF32 writes L with a = L·Lᴴ for a [Batch,M,M], whose lower triangles count; NaN for
// a matrix that is not positive definite.
func CholeskyF32(out, a []float32, p Params) {
	choleskyAll[float64](out, a, &p)
}

// CholeskyF64 is CholeskyF32 for f64.
func CholeskyF64(out, a []float64, p Params) {
	choleskyAll[float64](out, a, &p)
}

// CholeskyC64 is CholeskyF32 for c64.
func CholeskyC64(out, a []complex64, p Params) {
	choleskyAll[complex128](out, a, &p)
}

// CholeskyC128 is CholeskyF32 for c128.
func CholeskyC128(out, a []complex128, p Params) {
	choleskyAll[complex128](out, a, &p)
}

// TriangularF32 computes x = op(a)⁻¹·b for triangular a [M,M], b [M,K]; q finds the Batch
// matrices of both.
func TriangularF32(x, a, b []float32, p Params, q BatchParams) {
	triangular[float64](x, a, b, &p, &q)
}

// TriangularF64 is TriangularF32 for f64.
func TriangularF64(x, a, b []float64, p Params, q BatchParams) {
	triangular[float64](x, a, b, &p, &q)
}

// TriangularC64 is TriangularF32 for c64.
func TriangularC64(x, a, b []complex64, p Params, q BatchParams) {
	triangular[complex128](x, a, b, &p, &q)
}

// TriangularC128 is TriangularF32 for c128.
func TriangularC128(x, a, b []complex128, p Params, q BatchParams) {
	triangular[complex128](x, a, b, &p, &q)
}

// QrF32 writes a = q·r for a [Batch,M,N], q and r with min(M,N) columns and rows, with Full with M.
func QrF32(q, r, a []float32, p Params) {
	qr[float64](q, r, a, &p)
}

// QrF64 is QrF32 for f64.
func QrF64(q, r, a []float64, p Params) {
	qr[float64](q, r, a, &p)
}

// QrC64 is QrF32 for c64.
func QrC64(q, r, a []complex64, p Params) {
	qr[complex128](q, r, a, &p)
}

// QrC128 is QrF32 for c128.
func QrC128(q, r, a []complex128, p Params) {
	qr[complex128](q, r, a, &p)
}

// SvdF32 writes a = u·diag(s)·vᴴ for a [Batch,M,N], s falling; u and v only with
// Vectors, square with Full.
func SvdF32(s, u, v, a []float32, p Params) {
	svd[float64](s, u, v, a, &p)
}

// SvdF64 is SvdF32 for f64.
func SvdF64(s, u, v, a []float64, p Params) {
	svd[float64](s, u, v, a, &p)
}

// SvdC64 is SvdF32 for c64.
func SvdC64(s, u, v, a []complex64, p Params) {
	svd[complex128](s, u, v, a, &p)
}

// SvdC128 is SvdF32 for c128.
func SvdC128(s, u, v, a []complex128, p Params) {
	svd[complex128](s, u, v, a, &p)
}

// EigF32 writes the eigenvalues, rising, of self-adjoint a [Batch,M,M], whose lower
// triangles count; and the vectors, in columns of v, with Vectors.
func EigF32(e, v, a []float32, p Params) {
	eig[float64](e, v, a, &p)
}

// EigF64 is EigF32 for f64.
func EigF64(e, v, a []float64, p Params) {
	eig[float64](e, v, a, &p)
}

// EigC64 is EigF32 for c64.
func EigC64(e, v, a []complex64, p Params) {
	eig[complex128](e, v, a, &p)
}

// EigC128 is EigF32 for c128.
func EigC128(e, v, a []complex128, p Params) {
	eig[complex128](e, v, a, &p)
}

// LeastSquaresF32 solves min |a·x-b|² + l2·|x|² for a [Batch,M,N], b [Batch,M,K]. Without Fast
// the shortest solution without l2.
func LeastSquaresF32(x, a, b []float32, l2 []float64, p Params) error {
	return leastSquares[float64](x, a, b, l2[0], &p)
}

// LeastSquaresF64 is LeastSquaresF32 for f64.
func LeastSquaresF64(x, a, b []float64, l2 []float64, p Params) error {
	return leastSquares[float64](x, a, b, l2[0], &p)
}

// LeastSquaresC64 is LeastSquaresF32 for c64.
func LeastSquaresC64(x, a, b []complex64, l2 []float64, p Params) error {
	return leastSquares[complex128](x, a, b, l2[0], &p)
}

// LeastSquaresC128 is LeastSquaresF32 for c128.
func LeastSquaresC128(x, a, b []complex128, l2 []float64, p Params) error {
	return leastSquares[complex128](x, a, b, l2[0], &p)
}

// Lu32F32 writes L and U of a [Batch,M,M] in one matrix, and perm: row i of L·U is row perm[i] of a.
// InvalidArgument when a is singular.
func Lu32F32(out []float32, perm []int32, a []float32, p Params) error {
	return lu[float64](out, perm, a, &p)
}

// Lu32F64 is Lu32F32 for f64 and int32 permutations.
func Lu32F64(out []float64, perm []int32, a []float64, p Params) error {
	return lu[float64](out, perm, a, &p)
}

// Lu32C64 is Lu32F32 for c64 and int32 permutations.
func Lu32C64(out []complex64, perm []int32, a []complex64, p Params) error {
	return lu[complex128](out, perm, a, &p)
}

// Lu32C128 is Lu32F32 for c128 and int32 permutations.
func Lu32C128(out []complex128, perm []int32, a []complex128, p Params) error {
	return lu[complex128](out, perm, a, &p)
}

// Lu64F32 is Lu32F32 for f32 and int64 permutations.
func Lu64F32(out []float32, perm []int64, a []float32, p Params) error {
	return lu[float64](out, perm, a, &p)
}

// Lu64F64 is Lu32F32 for f64 and int64 permutations.
func Lu64F64(out []float64, perm []int64, a []float64, p Params) error {
	return lu[float64](out, perm, a, &p)
}

// Lu64C64 is Lu32F32 for c64 and int64 permutations.
func Lu64C64(out []complex64, perm []int64, a []complex64, p Params) error {
	return lu[complex128](out, perm, a, &p)
}

// Lu64C128 is Lu32F32 for c128 and int64 permutations.
func Lu64C128(out []complex128, perm []int64, a []complex128, p Params) error {
	return lu[complex128](out, perm, a, &p)
}
