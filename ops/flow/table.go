// Package flow describes control flow, calls, transfers between partitions, and ops that only
// TensorFlow's sessions support.
package flow

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// Ops describes the ops of this family.
func Ops() lower.Family {
	return lower.Family{
		Defs:      slices.Concat(identityDefs, sessionDefs, flowDefs, transferDefs, conditionDefs, deniedDefs, debugDefs, takenDefs),
		Gradients: []map[string]lower.Gradient{gradients},
	}
}
