package linalg

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// cholesky replaces the lower triangle of a by the factor L of a = L·Lᴴ, and zeroes the rest. It
// returns false if the square of a diagonal element of L is zero or negative.
func cholesky[W wide](call *mem.Call, a []W, n int) bool {
	ok := true
	for j := range n {
		call.Work((n - j) * (j + 1))
		s := re(a[j*n+j])
		for k := range j {
			v := abs(a[j*n+k])
			s -= v * v
		}
		if s <= 0 { // a NaN is not reported as a failure
			ok = false
		}
		d := math.Sqrt(s)
		a[j*n+j] = of[W](d)
		for i := j + 1; i < n; i++ {
			t := a[i*n+j]
			for k := range j {
				t -= a[i*n+k] * conj(a[j*n+k])
			}
			a[i*n+j] = t / of[W](d)
		}
		clear(a[j*n+j+1 : (j+1)*n])
	}
	return ok
}

func choleskyAll[W wide, T elem](run *mem.Budget, out, a []T, p *Params) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n := p.M
	work := mem.Make[W](&call, n, n)
	for m := range p.Batch {
		load(work, a[m*n*n:(m+1)*n*n])
		if !cholesky(&call, work, n) {
			nan := of[W](math.NaN())
			for i := range work {
				work[i] = nan
			}
		}
		store(out[m*n*n:(m+1)*n*n], work)
	}
}

// MaxBatchRank is the largest number of batch dimensions of two operands that broadcast.
const MaxBatchRank = 12

// BatchParams locates the matrices of two operands whose batch dimensions broadcast. D holds the
// batch dimensions of the result. A and B hold the strides of the two operands along these
// dimensions, in elements. If there are fewer than MaxBatchRank dimensions, the first elements of D
// are 1.
type BatchParams struct {
	D, A, B [MaxBatchRank]int
}

// at returns the offsets of the matrices of the two operands that belong to the position ix in the
// batch.
func (q *BatchParams) at(ix *[MaxBatchRank]int) (a, b int) {
	for d, i := range ix {
		a += i * q.A[d]
		b += i * q.B[d]
	}
	return a, b
}

// next advances ix to the next position in the batch.
func (q *BatchParams) next(ix *[MaxBatchRank]int) {
	for d := MaxBatchRank - 1; d >= 0; d-- {
		if ix[d]++; ix[d] < q.D[d] {
			return
		}
		ix[d] = 0
	}
}

// triangular computes x = op(a)⁻¹·b for triangular matrices a [M,M] and right-hand sides b [M,K],
// where op(a) is the adjoint of a if p.Adjoint is set, otherwise a. A zero on the diagonal gives
// infinities.
func triangular[W wide, T elem](run *mem.Budget, x, a, b []T, p *Params, q *BatchParams) {
	if p.Batch == 0 {
		return
	}
	call := run.Call()
	defer call.Free()
	n, k := p.M, p.K
	if n == 0 || k == 0 {
		return
	}
	work, out := mem.Make[W](&call, n, n), mem.Make[W](&call, n, k)
	var ix [MaxBatchRank]int
	for m := range p.Batch {
		ao, bo := q.at(&ix)
		load(work, a[ao:ao+n*n])
		load(out, b[bo:bo+n*k])
		lower := p.Lower
		if p.Adjoint {
			adjoint(work, n)
			lower = !lower
		}
		for c := range k {
			for r := range n {
				i := r
				if !lower {
					i = n - 1 - r
				}
				call.Work(r)
				s := out[i*k+c]
				for t := range r {
					j := t
					if !lower {
						j = n - 1 - t
					}
					s -= work[i*n+j] * out[j*k+c]
				}
				out[i*k+c] = s / work[i*n+i]
			}
		}
		store(x[m*n*k:(m+1)*n*k], out)
		q.next(&ix)
	}
}
