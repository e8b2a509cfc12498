package linalg

import (
	"github.com/graphc/graphc/kernels/gpu/gemm"
	"github.com/graphc/graphc/rt/device"
)

// CholeskyF32 factors the matrices a[Batch,N,N] into L·Lᴴ and stores L in out. For a matrix that is
// not positive definite, L is NaN. Only the lower triangle of each matrix is read. The parameter bad
// is scratch memory for Batch int32 numbers. The parameter lent is scratch memory for one float64
// number (complex128 for complex types) per element of the matrices. It may be 0 if the matrices are
// float64 or complex128.
func CholeskyF32(q *device.Queue, out, a, lent, bad device.Ptr, p Params) {
	f := field{size: 4, wide: 8, load: &loadF32, product: gemm.F64, cholesky: &choleskyF64, lower: &lowerF64}
	f.decompose(q, out, a, lent, bad, &p)
}

// CholeskyF64 is CholeskyF32 for float64.
func CholeskyF64(q *device.Queue, out, a, lent, bad device.Ptr, p Params) {
	f := field{size: 8, wide: 8, load: &loadF64, product: gemm.F64, cholesky: &choleskyF64, lower: &lowerF64}
	f.decompose(q, out, a, lent, bad, &p)
}

// CholeskyC64 is CholeskyF32 for complex64.
func CholeskyC64(q *device.Queue, out, a, lent, bad device.Ptr, p Params) {
	f := field{size: 8, wide: 16, load: &loadC64, product: gemm.C128, cholesky: &choleskyC128, lower: &lowerC128}
	f.decompose(q, out, a, lent, bad, &p)
}

// CholeskyC128 is CholeskyF32 for complex128.
func CholeskyC128(q *device.Queue, out, a, lent, bad device.Ptr, p Params) {
	f := field{size: 16, wide: 16, load: &loadC128, product: gemm.C128, cholesky: &choleskyC128, lower: &lowerC128}
	f.decompose(q, out, a, lent, bad, &p)
}

// SolveF32 computes x = op(a)⁻¹·b for matrices a[Batch,N,N] and right-hand sides b[Batch,N,K], where
// op(a) is the adjoint of a if p.Adjoint is set, otherwise a. The int32 number at singular is set to
// 1 if a matrix has no inverse, else to 0. The parameter work is scratch memory for one float64 number
// (complex128 for complex types) per element of the matrices. The parameter lent is scratch memory for
// one such number per element of x. It may be 0 if the matrices are float64 or complex128. The parameter
// ints is scratch memory for Batch·(2·N+1) int32 numbers.
func SolveF32(q *device.Queue, x, a, b, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 4, wide: 8, load: &loadF32, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64, rows: &rowsF32}
	f.solve(q, x, a, b, work, lent, ints, singular, &p)
}

// SolveF64 is SolveF32 for float64.
func SolveF64(q *device.Queue, x, a, b, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 8, load: &loadF64, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64, rows: &rowsF64}
	f.solve(q, x, a, b, work, lent, ints, singular, &p)
}

// SolveC64 is SolveF32 for complex64.
func SolveC64(q *device.Queue, x, a, b, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 16, load: &loadC64, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128, rows: &rowsC64}
	f.solve(q, x, a, b, work, lent, ints, singular, &p)
}

// SolveC128 is SolveF32 for complex128.
func SolveC128(q *device.Queue, x, a, b, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 16, wide: 16, load: &loadC128, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128, rows: &rowsC128}
	f.solve(q, x, a, b, work, lent, ints, singular, &p)
}

// InverseF32 computes x = op(a)⁻¹ for matrices a[Batch,N,N]. The other arguments are as in SolveF32;
// p.K is ignored.
func InverseF32(q *device.Queue, x, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 4, wide: 8, load: &loadF32, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64, rows: &rowsF32}
	f.inverse(q, x, a, work, lent, ints, singular, &p)
}

// InverseF64 is InverseF32 for float64.
func InverseF64(q *device.Queue, x, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 8, load: &loadF64, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64, rows: &rowsF64}
	f.inverse(q, x, a, work, lent, ints, singular, &p)
}

// InverseC64 is InverseF32 for complex64.
func InverseC64(q *device.Queue, x, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 16, load: &loadC64, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128, rows: &rowsC64}
	f.inverse(q, x, a, work, lent, ints, singular, &p)
}

// InverseC128 is InverseF32 for complex128.
func InverseC128(q *device.Queue, x, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 16, wide: 16, load: &loadC128, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128, rows: &rowsC128}
	f.inverse(q, x, a, work, lent, ints, singular, &p)
}

// TriangularF32 computes x = op(a)⁻¹·b for triangular matrices a[Batch,N,N], or one matrix a[N,N] if
// p.One is set, and right-hand sides b[Batch,N,K]. A zero on the diagonal gives infinities. work and
// lent are as in SolveF32, but float64 and complex128 matrices need neither.
func TriangularF32(q *device.Queue, x, a, b, work, lent device.Ptr, p Params) {
	f := field{size: 4, wide: 8, load: &loadF32, product: gemm.F64, triangle: &triangleF64}
	f.triangular(q, x, a, b, work, lent, &p)
}

// TriangularF64 is TriangularF32 for float64.
func TriangularF64(q *device.Queue, x, a, b, work, lent device.Ptr, p Params) {
	f := field{size: 8, wide: 8, load: &loadF64, product: gemm.F64, triangle: &triangleF64}
	f.triangular(q, x, a, b, work, lent, &p)
}

