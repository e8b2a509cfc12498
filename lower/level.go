package lower

import (
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
)

// Level is what running a node means besides its outputs. Higher levels restrict passes more.
type Level uint8

const (
	// BySignature is the level of a Def that specifies none. It means Effects for an op with the
	// flag Stateful or Effect, an op that is stateful by TensorFlow's signature, and an op with a
	// reference input; and Pure for all others.
	BySignature Level = iota
	// Pure nodes give the same outputs for the same inputs. They may be merged, folded, moved and
	// removed.
	Pure
	// Source nodes name something, such as feeds and handles. When they run does not matter. Two
	// nodes with different names differ.
	Source
	// Reads is the level of nodes whose outputs depend on when they run, and which change nothing
	// that another node could see. They read a variable, draw random numbers, or make something new
	// in every run. They are removed if their outputs are unused.
	Reads
	// Effects is the level of nodes that change something, or fail on purpose. They run whenever
	// they are reached.
	Effects
	// Called nodes do what the functions in their attributes do.
	Called
)

// Level returns the level of an op. It is Pure for an op that is neither described nor in
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

// Is reports whether an op is described and has all flags f.
func (t *Table) Is(op string, f Flags) bool {
	d := t.Lookup(op)
	return d != nil && d.Has(f)
}
