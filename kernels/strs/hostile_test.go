package strs

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/mem"
)

// TestHostile checks that hostile numbers in indices, sizes and splits are refused
// without overflow.
func TestHostile(t *testing.T) {
	list := func(n int) typed.FedList { return typed.FedList(n) }
	typed.Hostile(t, "CrossBatch", CrossBatch, list(2))
	typed.Hostile(t, "CrossRows", CrossRows, make([]int64, 3), list(2), list(2), 1, false)
	typed.Hostile(t, "CrossSplits", CrossSplits, list(3), 3)
	typed.Hostile(t, "PaddedWidth", PaddedWidth, list(1), 4)
	typed.Hostile(t, "JoinFits", JoinFits, []int{2, 3}, list(2))
	typed.Hostile(t, "SubstrI64", SubstrI64, make([]string, 1), []string{"abc"}, list(1), list(1), SubstrParams{D: [6]int{1, 1, 1, 1, 1, 1}})
	typed.Hostile(t, "Substr of characters", SubstrI64, make([]string, 1), []string{"äbc"}, list(1), list(1), SubstrParams{D: [6]int{1, 1, 1, 1, 1, 1}, Chars: true})
	typed.Hostile(t, "NGramSplits", NGramSplits, (*mem.Budget)(nil), make([]int64, 3), []string{"a", "b"}, list(3), []int{2}, NGramParams{Pad: 1})
	typed.Hostile(t, "NGramSplits", NGramSplits, (*mem.Budget)(nil), make([]int64, 2), []string{"a", "b"}, []int64{0, 2}, list(1), NGramParams{Pad: -1})
}
