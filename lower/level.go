package lower

import (
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
)

// Level says what effects the execution of a node has, besides computing its outputs. Higher levels
// restrict passes more.
type Level uint8

const (
	// BySignature is the level of a Def that specifies no level. It stands for Effects if the op
	// has the flag Stateful or Effect, is stateful in TensorFlow's signature, or has a reference
	// input. For all other ops, it stands for Pure.
	BySignature Level = iota
	// Pure nodes give the same outputs for the same inputs. They may be merged, folded, moved and
	// removed.
	Pure
	// Source nodes, such as feeds and handles, only refer to something by its name. The time at
	// which such a node runs does not matter. Two such nodes are different if their names differ.
	Source
	// Reads is the level of nodes whose outputs depend on when they run, and which change nothing
	// that another node could see. They read a variable, draw random numbers, or create a new
	// object in every run. They are removed if their outputs are unused.
	Reads
	// Effects is the level of nodes that change something, or fail on purpose. They always run if
	// they are reached, even if nothing uses their outputs.
	Effects
	// Called is the level of nodes that call the functions in their attributes. They have the
	// effects of these functions.
	Called
)

// Level returns the level of an op. It is Pure for an op that is in neither the table nor
// TensorFlow.
func (t *Table) Level(op string) Level {
	if d := t.Lookup(op); d != nil {
		switch {
		case d.Level != BySignature:
			return d.Level
		case d.Has(Stateful) || d.Has(Effect):
			return Effects
		}
	}
	if s := opdef.Lookup(op); s != nil && (s.Stateful || slices.ContainsFunc(s.Ins, func(a opdef.Arg) bool { return a.Ref })) {
		return Effects
	}
	return Pure
}

// Is reports whether an op is in the table and has all flags in f.
func (t *Table) Is(op string, f Flags) bool {
	d := t.Lookup(op)
	return d != nil && d.Has(f)
}
