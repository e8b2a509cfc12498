package ops

import "slices"

// arrayDefs are the ops that move elements, select them and order them.
var arrayDefs = slices.Concat(reshapeDefs, shapeOfDefs, sliceDefs, concatDefs, splitDefs, transposeDefs, padDefs,
	fillDefs, sequenceDefs, gatherDefs,
	reverseDefs, selectDefs, spaceDefs, scatterDefs, stitchDefs, uniqueDefs, diagDefs, orderDefs, segmentDefs,
	shapeArgDefs, sliceUpdateDefs, patchDefs, formatDefs)
