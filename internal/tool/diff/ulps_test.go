package diff

import (
	"math"
	"testing"
)

func TestULPs(t *testing.T) {
	next := math.Nextafter32
	nan := float32(math.NaN())
	zero := float32(0)
	for _, c := range []struct {
		a, b float32
		want uint32
	}{{1, 1, 0}, {1, next(1, 2), 1}, {zero, -zero, 0}, {next(0, 1), next(0, -1), 2}, {nan, nan, 0}, {nan, 1, math.MaxUint32}, {-2, next(-2, 0), 1}} {
		if got := ulpDistance(c.a, c.b); got != c.want {
			t.Errorf("%g, %g: %d, want %d", c.a, c.b, got, c.want)
		}
	}
	if a, b := float32(math.Inf(1)), float32(math.Inf(-1)); ulpDistance(a, b) < 1<<31 {
		t.Error("infinities are near")
	}
}
