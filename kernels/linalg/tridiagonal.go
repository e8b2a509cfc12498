package linalg

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// TridiagonalParams describes Batch tridiagonal matrices [M,M] and right-hand sides [M,K]. If Pivot
// is set, the elimination may exchange rows. If Perturb is set, it may also exchange rows, and it
// moves pivots that are too small away from zero.
type TridiagonalParams struct {
	Batch, M, K    int
	Pivot, Perturb bool
}

// tridiagonal solves a·x = b for tridiagonal matrices a, by elimination with or without exchanges of
// rows. For each matrix, d [3,M] holds the superdiagonal, the diagonal and the subdiagonal, in this
// order. If a matrix is singular, the results are NaN, or 0 for complex types.
func tridiagonal[W wide, T elem](run *mem.Budget, x, d, b []T, p *TridiagonalParams) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n, k := p.M, p.K
	if n == 0 || k == 0 {
		return
	}
	w, y, u := mem.Make[W](&call, 3, n), mem.Make[W](&call, n, k), mem.Make[W](&call, 3, n)
	tiny, eps := realLimits[T]()
	for m := range p.Batch {
		load(w, d[m*3*n:(m+1)*3*n])
		load(y, b[m*n*k:(m+1)*n*k])
		clear(u)
		ok := true
		switch {
		case p.Perturb:
			perturbed(y, u, w, n, k, eps, tiny)
		case p.Pivot || n == 1:
			ok = pivoted(y, u, w, n, k)
		default:
			ok = thomas(y, u, w, n, k)
		}
		if !ok {
			none := of[W](math.NaN())
			if !isReal[T]() { // for complex types, TensorFlow's result is 0
				none = of[W](0)
			}
			fill(x[m*n*k:(m+1)*n*k], []W{none})
			continue
		}
		store(x[m*n*k:(m+1)*n*k], y)
	}
}

// realLimits returns tiny, the smallest positive normal number in the precision of T, and eps, the
// distance from 1 to the next larger number.
func realLimits[T elem]() (tiny, eps float64) {
	eps = epsOf[T]()
	if eps > eps64 {
		return 0x1p-126, eps
	}
	return 0x1p-1022, eps
}

// subtract subtracts f times row j of y[n,k] from row i.
func subtract[W wide](y []W, i, j, k int, f W) {
	for c := range k {
		y[i*k+c] -= f * y[j*k+c]
	}
}

func swapRows[W wide](y []W, i, j, k int) {
	for c := range k {
		y[i*k+c], y[j*k+c] = y[j*k+c], y[i*k+c]
	}
}

func scaleRow[W wide](y []W, i, k int, f W) {
	for c := range k {
		y[i*k+c] /= f
	}
}

// pivoted solves the system with the diagonals w by elimination with exchanges of rows. It stores
// the diagonal and the two superdiagonals of the upper triangular factor in u, and replaces the
// right-hand sides y by the solutions. It returns false if a pivot is 0.
func pivoted[W wide](y, u, w []W, n, k int) bool {
	up, diag, low := w[:n], w[n:2*n], w[2*n:]
	d, e, f := u[:n], u[n:2*n], u[2*n:]
	d[0], e[0] = diag[0], up[0]
	for i := range n - 1 {
		if abs(d[i]) >= abs(low[i+1]) {
			if d[i] == 0 {
				return false
			}
			q := low[i+1] / d[i]
			d[i+1] = diag[i+1] - q*e[i]
			subtract(y, i+1, i, k, q)
			e[i+1], f[i] = up[i+1], 0
			continue
		}
		q := d[i] / low[i+1]
		d[i], d[i+1], e[i] = low[i+1], e[i]-q*diag[i+1], diag[i+1]
		swapRows(y, i, i+1, k)
		subtract(y, i+1, i, k, q)
		f[i], e[i+1] = up[i+1], -q*up[i+1]
	}
	if d[n-1] == 0 {
		return false
	}
	for i := n - 1; i >= 0; i-- {
		if i+1 < n {
			subtract(y, i, i+1, k, e[i])
		}
		if i+2 < n {
			subtract(y, i, i+2, k, f[i])
		}
		scaleRow(y, i, k, d[i])
	}
	return true
}

