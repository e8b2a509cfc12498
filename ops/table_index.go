// Package index has ops that select and place elements by their values: gathers, scatters, segments, orders.
package ops

import "slices"

// indexFamily describes them.
func indexFamily() Family {
	return Family{
		Defs: slices.Concat(approxDefs, gatherDefs, selectDefs, scatterDefs, stitchDefs, uniqueDefs, orderDefs, segmentDefs),
		GPU:  slices.Concat(gpuGathers(), gpuSegments(), gpuOrders(), gpuPicks(), gpuApproxTopK(), gpuSlices()),
	}
}
