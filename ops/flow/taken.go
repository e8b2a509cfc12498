package flow

import (
	"slices"

	"github.com/graphc/graphc/lower"
)

// takenDefs are ops that are described but never lowered: passes replace them.
var takenDefs = slices.Concat(
	taken(lower.Called, 0, "PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient", "_If", "_While"),
	taken(lower.Called, lower.HostSide|lower.SwitchMerge, "If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase"),
	taken(lower.Called, lower.HostSide, "For"),
	taken(lower.BySignature, lower.Flow|lower.HostSide, "Switch", "_SwitchN", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "ControlTrigger"),
	taken(lower.Reads, lower.Flow|lower.HostSide, "RefSwitch", "RefMerge", "RefEnter", "RefExit", "RefNextIteration"),
	taken(lower.Source, lower.Argument, "_Arg", "_Retval"))

func taken(l lower.Level, f lower.Flags, names ...string) []*lower.Def {
	defs := make([]*lower.Def, len(names))
	for i, name := range names {
		defs[i] = &lower.Def{Name: name, Level: l, Flags: f | lower.Replaced}
	}
	return defs
}
