package array

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestMarginsFit checks that paddings are rejected if their sum, or their sum with a dimension,
// overflows.
func TestMarginsFit(t *testing.T) {
	for _, c := range []struct {
		before, after int
		ok            bool
	}{{0, 0, true}, {1 << 20, 1 << 20, true}, {math.MaxInt, math.MaxInt, false}, {math.MaxInt, 0, false}, {0, math.MaxInt, false}, {math.MaxInt / 2, 0, true}, {math.MaxInt / 2, 1, false}} {
		if err := marginsFit(c.before, c.after); (err == nil) != c.ok || err != nil && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%d and %d: %v", c.before, c.after, err)
		}
	}
}
