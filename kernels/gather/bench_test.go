package gather

import (
	"fmt"
	"testing"
)

// BenchmarkGather copies rows of a table; MB/s counts the bytes read and written.
func BenchmarkGather(b *testing.B) {
	const limit, n = 4000, 500
	indices := make([]int64, n)
	for i := range indices {
		indices[i] = int64(i * 7919 % limit)
	}
	for _, inner := range []int{1, 16, 64} {
		params, dst := make([]float32, limit*inner), make([]float32, n*inner)
		b.Run(fmt.Sprint(inner), func(b *testing.B) {
			b.SetBytes(int64(8 * n * inner))
			for range b.N {
				GatherF32I64(dst, params, indices, Params{Batch: 1, Outer: 1, Limit: limit, N: n, Inner: inner})
			}
		})
	}
}
