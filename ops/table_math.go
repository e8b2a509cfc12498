// Package math has element-wise arithmetic, comparisons, casts, reductions, running sums and counts.
package ops

import "slices"

// mathFamily describes them.
func mathFamily() Family {
	return Family{
		Defs: slices.Concat(sumToDefs, histogramDefs, elementwiseDefs, compareDefs, castDefs, reduceDefs, scanDefs, chooseDefs,
			sumDefs, gradientDefs, complexDefs, specialDefs, countDefs, numericsDefs, powHalfDefs, deviceIndexDefs),
		GPU: slices.Concat(scalarFunctions(), gpuReductions(), gpuScans(), gpuCounts(), gpuChecks()),
	}
}
