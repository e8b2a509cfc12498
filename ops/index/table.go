// Package index describes ops that select and place elements by values: gathers, scatters,
// segments, orders.
package index

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Batch:     batchRules,
		Defs:      slices.Concat(approxDefs, gatherDefs, selectDefs, scatterDefs, stitchDefs, uniqueDefs, orderDefs, segmentDefs),
		GPU:       slices.Concat(gpuGathers(), gpuSegments(), gpuOrders(), gpuPicks(), gpuApproxTopK(), gpuSlices()),
		Gradients: []map[string]lower.Gradient{gradients},
	}
}
