// Package quant describes quantization and ops on quantized numbers.
package quant

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Batch: batchRules,
		Defs:  slices.Concat(quantDefs, quantNNDefs, uniformDefs, quantFusedDefs),
		GPU:   slices.Concat(scalarFakes(), gpuQuants()),
	}
}
