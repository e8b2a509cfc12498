// Package nn describes layers of networks: convolutions, pools, norms, softmax, attention,
// recurrent cells.
package nn

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Batch: batchRules,
		Defs: slices.Concat(dilationDefs, normGradDefs, volumeDefs, normDefs, poolDefs, convDefs, softmaxDefs, fusedDefs,
			attentionDefs, rnnCellDefs, ctcDefs, fractionalDefs, convFormDefs),
		GPU: slices.Concat(gpuCells(), gpuRows(), gpuNorms(), gpuWindows(), gpuDilations(), gpuFormats(),
			gpuGlobalNorms()),
		Gradients: []map[string]lower.Gradient{gradients},
	}
}
