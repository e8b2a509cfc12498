package linalg

import "github.com/graphc/graphc/lower"

// batchRules holds the rules for batches; see lower.BatchRule.
var batchRules = map[string]lower.BatchRule{
	"MatMul":        productBatch,
	"_FusedMatMul":  productBatch,
	"BatchMatMul":   batchProductBatch,
	"BatchMatMulV2": batchProductBatch,
	"BatchMatMulV3": batchProductBatch,
}

// productBatch is the rule for a product of a batch of vectors and a fixed matrix.
func productBatch(b *lower.BatchNode) bool {
	return !b.Node.Bool("transpose_a") && b.Fixed(1) && lower.FirstBatch(b)
}

// batchProductBatch is the rule for products of matrices in batches: axis 0 is no axis of a matrix.
func batchProductBatch(b *lower.BatchNode) bool {
	for i := range b.NumIn() {
		if b.Batch(i) && b.Rank(i) < 3 || b.Fixed(i) && b.Rank(i) == b.OutRank() && b.Rank(i) < 3 {
			return false
		}
	}
	return lower.BroadcastBatch(b)
}
