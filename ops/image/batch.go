package image

import "github.com/graphc/graphc/lower"

// batchRules holds the rules for batches; see lower.BatchRule.
var batchRules = map[string]lower.BatchRule{
	"ResizeArea":            lower.FirstBatch,
	"ResizeBicubic":         lower.FirstBatch,
	"ResizeBilinear":        lower.FirstBatch,
	"ResizeNearestNeighbor": lower.FirstBatch,
}
