package order

import (
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestEnds checks that selecting from a long row stops when the run is cancelled, and that the
// memory used for rows with NaNs counts towards the run's limit.
func TestEnds(t *testing.T) {
	const n, k = 1 << 17, 1 << 14
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i)
	}
	values, places := make([]float32, n), make([]int32, n)
	typed.Ends(t, "rising numbers", []any{TopKF32I32}, values[:k], places[:k], x, TopParams{1, n, k})
	typed.Ends(t, "all of a row", []any{TopKF32I32}, values, places, x, TopParams{1, n, n})
	typed.Ends(t, "rising numbers", []any{TopKUnsortedF32I32}, values[:k], places[:k], x, make([]int32, k+1), TopParams{1, n, k})
	mixed := make([]float32, n)
	for i := range mixed {
		mixed[i] = float32(i * 7919 % n)
	}
	typed.Ends(t, "a long row", []any{NthF32}, values[:1], mixed, make([]float32, n), n, k)
	x[0] = float32(math.NaN())
	typed.Exhausts(t, "a row with NaN", []any{TopKF32I32}, k, values[:k], places[:k], x[:2*k], TopParams{1, 2 * k, k})
}
