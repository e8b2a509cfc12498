package array

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestEnds: Unique and ListDiff stop when the run ends, even if all elements share a slot of the
// hash table.
func TestEnds(t *testing.T) {
	const n = 1 << 17
	x := make([]float32, n)
	typed.Ends(t, "equal elements", []any{UniqueF32I32}, x, make([]int32, n), x, make([]int32, UniqueScratch(n)), UniqueParams[int32]{Outer: 1, N: n, Inner: 1})
	typed.Ends(t, "equal elements", []any{ListDiffF32I32}, x, make([]int32, n), x, x, make([]int32, 2*n+1))
}
