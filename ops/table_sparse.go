// Package sparse has sparse tensors, sparse matrices and sets.
package ops

import "slices"

// sparseFamily describes them.
func sparseFamily() Family {
	return Family{
		Defs: slices.Concat(sparseGradDefs, sparseDefs, sparseMatrixDefs, sparseSerialDefs, setDefs, countSparseDefs),
		GPU:  slices.Concat(gpuSparse()),
	}
}
