// Package random describes random numbers and samplers.
package random

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Defs: slices.Concat(randomDefs, gammaDefs, statefulRandomDefs, samplerDefs),
		GPU:  slices.Concat(gpuRandoms()),
	}
}
