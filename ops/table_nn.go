// Package nn has layers of networks: convolutions, pools, norms, softmax, attention, recurrent cells.
package ops

import "slices"

// nnFamily describes them.
func nnFamily() Family {
	return Family{
		Defs: slices.Concat(dilationDefs, normGradDefs, volumeDefs, normDefs, poolDefs, convDefs, softmaxDefs, fusedDefs,
			attentionDefs, rnnCellDefs, ctcDefs, fractionalDefs, convFormDefs),
		GPU: slices.Concat(gpuCells(), gpuRows(), gpuNorms(), gpuWindows(), gpuDilations(), gpuFormats(),
			gpuGlobalNorms()),
	}
}
