package array

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestFed: callers may feed positions that are outside a tensor. The kernels reject them before
// they use them.
func TestFed(t *testing.T) {
	axis := func(a, rank int) error { _, err := Axis(a, rank); return err }
	perm := func(perm, dims []int) error { _, _, err := PermDim(perm, dims, 0); return err }
	size := func(n int) error { _, err := Size(n, "a size"); return err }
	positive := func(n int) error { _, err := Positive(n, "a size"); return err }
	split := func(total int, sizes ...int) error { _, err := SplitSize(total, sizes, 0); return err }
	reshape := func(from, dims []int) error { _, err := ReshapeDim(from, dims, 0); return err }
	reverse := func(lens ...int64) error {
		return ReverseSequenceF32I64(make([]float32, 6), make([]float32, 6), lens, SequenceParams{Outer: 1, Mid: 1, Inner: 1, Batch: 2, Seq: 3, BatchFirst: true})
	}
	invert := func(x ...int32) error { return InvertPermutationI32(make([]int32, len(x)), x) }
	for name, c := range map[string]struct {
		err error
		ok  bool
	}{
		"axis":            {axis(-2, 2), true},
		"axis above":      {axis(2, 2), false},
		"axis below":      {axis(-3, 2), false},
		"index":           {IndexOK(-3, 3), true},
		"index above":     {IndexOK(3, 3), false},
		"index below":     {IndexOK(-4, 3), false},
		"within":          {Within(1, 2, 3), true},
		"begins below":    {Within(-1, 2, 3), false},
		"negative":        {Within(1, -1, 3), false},
		"begins above":    {Within(4, 0, 3), false},
		"ends above":      {Within(2, 2, 3), false},
		"wraps around":    {Within(1, math.MaxInt, 3), false},
		"perm":            {perm([]int{1, 0, -1}, []int{2, 3, 4}), true},
		"perm twice":      {perm([]int{1, 0, 1}, []int{2, 3, 4}), false},
		"perm both ways":  {perm([]int{-1, 0, 2}, []int{2, 3, 4}), false},
		"perm outside":    {perm([]int{1, 0, 3}, []int{2, 3, 4}), false},
		"size":            {size(0), true},
		"negative size":   {size(-1), false},
		"positive":        {positive(1), true},
		"not positive":    {positive(0), false},
		"splits":          {split(10, 3, 7), true},
		"splits too many": {split(10, 11, -1), false},
		"splits wrap":     {split(10, math.MaxInt, math.MaxInt, 12), false},
		"shape":           {reshape([]int{6}, []int{2, 3}), true},
		"shape wraps":     {reshape([]int{0}, []int{1 << 32, 1 << 32}), false},
		"lengths":         {reverse(0, 3), true},
		"length above":    {reverse(0, 4), false},
		"length below":    {reverse(-1, 3), false},
		"inverse":         {invert(1, 0), true},
		"inverse above":   {invert(0, 2), false},
		"inverse below":   {invert(-1, 0), false},
		"inverse twice":   {invert(1, 1), false},
	} {
		if want := tensor.InvalidArgument; c.ok && c.err != nil || !c.ok && tensor.CodeOf(c.err) != want {
			t.Errorf("%s: %v", name, c.err)
		}
	}
}
