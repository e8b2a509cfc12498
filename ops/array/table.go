// Package array describes ops that move elements: reshapes, slices, joins, transpositions, padding,
// blocks, diagonals.
package array

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Batch: batchRules,
		Defs: slices.Concat(anyRankDefs, someRowsDefs, zerosLikeDefs, reshapeDefs, shapeOfDefs, sliceDefs, concatDefs, splitDefs,
			transposeDefs, padDefs, fillDefs, sequenceDefs, reverseDefs, spaceDefs, diagDefs, shapeArgDefs,
			sliceUpdateDefs, patchDefs, formatDefs),
		GPU:       slices.Concat(scalarMoves(), gpuJoins()),
		Gradients: []map[string]lower.Gradient{arrayGradients, sliceGradients},
	}
}
