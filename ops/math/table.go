// Package math describes element-wise arithmetic, comparisons, casts, reductions, cumulative sums
// and counts.
package math

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Batch: batchRules,
		Defs: slices.Concat(sumToDefs, histogramDefs, elementwiseDefs, compareDefs, castDefs, reduceDefs, scanDefs, chooseDefs,
			sumDefs, gradientDefs, complexDefs, specialDefs, countDefs, numericsDefs, powHalfDefs, deviceIndexDefs),
		GPU:       slices.Concat(scalarFunctions(), gpuReductions(), gpuScans(), gpuCounts(), gpuChecks()),
		Gradients: []map[string]lower.Gradient{unaryGradients, binaryGradients, reduceGradients},
	}
}
