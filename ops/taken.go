package ops

import "slices"

// takenDefs are ops that are described but never lowered: passes make others of them.
var takenDefs = slices.Concat(
	taken(Called, 0, "PartitionedCall", "StatefulPartitionedCall", "If", "StatelessIf", "While", "StatelessWhile",
		"Case", "StatelessCase", "For", "SymbolicGradient", "_If", "_While"),
	taken(BySignature, Flow, "Switch", "_SwitchN", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "ControlTrigger"),
	taken(Reads, Flow, "RefSwitch", "RefMerge", "RefEnter", "RefExit", "RefNextIteration"),
	taken(Source, Argument, "_Arg", "_Retval"))

func taken(l Level, f Flags, names ...string) []*Def {
	defs := make([]*Def, len(names))
	for i, name := range names {
		defs[i] = &Def{Name: name, Level: l, Flags: f | Replaced}
	}
	return defs
}

// Taken returns the names of TensorFlow's ops that passes make others of: control flow and
// calls of functions. They compile, though nothing lowers them.
func Taken() []string {
	var names []string
	for _, d := range takenDefs {
		if !d.Has(Argument) {
			names = append(names, d.Name)
		}
	}
	return names
}
