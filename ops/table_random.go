// Package random has random numbers and samplers.
package ops

import "slices"

// randomFamily describes them.
func randomFamily() Family {
	return Family{
		Defs: slices.Concat(randomDefs, gammaDefs, statefulRandomDefs, samplerDefs),
		GPU:  slices.Concat(gpuRandoms()),
	}
}
