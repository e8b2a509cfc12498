// Package quant has numbers of few bits, and what computes with them.
package ops

import "slices"

// quantFamily describes them.
func quantFamily() Family {
	return Family{
		Defs: slices.Concat(quantDefs, quantNNDefs, uniformDefs, quantFusedDefs),
		GPU:  slices.Concat(scalarFakes(), gpuQuants()),
	}
}
