package passes

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// TakenOut returns a sorted list of the TensorFlow ops that have no lowering, but are supported
// because passes always replace them by other ops. These are ops for control flow, for function
// calls and for optionals.
func TakenOut(ops *lower.Table) []string {
	all := append(ops.Replaced(), "OptionalFromValue", "OptionalNone", "OptionalGetValue", "OptionalHasValue")
	slices.Sort(all)
	return all
}
