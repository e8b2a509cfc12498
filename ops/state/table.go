// Package state describes what is kept between steps: variables, tables, queues, lists and arrays
// of tensors.
package state

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Defs: slices.Concat(checkpointDefs, barrierDefs, accumulatorDefs, stageDefs, queueDefs, lookupDefs, variableDefs,
			variableSliceDefs, listDefs, tensorArrayDefs, stackDefs, tensorMapDefs, mutexDefs),
		GPU:       slices.Concat(gpuVariables(), gpuVarScatters()),
		Gradients: []map[string]lower.Gradient{gradients},
	}
}
