package rnn

import (
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/mem"
)

// productRows returns the number of rows of a product that are computed before the next check
// whether the run was cancelled. The product has n columns, and its sums have k terms. Computing
// the rows takes tens of milliseconds. The second matrix is packed again after each check, but this
// takes little time in comparison.
func productRows(n, k int) int {
	const sums = 1 << 29
	return max(gemm.BatchRows, sums/max(mem.Mul(n, k), 1))
}

// product computes the matrix products that p describes. In between, it checks whether the run was
// cancelled.
func product(call *mem.Call, c, a, b, scratch []float32, p gemm.BatchParams) {
	productBy(call, productRows(p.N, p.K), c, a, b, scratch, p)
}

// productBy computes the matrix products that p describes, the given number of rows at a time.
func productBy(call *mem.Call, rows int, c, a, b, scratch []float32, p gemm.BatchParams) {
	for p.First = 0; p.First < p.M; p.First += rows {
		p.Count = min(rows, p.M-p.First)
		call.Work(productWork(p.Count, p.N, p.K))
		gemm.BatchF32(c, a, b, scratch, p)
	}
}

// productWork returns the approximate time of a product in nanoseconds.
func productWork(m, n, k int) int { return mem.Mul(mem.Mul(m, n), k) / 16 }