// TriangularC64 is TriangularF32 for complex64.
func TriangularC64(q *device.Queue, x, a, b, work, lent device.Ptr, p Params) {
	f := field{size: 8, wide: 16, load: &loadC64, product: gemm.C128, triangle: &triangleC128}
	f.triangular(q, x, a, b, work, lent, &p)
}

// TriangularC128 is TriangularF32 for complex128.
func TriangularC128(q *device.Queue, x, a, b, work, lent device.Ptr, p Params) {
	f := field{size: 16, wide: 16, load: &loadC128, product: gemm.C128, triangle: &triangleC128}
	f.triangular(q, x, a, b, work, lent, &p)
}

// DeterminantF32 sets det to the determinants of the matrices a[Batch,N,N]. lent is scratch of
// 2·Batch float64 (complex128 for complex types). The other arguments are as in SolveF32.
func DeterminantF32(q *device.Queue, det, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 4, wide: 8, load: &loadF32, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64, determinants: &determinantsF64}
	f.determinant(q, det, 0, a, work, lent, ints, singular, &p)
}

// DeterminantF64 is DeterminantF32 for float64.
func DeterminantF64(q *device.Queue, det, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 8, load: &loadF64, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64, determinants: &determinantsF64}
	f.determinant(q, det, 0, a, work, lent, ints, singular, &p)
}

// DeterminantC64 is DeterminantF32 for complex64.
func DeterminantC64(q *device.Queue, det, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 16, load: &loadC64, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128, determinants: &determinantsC128}
	f.determinant(q, det, 0, a, work, lent, ints, singular, &p)
}

// DeterminantC128 is DeterminantF32 for complex128.
func DeterminantC128(q *device.Queue, det, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 16, wide: 16, load: &loadC128, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128, determinants: &determinantsC128}
	f.determinant(q, det, 0, a, work, lent, ints, singular, &p)
}

// LogDeterminantF32 sets sign to the signs of the determinants, and log to the logarithms of their
// absolute values. The other arguments are as in DeterminantF32.
func LogDeterminantF32(q *device.Queue, sign, log, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 4, wide: 8, load: &loadF32, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64, determinants: &determinantsF64}
	f.determinant(q, sign, log, a, work, lent, ints, singular, &p)
}

// LogDeterminantF64 is LogDeterminantF32 for float64.
func LogDeterminantF64(q *device.Queue, sign, log, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 8, load: &loadF64, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64, determinants: &determinantsF64}
	f.determinant(q, sign, log, a, work, lent, ints, singular, &p)
}

// LogDeterminantC64 is LogDeterminantF32 for complex64.
func LogDeterminantC64(q *device.Queue, sign, log, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 16, load: &loadC64, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128, determinants: &determinantsC128}
	f.determinant(q, sign, log, a, work, lent, ints, singular, &p)
}

// LogDeterminantC128 is LogDeterminantF32 for complex128.
func LogDeterminantC128(q *device.Queue, sign, log, a, work, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 16, wide: 16, load: &loadC128, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128, determinants: &determinantsC128}
	f.determinant(q, sign, log, a, work, lent, ints, singular, &p)
}

// Lu32F32 factors the matrices a[Batch,N,N] with partial pivoting. It stores both factors in out: U
// on and above the diagonal, and L below it. All diagonal elements of L are 1. Row i of L·U is row
// perm[i] of a, and perm holds int32 numbers. lent is scratch of the same size as SolveF32's argument
// work, but float64 and complex128 matrices need none. The other arguments are as in SolveF32.
func Lu32F32(q *device.Queue, out, perm, a, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 4, wide: 8, load: &loadF32, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64}
	f.decomposition(q, out, perm, a, lent, ints, singular, false, &p)
}

// Lu32F64 is Lu32F32 for float64.
func Lu32F64(q *device.Queue, out, perm, a, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 8, load: &loadF64, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64}
	f.decomposition(q, out, perm, a, lent, ints, singular, false, &p)
}

// Lu32C64 is Lu32F32 for complex64.
func Lu32C64(q *device.Queue, out, perm, a, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 16, load: &loadC64, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128}
	f.decomposition(q, out, perm, a, lent, ints, singular, false, &p)
}

// Lu32C128 is Lu32F32 for complex128.
func Lu32C128(q *device.Queue, out, perm, a, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 16, wide: 16, load: &loadC128, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128}
	f.decomposition(q, out, perm, a, lent, ints, singular, false, &p)
}

// Lu64F32 is Lu32F32 with perm in int64.
func Lu64F32(q *device.Queue, out, perm, a, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 4, wide: 8, load: &loadF32, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64}
	f.decomposition(q, out, perm, a, lent, ints, singular, true, &p)
}

// Lu64F64 is Lu64F32 for float64.
func Lu64F64(q *device.Queue, out, perm, a, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 8, load: &loadF64, product: gemm.F64, lu: &luF64, exchange: &exchangeF64, triangle: &triangleF64}
	f.decomposition(q, out, perm, a, lent, ints, singular, true, &p)
}

// Lu64C64 is Lu64F32 for complex64.
func Lu64C64(q *device.Queue, out, perm, a, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 8, wide: 16, load: &loadC64, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128}
	f.decomposition(q, out, perm, a, lent, ints, singular, true, &p)
}

// Lu64C128 is Lu64F32 for complex128.
func Lu64C128(q *device.Queue, out, perm, a, lent, ints, singular device.Ptr, p Params) {
	f := field{size: 16, wide: 16, load: &loadC128, product: gemm.C128, lu: &luC128, exchange: &exchangeC128, triangle: &triangleC128}
	f.decomposition(q, out, perm, a, lent, ints, singular, true, &p)
}
