package array

import (
	"math/bits"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
)

// batchRules holds the rules for batches; see lower.BatchRule.
var batchRules = map[string]lower.BatchRule{
	"ConcatV2":     joinedBatch,
	"Concat":       joinedBatch,
	"Pack":         notAlongAxis,
	"Unpack":       notAlongAxis,
	"Split":        splitBatch,
	"SplitV":       kit.NotAlongBatch(2),
	"Slice":        func(b *lower.BatchNode) bool { return b.Row(0) && b.Fixed(1) && b.SizesButFirst(2) },
	"StridedSlice": stridedBatch,
	"Transpose":    transposedBatch,
	"Pad":          lower.FirstBatch,
	"PadV2":        lower.FirstBatch,
	"MirrorPad":    lower.FirstBatch,
	"Tile":         lower.FirstBatch,
	"BroadcastTo":  func(b *lower.BatchNode) bool { return b.Broadcast(0) && b.Sizes(1) },
	"Fill":         func(b *lower.BatchNode) bool { return b.Sizes(0) && b.Fixed(1) },
	"ZerosLike":    lower.FirstBatch,
	"OnesLike":     lower.FirstBatch,
	"ReverseV2":    kit.NotAlongBatch(1),
	"DepthToSpace": lower.FirstBatch,
	"SpaceToDepth": lower.FirstBatch,
}

// joinedBatch is the rule for concatenations along an axis other than 0.
func joinedBatch(b *lower.BatchNode) bool {
	axis := 0
	if b.Node.Op == "ConcatV2" {
		axis = b.NumIn() - 1
	}
	at, ok := b.StaticInts(axis)
	if !ok || len(at) != 1 || at[0] == 0 || at[0] == -b.OutRank() {
		return false
	}
	for i := range b.NumIn() {
		if i != axis && !b.Row(i) {
			return false
		}
	}
	return true
}

// notAlongAxis is the rule for ops with an attribute for the axis.
func notAlongAxis(b *lower.BatchNode) bool {
	rank := b.Rank(0)
	if b.Node.Op == "Pack" {
		rank++
	}
	if axis := b.Node.Int("axis"); axis == 0 || axis == -rank {
		return false
	}
	for i := range b.NumIn() {
		if !b.Row(i) {
			return false
		}
	}
	return true
}

// splitBatch is the rule for Split, whose input 0 is the axis.
func splitBatch(b *lower.BatchNode) bool {
	at, ok := b.StaticInts(0)
	return ok && len(at) == 1 && at[0] != 0 && at[0] != -b.Rank(1) && b.Row(1)
}

// transposedBatch is the rule for transpositions that leave axis 0 where it is.
func transposedBatch(b *lower.BatchNode) bool {
	perm, ok := b.StaticInts(1)
	return ok && len(perm) > 0 && perm[0] == 0 && b.Row(0)
}

// stridedBatch is the rule for slices that contain all rows in their order. The first element of
// the bounds is then an ellipsis, or it is a range from the first to the last row with step 1.
func stridedBatch(b *lower.BatchNode) bool {
	first := func(mask string) bool { return b.Node.Int(mask)&1 != 0 }
	if !b.Row(0) || first("new_axis_mask") {
		return false
	}
	for i := 1; i < b.NumIn(); i++ {
		if !b.SizesButFirst(i) {
			return false
		}
	}
	if first("ellipsis_mask") { // the ellipsis must stand for axis 0
		n, ok := b.Shape(1).Len().IsInt()
		added := bits.OnesCount(uint(b.Node.Int("new_axis_mask")) & (1<<min(n, 63) - 1))
		return ok && n-1-added < b.Rank(0)
	}
	steps, ok := b.Ints(3)
	return ok && len(steps) > 0 && steps[0].Is(1) && first("begin_mask") && first("end_mask") && !first("shrink_axis_mask")
}
