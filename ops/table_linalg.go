// Package linalg has products, contractions, decompositions of matrices and Fourier transforms.
package ops

import "slices"

// linalgFamily describes them.
func linalgFamily() Family {
	return Family{
		Defs: slices.Concat(crossProductDefs, fftDefs, linalgDefs, einsumDefs, matmulDefs, matrixFuncDefs, tridiagonalDefs),
		GPU:  slices.Concat(gpuTransforms(), gpuMatrices(), gpuProducts()),
	}
}
