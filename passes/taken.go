package passes

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// TakenOut are TensorFlow's ops that passes make others of, in order: control flow,
// calls of functions and optionals. They compile, though nothing lowers them.
func TakenOut(ops *lower.Table) []string {
	all := append(ops.Replaced(), "OptionalFromValue", "OptionalNone", "OptionalGetValue", "OptionalHasValue")
	slices.Sort(all)
	return all
}
