package linalg

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// factor replaces the n×n matrix a by its factors L, which has a unit diagonal, and U, with partial
// pivoting. Row i of L·U is row perm[i] of a. sign is the permutation's sign. singular reports
// whether a pivot was 0. A NaN becomes a pivot only if it is already on the diagonal.
func factor[W wide](call *mem.Call, a []W, perm []int, n int) (sign float64, singular bool) {
	sign = 1
	for i := range n {
		perm[i] = i
	}
	for k := range n {
		best, at := abs(a[k*n+k]), k
		for i := k + 1; i < n; i++ {
			if v := abs(a[i*n+k]); v > best {
				best, at = v, i
			}
		}
		if best == 0 {
			singular = true
			continue
		}
		if at != k {
			for j := range n {
				a[k*n+j], a[at*n+j] = a[at*n+j], a[k*n+j]
			}
			perm[k], perm[at] = perm[at], perm[k]
			sign = -sign
		}
		for i := k + 1; i < n; i++ {
			call.Work(n - k)
			f := a[i*n+k] / a[k*n+k]
			a[i*n+k] = f
			for j := k + 1; j < n; j++ {
				a[i*n+j] -= f * a[k*n+j]
			}
		}
	}
	return sign, singular
}

// nan reports whether the first pivot, x, is NaN. In this case, TensorFlow refuses the matrix: it
// computes the minimum of all pivots, and refuses a matrix unless the minimum is greater than 0.
// Its minimum is NaN only if the first pivot is NaN.
func nan[W wide](x W) bool { return math.IsNaN(abs(x)) }

// adjoint replaces the n×n matrix by its conjugate transpose.
func adjoint[W wide](a []W, n int) {
	for i := range n {
		a[i*n+i] = conj(a[i*n+i])
		for j := range i {
			a[i*n+j], a[j*n+i] = conj(a[j*n+i]), conj(a[i*n+j])
		}
	}
}

// solveFactored solves L·U·x = b in place. lu holds L and U. x[n,k] holds the right-hand sides b,
// with their rows already permuted, and is replaced by the solutions.
func solveFactored[W wide](call *mem.Call, lu, x []W, n, k int) {
	for c := range k {
		for i := range n {
			call.Work(n)
			s := x[i*k+c]
			for j := range i {
				s -= lu[i*n+j] * x[j*k+c]
			}
			x[i*k+c] = s
		}
		for i := n - 1; i >= 0; i-- {
			call.Work(n)
			s := x[i*k+c]
			for j := i + 1; j < n; j++ {
				s -= lu[i*n+j] * x[j*k+c]
			}
			x[i*k+c] = s / lu[i*n+i]
		}
	}
}

// inverse computes x = op(a)⁻¹ for matrices a [M,M], where op(a) is the adjoint of a if p.Adjoint
// is set, otherwise a.
func inverse[W wide, T elem](run *mem.Budget, x, a []T, p *Params) error {
	q := *p
	q.K = q.M
	return solve[W](run, x, a, nil, &q)
}

// solve computes x = op(a)⁻¹·b for matrices a [M,M] and b [M,K], where op(a) is the adjoint of a if
// p.Adjoint is set, otherwise a. If b is nil, it means the unit matrix.
func solve[W wide, T elem](run *mem.Budget, x, a, b []T, p *Params) error {
	if p.Batch == 0 {
		return nil
	}
	call := run.Call()
	defer call.Free()
	n, k := p.M, p.K
	if n == 0 || k == 0 { // the result x is empty, so it does not matter whether the matrices are singular
		return nil
	}
	work, rhs, out, perm := mem.Make[W](&call, n, n), mem.Make[W](&call, n, k), mem.Make[W](&call, n, k), mem.Make[int](&call, n)
	for m := range p.Batch {
		load(work, a[m*n*n:(m+1)*n*n])
		if p.Adjoint {
			adjoint(work, n)
		}
		if _, singular := factor(&call, work, perm, n); singular || nan(work[0]) {
			return errSingular
		}
		if len(b) == 0 {
			clear(out)
			for i, r := range perm {
				out[i*k+r] = of[W](1)
			}
		} else {
			load(rhs, b[m*n*k:(m+1)*n*k])
			for i, r := range perm {
				copy(out[i*k:(i+1)*k], rhs[r*k:])
			}
		}
		solveFactored(&call, work, out, n, k)
		store(x[m*n*k:(m+1)*n*k], out)
	}
	return nil
}

func determinant[W wide, T elem](run *mem.Budget, det []T, a []T, p *Params) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	work, perm := mem.Make[W](&call, n, n), mem.Make[int](&call, n)
	for m := range p.Batch {
		load(work, a[m*n*n:(m+1)*n*n])
		sign, _ := factor(&call, work, perm, n)
		d := of[W](sign)
		for i := range n {
			d *= work[i*n+i]
		}
		store(det[m:m+1], []W{d})
	}
}

func logDeterminant[W wide, T elem](run *mem.Budget, sign, log []T, a []T, p *Params) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	work, perm := mem.Make[W](&call, n, n), mem.Make[int](&call, n)
	for m := range p.Batch {
		load(work, a[m*n*n:(m+1)*n*n])
		sg, _ := factor(&call, work, perm, n)
		s, l := of[W](sg), 0.0
		for i := range n {
			d := work[i*n+i]
			r := abs(d)
			l += math.Log(r)
			if r == 0 {
				s = 0
			} else {
				s *= d / of[W](r)
			}
		}
		store(sign[m:m+1], []W{s})
		store(log[m:m+1], []W{of[W](l)})
	}
}

func lu[W wide, T elem, I int32 | int64](run *mem.Budget, out []T, perm []I, a []T, p *Params) error {
	if p.Batch == 0 {
		return nil
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	work, order := mem.Make[W](&call, n, n), mem.Make[int](&call, n)
	for m := range p.Batch {
		load(work, a[m*n*n:(m+1)*n*n])
		if _, singular := factor(&call, work, order, n); singular || nan(work[0]) {
			return errSingular
		}
		store(out[m*n*n:(m+1)*n*n], work)
		for i, v := range order {
			perm[m*n+i] = I(v)
		}
	}
	return nil
}

// Invertible returns the error for a singular matrix if singular[0] is not 0. Kernels that run on a
// device set singular[0] to 1 if a matrix is singular, and to 0 otherwise.
func Invertible(singular []int32) error {
	if singular[0] != 0 {
		return errSingular
	}
	return nil
}
