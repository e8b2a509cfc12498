package sets

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestEnds checks that joining many sets stops when the run is cancelled.
func TestEnds(t *testing.T) {
	const n = 1 << 16
	x := make([]int32, n)
	typed.Ends(t, "many sets", []any{OpI32}, make([]int64, 4*n), make([]int32, 2*n), make([]int64, 2), x, []int64{n, 1}, x, []int64{n, 1}, make([]int32, 2*n),
		Params{Kind: Union, DenseA: true, DenseB: true})
}
