// Package sparse describes sparse tensors, sparse matrices and sets.
package sparse

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Defs: slices.Concat(sparseGradDefs, sparseDefs, sparseMatrixDefs, sparseSerialDefs, setDefs, countSparseDefs),
		GPU:  slices.Concat(gpuSparse()),
	}
}
