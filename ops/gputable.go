package ops

import "slices"

// gpuFamilies are the ops that GPUs compute.
func gpuFamilies() [][]*GPU {
	return slices.Concat(gpuNumerics(), [][]*GPU{gpuMaps(), gpuVariables(), gpuVarScatters(), gpuJoins(), gpuReductions(), gpuProducts(), gpuRows(), gpuNorms(), gpuWindows(), gpuGathers(), gpuSegments(),
		gpuImages(), gpuRandoms(), gpuOrders(), gpuScans(), gpuDilations(),
		gpuPicks(), gpuCounts(), gpuSlices(), gpuFormats(), gpuQuants(), gpuChecks()})
}
