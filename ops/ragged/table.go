// Package ragged describes ragged tensors and crosses of features.
package ragged

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Defs: slices.Concat(raggedDefs, crossDefs),
	}
}
