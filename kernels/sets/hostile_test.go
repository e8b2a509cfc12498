package sets

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestHostile: hostile numbers in place of indices, sizes and splits are refused, and overflow nothing.
func TestHostile(t *testing.T) {
	list := func(n int) typed.FedList { return typed.FedList(n) }
	typed.Hostile(t, "Check", Check, list(2), list(2), 1, 2, 1, true)
	typed.Hostile(t, "DistanceCheck", DistanceCheck, list(2), list(2), 1, 1, DistanceParams{})
}
