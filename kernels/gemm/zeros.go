package gemm

import "github.com/graphc/graphc/rt/mem"

// SkipParams describes a product C[M,N] = A[M,K] · B[K,N]. SkipZeros skips the zeros of A if Left
// is set, and the zeros of B otherwise.
type SkipParams struct {
	M, N, K        int
	TransA, TransB bool // whether a is stored as [K,M], and whether b is stored as [N,K]
	Left           bool
}

// SkipZeros recomputes the infinite and NaN elements of a product that has already been computed.
// The new sums leave out the terms in which one operand is zero, so that zero times infinity or NaN
// counts as zero. p.Left selects this operand.
func SkipZeros(run *mem.Budget, c, a, b []float32, p SkipParams) {
	call := run.Call()
	defer call.Free()
	am, ak := steps(p.K, p.TransA)
	if p.TransA {
		ak = p.M
	}
	bk, bn := steps(p.N, p.TransB)
	if p.TransB {
		bn = p.K
	}
	for m := range p.M {
		for n := range p.N {
			v := &c[m*p.N+n]
			if *v-*v == 0 {
				continue
			}
			call.Work(p.K)
			sum := float32(0)
			for k := range p.K {
				x, y := a[m*am+k*ak], b[k*bk+n*bn]
				if p.Left && x == 0 || !p.Left && y == 0 {
					continue
				}
				sum += x * y
			}
			*v = sum
		}
	}
}
