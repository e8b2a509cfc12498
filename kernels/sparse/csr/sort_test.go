package csr

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/mem"
)

// TestSortInts compares sortInts with package slices, for lengths around multiples of sortBlock.
func TestSortInts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var run *mem.Budget
	for _, n := range []int{0, 1, 2, sortBlock - 1, sortBlock, sortBlock + 1, 2 * sortBlock, 3*sortBlock + 5, 7 * sortBlock} {
		s := make([]int32, n)
		for i := range s {
			s[i] = r.Int32N(1000) - 500
		}
		want := slices.Sorted(slices.Values(s))
		call := run.Call()
		sortInts(&call, s)
		if !slices.Equal(s, want) {
			t.Errorf("%d numbers are not in order", n)
		}
	}
}