// thomas solves the system with the diagonals w by elimination without exchanges of rows, which is
// Thomas's algorithm. It replaces the right-hand sides y by the solutions. u is scratch. It returns
// false if a pivot is 0.
func thomas[W wide](y, u, w []W, n, k int) bool {
	up, diag, low := w[:n], w[n:2*n], w[2*n:]
	if diag[0] == 0 {
		return false
	}
	u[0] = up[0] / diag[0]
	scaleRow(y, 0, k, diag[0])
	for i := 1; i < n; i++ {
		d := diag[i] - low[i]*u[i-1]
		if d == 0 {
			return false
		}
		u[i] = up[i] / d
		subtract(y, i, i-1, k, low[i])
		scaleRow(y, i, k, d)
	}
	for i := n - 2; i >= 0; i-- {
		subtract(y, i, i+1, k, u[i])
	}
	return true
}

// perturbed solves the system as pivoted does, with two differences, which are those of LAPACK's
// xLAGTF and xLAGTS. When it compares rows to choose a pivot, it divides their elements by the sums
// of their magnitudes. It moves pivots that are too small away from zero. Therefore the matrix may
// be singular.
func perturbed[W wide](y, u, w []W, n, k int, eps, tiny float64) {
	up, diag, low := w[:n], w[n:2*n], w[2*n:]
	d, e, f := u[:n], u[n:2*n], u[2*n:]
	d[0] = diag[0]
	if n > 1 {
		e[0] = up[0]
	}
	most := max(abs(d[0]), abs(e[0]))
	scale := abs(d[0]) + abs(e[0])
	for i := range n - 1 {
		d[i+1] = diag[i+1]
		next := abs(low[i+1]) + abs(d[i+1])
		if i < n-2 {
			next += abs(up[i+1])
		}
		first := 0.0
		if d[i] != 0 {
			first = abs(d[i]) / scale
		}
		switch {
		case low[i+1] == 0:
			scale = next
			e[i+1] = up[i+1]
		case abs(low[i+1])/next <= first:
			scale = next
			q := low[i+1] / d[i]
			d[i+1] = diag[i+1] - q*e[i]
			e[i+1] = up[i+1]
			subtract(y, i+1, i, k, q)
		default:
			q := d[i] / low[i+1]
			d[i], d[i+1], e[i] = low[i+1], e[i]-q*diag[i+1], diag[i+1]
			if i < n-2 {
				f[i], e[i+1] = up[i+1], -q*up[i+1]
			}
			swapRows(y, i, i+1, k)
			subtract(y, i+1, i, k, q)
		}
		if i < n-2 {
			most = max(most, abs(d[i]), abs(e[i]), abs(f[i]))
		}
	}
	most = max(most, abs(d[n-1]))
	for i := n - 1; i >= 0; i-- {
		if i+1 < n {
			subtract(y, i, i+1, k, e[i])
		}
		if i+2 < n {
			subtract(y, i, i+2, k, f[i])
		}
		pivot := d[i]
		if n == 1 {
			most = abs(pivot)
		}
		movePivot(&pivot, y[i*k:(i+1)*k], eps*most, tiny)
		inverse := of[W](1) / pivot
		for c := range k {
			y[i*k+c] *= inverse
		}
	}
}

// movePivot moves *pivot away from zero until no element of the slice row overflows when it is divided
// by *pivot. The size of the first step is max(by, tiny), and each further step is twice as large as
// the step before it. If *pivot is denormal but large enough for these quotients, movePivot scales both
// *pivot and the slice instead.
func movePivot[W wide](pivot *W, row []W, by, tiny float64) {
	a := abs(*pivot)
	if a >= 1 {
		return
	}
	by = math.Copysign(max(by, tiny), re(*pivot))
	most := 0.0
	for _, v := range row {
		most = max(most, abs(v))
	}
	for a < 1 {
		switch {
		case a < tiny && (a == 0 || most*tiny > a), a >= tiny && most > a/tiny:
			*pivot += of[W](by)
			by *= 2
		case a < tiny:
			*pivot *= of[W](1 / tiny)
			for c := range row {
				row[c] *= of[W](1 / tiny)
			}
			return
		default:
			return
		}
		a = abs(*pivot)
	}
}

