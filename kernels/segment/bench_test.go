package segment

import (
	"fmt"
	"testing"
)

// BenchmarkSum adds rows in segments of ten rows. The reported MB/s include only the rows that are read.
func BenchmarkSum(b *testing.B) {
	const limit, n = 4000, 500
	indices, ids := make([]int64, n), make([]int64, n)
	for i := range indices {
		indices[i], ids[i] = int64(i*7919%limit), int64(i/10)
	}
	for _, inner := range []int{4, 16, 64} {
		data, dst := make([]float32, limit*inner), make([]float32, n/10*inner)
		b.Run(fmt.Sprintf("Sparse/%d", inner), func(b *testing.B) {
			b.SetBytes(int64(4 * n * inner))
			for range b.N {
				SparseF32I64(dst, data, indices, ids, SparseParams{Limit: limit, Inner: inner, Rows: n / 10})
			}
		})
		b.Run(fmt.Sprintf("Sorted/%d", inner), func(b *testing.B) {
			b.SetBytes(int64(4 * n * inner))
			for range b.N {
				SumF32I64(dst, data[:n*inner], ids, n/10, inner)
			}
		})
	}
}
