package count

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestEnds: counting many values stops when the run ends.
func TestEnds(t *testing.T) {
	const n = 1 << 17
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i * 7919 % n)
	}
	typed.Ends(t, "many values", []any{TallyI64}, make([]int64, n), make([]int64, n), make([]int64, 1), values, []int64{}, make([]int64, n),
		TallyParams{Inner: 1, Max: -1})
}