// tridiagonalProduct multiplies b [M,K] by tridiagonal matrices. up, diag and low are their
// superdiagonals, diagonals and subdiagonals, each [M].
func tridiagonalProduct[W wide, T elem](run *mem.Budget, out, up, diag, low, b []T, p *TridiagonalParams) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n, k := p.M, p.K
	w, x, y := mem.Make[W](&call, 3, n), mem.Make[W](&call, n, k), mem.Make[W](&call, n, k)
	for m := range p.Batch {
		load(w[:n], up[m*n:(m+1)*n])
		load(w[n:2*n], diag[m*n:(m+1)*n])
		load(w[2*n:], low[m*n:(m+1)*n])
		load(x, b[m*n*k:(m+1)*n*k])
		for i := range n {
			for c := range k {
				v := w[n+i] * x[i*k+c]
				if i > 0 {
					v += w[2*n+i] * x[(i-1)*k+c]
				}
				if i+1 < n {
					v += w[i] * x[(i+1)*k+c]
				}
				y[i*k+c] = v
			}
		}
		store(out[m*n*k:(m+1)*n*k], y)
	}
}

// BandedParams describes triangular matrices that are stored as Bands diagonals, [Bands,M]. Each
// diagonal is stored with one element for each row of the matrix. The main diagonal is the first
// one if Lower is set, and the last one otherwise.
type BandedParams struct {
	Batch, Bands, M, K int
	Lower, Adjoint     bool
}

// banded computes x = op(a)⁻¹·b for banded triangular matrices. It returns InvalidArgument for
// a zero on the first matrix's diagonal. The diagonals of other matrices are not checked; a
// zero there gives infinities.
func banded[W wide, T elem](run *mem.Budget, x, a, b []T, p *BandedParams, q *BatchParams) error {
	if p.Batch == 0 {
		return nil
	}
	call := run.Call()
	defer call.Free()
	n, k, h := p.M, p.K, p.Bands
	w, y := mem.Make[W](&call, h, n), mem.Make[W](&call, n, k)
	var ix [MaxBatchRank]int
	if p.Batch == 0 || n == 0 || k == 0 {
		return nil
	}
	for m := range p.Batch {
		ao, bo := q.at(&ix)
		load(w, a[ao:ao+h*n])
		load(y, b[bo:bo+n*k])
		main := w[:n]
		if !p.Lower {
			main = w[(h-1)*n:]
		}
		for _, v := range main {
			if m == 0 && abs(v) == 0 {
				return tensor.Errorf(tensor.InvalidArgument, "Input matrix is not invertible.")
			}
		}
		solveBands(&call, y, w, p)
		store(x[m*n*k:(m+1)*n*k], y)
		q.next(&ix)
	}
	return nil
}

// solveBands solves the system of one matrix in place: y [M,K] holds the right-hand sides and becomes
// the solutions.
func solveBands[W wide](call *mem.Call, y, w []W, p *BandedParams) {
	n, h := p.M, p.Bands
	// elem returns the element in row r and column c of the matrix, or of its adjoint if p.Adjoint
	// is set.
	elem := func(r, c int) W {
		if p.Adjoint {
			r, c = c, r
		}
		band := r - c
		if !p.Lower {
			band = h - 1 - (c - r)
		}
		if p.Adjoint {
			return conj(w[band*n+r])
		}
		return w[band*n+r]
	}
	down := p.Lower != p.Adjoint
	for s := range n {
		i := s
		if !down {
			i = n - 1 - s
		}
		for d := 1; d < min(h, s+1); d++ {
			call.Work(p.K)
			j := i - d
			if !down {
				j = i + d
			}
			subtract(y, i, j, p.K, elem(i, j))
		}
		scaleRow(y, i, p.K, elem(i, i))
	}
}
