package elem

import (
	"math"
	"testing"
)

// TestZetaEnds checks zeta for exponents x that are so large that terms are 0. The values are those of
// TensorFlow 2.21.
func TestZetaEnds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ x, q, want float64 }{
		{inf, -1, inf}, {inf, -0.5, inf}, {inf, 0, inf}, {inf, 0.5, inf}, {inf, 1, 1}, {inf, 1.5, 0}, {inf, 2, 0}, {inf, 30, 0}, {inf, inf, 0},
		{1000, 3, 0}, {1e30, 2, 0},
	} {
		if got := zeta(c.x, c.q); got != c.want {
			t.Errorf("zeta(%v, %v) = %v, want %v", c.x, c.q, got, c.want)
		}
	}
	if got := zeta(inf, math.NaN()); got == got {
		t.Errorf("zeta(%v, NaN) = %v", inf, got)
	}
}
