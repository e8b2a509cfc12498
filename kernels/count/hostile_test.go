package count

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestHostile: the kernels refuse hostile indices, sizes and splits, and no computation overflows.
func TestHostile(t *testing.T) {
	list := func(n int) typed.FedList { return typed.FedList(n) }
	typed.Hostile(t, "SparseCheck", SparseCheck, list(2), list(2), 1, 2, 1)
	typed.Hostile(t, "RaggedRows", RaggedRows, make([]int64, 2), list(3), 2)
	typed.Hostile(t, "RaggedRows", RaggedRows, make([]int64, 2), list(2), 2)
}
