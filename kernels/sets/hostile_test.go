package sets

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestHostile checks that extreme numbers in indices and shapes are refused and cause no overflow.
func TestHostile(t *testing.T) {
	list := func(n int) typed.FedList { return typed.FedList(n) }
	typed.Hostile(t, "Check", Check, list(2), list(2), 1, 2, 1, true)
	typed.Hostile(t, "DistanceCheck", DistanceCheck, list(2), list(2), 1, 1, DistanceParams{})
}
