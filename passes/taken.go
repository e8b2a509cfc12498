package passes

import (
	"maps"
	"slices"
)

// TakenOut are TensorFlow's ops that passes make others of, in order: control flow,
// calls of functions and optionals. They compile, though nothing lowers them.
func TakenOut() []string {
	all := map[string]bool{}
	maps.Copy(all, calls)
	maps.Copy(all, v1Flow)
	for _, op := range []string{"OptionalFromValue", "OptionalNone", "OptionalGetValue", "OptionalHasValue"} {
		all[op] = true
	}
	return slices.Sorted(maps.Keys(all))
}
