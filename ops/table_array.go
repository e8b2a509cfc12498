// Package array has ops that move elements: reshapes, slices, joins, transpositions, padding, blocks, diagonals.
package ops

import "slices"

// arrayFamily describes them.
func arrayFamily() Family {
	return Family{
		Defs: slices.Concat(anyRankDefs, someRowsDefs, zerosLikeDefs, reshapeDefs, shapeOfDefs, sliceDefs, concatDefs, splitDefs,
			transposeDefs, padDefs, fillDefs, sequenceDefs, reverseDefs, spaceDefs, diagDefs, shapeArgDefs,
			sliceUpdateDefs, patchDefs, formatDefs),
		GPU: slices.Concat(scalarMoves(), gpuJoins()),
	}
}
