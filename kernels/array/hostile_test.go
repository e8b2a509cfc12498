package array

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestHostile: sizes that are computed from numbers that a caller feeds may overflow. The kernels
// reject such sizes.
func TestHostile(t *testing.T) {
	fed, list := typed.Fed{}, func(n int) typed.FedList { return typed.FedList(n) }
	for k := -1; k < 2; k++ {
		typed.Hostile(t, "ReshapeDim", ReshapeDim, typed.Dims(2), list(2), k)
		typed.Hostile(t, "SplitSize", SplitSize, 7, list(2), k)
	}
	for k := range 2 {
		typed.Hostile(t, "ExpandDim", ExpandDim, fed, typed.Dims(2), k)
		typed.Hostile(t, "ConcatDim", ConcatDim, fed, 2, k, typed.Dims(3))
		typed.Hostile(t, "SplitDim", SplitDim, fed, typed.Dims(2), fed, k)
		typed.Hostile(t, "PermDim", PermDim, list(2), []int{3, 4}, k)
		typed.Hostile(t, "ConcatOffset", ConcatOffset, fed, 2, k, 1, typed.Dims(2))
	}
	one := func(f func(n int) []any) {
		for _, size := range []int{0, 1, 7} {
			args := f(size)
			typed.Hostile(t, "a size", args[0], args[1:]...)
		}
	}
	one(func(size int) []any { return []any{Index, fed, size} })
	one(func(size int) []any { return []any{Within, fed, fed, size} })
	one(func(size int) []any { return []any{Slice, fed, fed, size} })
	one(func(size int) []any {
		return []any{func(begin, end, stride, size int) (int, int, error) {
			return SliceRange(begin, end, stride, size, SliceFlags{})
		}, fed, fed, fed, size}
	})
	one(func(size int) []any { return []any{DiagLen, size, size, fed, fed} })
	one(func(size int) []any { return []any{DiagFits, size, size, fed, fed, fed} })
	one(func(size int) []any { return []any{BandFits, fed, fed, size, size} })
	one(func(size int) []any { return []any{DiagSize, fed, fed, size, fed, fed} })
	one(func(size int) []any { return []any{Divides, fed, size, "a size"} })
	typed.Hostile(t, "MirrorFits", MirrorFits, typed.Dims(1), list(1), list(1), 1)
	typed.Hostile(t, "AxisSplit", AxisSplit, fed, []int{3, 4})
	typed.Hostile(t, "Size", Size, fed, "a size")
	typed.Hostile(t, "Positive", Positive, fed, "a size")
	typed.Hostile(t, "BroadcastStride", BroadcastStride, 1, fed, 1)
	for _, f := range []any{RangeLenI32, RangeLenI64} {
		typed.Hostile(t, "RangeLen", f, list(1), list(1), list(1))
	}
	typed.Hostile(t, "UnravelIndex", UnravelIndexI32, make([]int32, 2), list(1), list(2))
	typed.Hostile(t, "UnravelIndex", UnravelIndexI64, make([]int64, 2), list(1), list(2))
	typed.Hostile(t, "DimMap", DimMapI64, make([]int64, 1), list(1), []int{0, 1})
	typed.Hostile(t, "InvertPermutation", InvertPermutationI64, make([]int64, 2), list(2))
	typed.Hostile(t, "OneHot", OneHotF32I64, make([]float32, 6), list(2), []float32{1}, []float32{0}, 3, 1)
	typed.Hostile(t, "Roll", RollF32, make([]float32, 6), make([]float32, 6), []int{2, 3}, list(2), list(2))
	typed.Hostile(t, "ReverseSequence", ReverseSequenceF32I64, make([]float32, 6), make([]float32, 6), list(2),
		SequenceParams{Outer: 1, Mid: 1, Inner: 1, Batch: 2, Seq: 3, BatchFirst: true})
}
