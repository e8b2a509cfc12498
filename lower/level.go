package lower

import (
	"slices"

	"github.com/graphc/graphc/frontend/opdef"
)

// Level says what running a node means beyond its outputs. A higher level allows passes less.
type Level uint8

const (
	// BySignature is the level of a Def that states none: Effects for an op with the flag
	// Stateful or Effect, one that is stateful by TensorFlow's signature, and one that takes a
	// reference; Pure for all others.
	BySignature Level = iota
	// Pure nodes give the same outputs for the same inputs: they may be merged, folded, moved
	// and left out.
	Pure
	// Source nodes name something, feeds and handles: the moment they run at does not matter, and two that
	// name different things differ.
	Source
	// Reads is the level of nodes whose outputs depend on when they run, and which change nothing
	// that another node could see: they read a variable, draw random numbers, or make something
	// new at every run. They are left out when their outputs are not used.
	Reads
	// Effects is the level of nodes that change something, or fail on purpose: they run when they
	// are reached.
	Effects
	// Called nodes do what the functions do that their attributes name.
	Called
)

// Level returns the level of an op, Pure for one that is neither described nor TensorFlow's.
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
