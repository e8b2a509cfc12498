// Package ops lists the families of ops: a family has a package of its own below this one, and every fact
// about an op stands in its lower.Def.
package ops

import "sync"

// Ops returns the table of all ops that graphc compiles.
var Ops = sync.OnceValue(func() *Table {
	return NewTable(mathFamily(), arrayFamily(), indexFamily(), linalgFamily(), randomFamily(), imageFamily(), nnFamily(), quantFamily(), sparseFamily(), raggedFamily(), stateFamily(), textFamily(), trainFamily(), flowFamily(), gotypesFamily())
})

// Lookup returns the description of an op, nil if it is unknown.
func Lookup(op string) *Def { return Ops().Lookup(op) }

// All returns the descriptions of all ops but those that are Replaced, sorted by name.
func All() []*Def { return Ops().All() }
