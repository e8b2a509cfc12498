package ragged

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestHostile checks that extreme numbers in indices, sizes and splits are refused and cause no
// overflow.
func TestHostile(t *testing.T) {
	list := func(n int) typed.FedList { return typed.FedList(n) }
	for _, kinds := range []string{"S", "R"} {
		p := DenseParams{Kinds: kinds}
		check := func(head, want, parts []int64) error {
			p.Head = head
			return DenseCheck(want, parts, []int{len(parts)}, []int{2, 3}, []int{3}, p)
		}
		for _, head := range [][]int64{nil, {2}} {
			typed.Hostile(t, "DenseCheck, "+kinds, check, head, []int64{-1, 2, 3}, list(3))
			typed.Hostile(t, "DenseCheck, "+kinds, check, head, list(3), []int64{0, 1})
		}
		typed.Hostile(t, "DenseCheck, "+kinds, check, list(1), []int64{-1, -1, -1}, list(2))
	}
	typed.Hostile(t, "FillCount", FillCount, make([]bool, 2), make([]int64, 2), list(2))
	typed.Hostile(t, "GatherCheck", GatherCheck, list(3), []int{3}, list(1), 2)
	typed.Hostile(t, "GatherCheck", GatherCheck, list(4), []int{2, 2}, []int64{0}, 2)
	typed.Hostile(t, "Strict", Strict, list(3), []int{3}, 2)
	typed.Hostile(t, "RangeI64", RangeI64, make([]int64, 2), list(1), list(1), list(1), RangeParams{Most: 1 << 62})
	typed.Hostile(t, "RangeI32", RangeI32, make([]int64, 2), list(1), list(1), list(1), RangeParams{Most: 1 << 30})
}
