package norm

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestEnds checks that local response normalisation over many channels stops when the run is
// cancelled.
func TestEnds(t *testing.T) {
	const n = 1 << 12
	x := make([]float32, n)
	p := LRNParams{Rows: 1, C: n, Radius: n, Bias: 1, Alpha: 1, Beta: .5}
	typed.Ends(t, "many channels", []any{LRNF32}, make([]float32, n), x, p)
	typed.Ends(t, "many channels", []any{LRNGradF32}, make([]float32, n), x, x, x, p)
}
