// Package train describes updates of optimisers, and clustering.
package train

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Defs: slices.Concat(trainDefs, clusterDefs),
		GPU:  slices.Concat(scalarUpdates()),
	}
}
