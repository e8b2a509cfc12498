package rnn

import (
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/mem"
)

// productRows returns the number of rows of a product with n columns and sums of k
// numbers that are computed between two checks of the run. They take tens of
// milliseconds, long enough that packing the other matrix again does not matter.
func productRows(n, k int) int {
	const sums = 1 << 29
	return max(gemm.BatchRows, sums/max(mem.Mul(n, k), 1))
}

// product computes the products of p, and checks the run in between.
func product(call *mem.Call, c, a, b, scratch []float32, p gemm.BatchParams) {
	productBy(call, productRows(p.N, p.K), c, a, b, scratch, p)
}

// productBy computes the products of p, some rows at a time.
func productBy(call *mem.Call, rows int, c, a, b, scratch []float32, p gemm.BatchParams) {
	for p.First = 0; p.First < p.M; p.First += rows {
		p.Count = min(rows, p.M-p.First)
		call.Work(productWork(p.Count, p.N, p.K))
		gemm.BatchF32(c, a, b, scratch, p)
	}
}

// productWork returns the approximate time of a product in nanoseconds.
func productWork(m, n, k int) int { return mem.Mul(mem.Mul(m, n), k) / 16 }
