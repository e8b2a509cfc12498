package passes

import (
	flowops "github.com/graphc/graphc/ops/flow"
	"slices"
)

// TakenOut are TensorFlow's ops that passes make others of, in order: control flow,
// calls of functions and optionals. They compile, though nothing lowers them.
func TakenOut() []string {
	all := append(flowops.Taken(), "OptionalFromValue", "OptionalNone", "OptionalGetValue", "OptionalHasValue")
	slices.Sort(all)
	return all
}
