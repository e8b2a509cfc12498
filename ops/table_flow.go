// Package flow has control flow, calls, transfers between partitions, and what sessions alone can do.
package ops

import "slices"

// flowFamily describes them.
func flowFamily() Family {
	return Family{
		Defs: slices.Concat(coreDefs, sessionDefs, flowDefs, transferDefs, conditionDefs, deniedDefs, debugDefs, takenDefs),
	}
}
