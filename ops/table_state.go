// Package state has what is kept between steps: variables, tables, queues, lists and arrays of tensors.
package ops

import "slices"

// stateFamily describes them.
func stateFamily() Family {
	return Family{
		Defs: slices.Concat(checkpointDefs, barrierDefs, accumulatorDefs, stageDefs, queueDefs, lookupDefs, variableDefs,
			variableSliceDefs, listDefs, tensorArrayDefs, stackDefs, tensorMapDefs, mutexDefs),
		GPU: slices.Concat(gpuVariables(), gpuVarScatters()),
	}
}
