package passes

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// TakenOut returns, sorted, the TensorFlow ops that passes always replace by other ops: control
// flow, calls of functions and optionals. They compile, though no lowering exists for them.
func TakenOut(ops *lower.Table) []string {
	all := append(ops.Replaced(), "OptionalFromValue", "OptionalNone", "OptionalGetValue", "OptionalHasValue")
	slices.Sort(all)
	return all
}
