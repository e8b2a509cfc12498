// Package mutants holds the list of what protects graphc and its programs from their
// input, each with a test that fails when it is taken out.
package mutants

// Mutant takes one check out of the sources.
type Mutant struct {
	// Kind is the kind of check, Breaks what would happen without it.
	Kind, Breaks string
	// File is the source, below the repository's root. Old stands in it once and is
	// replaced by New.
	File, Old, New string
	// Package has the test that fails then; Run is the expression that selects it.
	Package, Run string
}
