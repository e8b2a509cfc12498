// Package mutants lists the checks that protect graphc and its programs from hostile input, each
// with a test that fails if the check is removed.
package mutants

// Mutant removes one check from the sources.
type Mutant struct {
	// Kind describes the check. Breaks describes the damage that is possible if the check is
	// removed.
	Kind, Breaks string
	// File is the source file, relative to the repository's root. Old occurs in it once and is
	// replaced by New.
	File, Old, New string
	// Package has the test that must fail; Run selects it.
	Package, Run string
}
