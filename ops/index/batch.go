package index

import (
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
)

// batchRules holds the rules for batches; see lower.BatchRule.
var batchRules = map[string]lower.BatchRule{
	"GatherV2": gatheredBatch,
	"OneHot":   func(b *lower.BatchNode) bool { return b.Node.Int("axis") != 0 && lower.FirstBatch(b) },
	"TopK":     lower.FirstBatchOfRank(2),
	"TopKV2":   lower.FirstBatchOfRank(2),
}

// gatheredBatch is the rule for gathers with the same indices along another axis of each item, and
// for gathers with indices for each item.
func gatheredBatch(b *lower.BatchNode) bool {
	if b.Node.Int("batch_dims") != 0 {
		return false
	}
	if b.Fixed(0) { // output 0 begins with the axes of the indices if the axis is 0
		axis, ok := b.StaticInts(2)
		return ok && len(axis) == 1 && (axis[0] == 0 || axis[0] == -b.Rank(0)) && b.Row(1)
	}
	return b.Fixed(1) && kit.NotAlongBatch(2)(b)
}
