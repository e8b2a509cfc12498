// Package linalg describes products, contractions, decompositions of matrices and Fourier
// transforms.
package linalg

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Batch:     batchRules,
		Defs:      slices.Concat(crossProductDefs, fftDefs, linalgDefs, einsumDefs, matmulDefs, matrixFuncDefs, tridiagonalDefs),
		GPU:       slices.Concat(gpuCrossProducts(), gpuTransforms(), gpuMatrices(), gpuProducts()),
		Gradients: []map[string]lower.Gradient{productGradients},
	}
}
