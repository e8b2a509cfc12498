// Package train has updates of optimisers and clusters.
package ops

import "slices"

// trainFamily describes them.
func trainFamily() Family {
	return Family{
		Defs: slices.Concat(trainDefs, clusterDefs),
		GPU:  slices.Concat(scalarUpdates()),
	}
}
