package count

import (
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./wrappers -dir ../count

// TestTypes counts at every type of values and weights.
func TestTypes(t *testing.T) {
	f, out := typed.F, typed.Out
	w := func(xs ...float64) typed.Wants { return typed.Wants{Outs: []typed.E{f(xs...)}} }
	kernels, src, weights := wrappers[""], f(1, 1, 2, 5, 0, 1), f(1, 2, 3, 4, 5, 6)
	typed.Check(t, "all", kernels, w(1, 3, 1, 0), out(4), src, f(), Bins{1, 6, 4, false})
	typed.Check(t, "weights", kernels, w(0, 3, 3, 0, 5, 6, 0, 0), out(8), src, weights, Bins{2, 3, 4, false})
	typed.Check(t, "marks", kernels, w(0, 1, 1, 0, 1, 1, 0, 0), out(8), src, weights, Bins{2, 3, 4, true})
	typed.Check(t, "no bins", kernels, w(), out(0), src, f(), Bins{1, 6, 0, false})
	typed.Fails(t, "negative", kernels, tensor.InvalidArgument, out(2), f(0, -1), f(), Bins{1, 2, 2, false})
	for _, k := range wrappers["Bucket"] {
		typed.Check(t, "buckets", []any{k}, w(0, 1, 2, 3, 3), out(5), f(-1, 0, 1, 2, 9), f(0, 1, 2))
	}
	typed.Check(t, "NaN", []any{BucketF32, BucketF64}, w(2, 0, 2), out(3), f(math.NaN(), math.Inf(-1), math.Inf(1)), f(0, 1))
}
